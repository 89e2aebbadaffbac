// Marks of a selected node with its ancestors and descendants, or of the paths between two nodes: a class for each card and
// line. A mark has no colour of its own; a colour in the picture means a type.

export const MARKS = ['selected', 'ancestor', 'descendant', 'path', 'aside'];
const NONE = { node: () => '', edge: () => '' };

/** @param {{ref: string, ancestors: Iterable<string>, descendants: Iterable<string>} | {ref: string, isAlone: true} |
 *   {ref: string, path: {refs: Set<string>, keys: Set<string>}} | null} marked */
export function markingOf(marked) {
  if (marked?.path) return alongPath(marked);
  if (!marked?.ref) return NONE;
  if (marked.isAlone) return { node: ({ ref }) => (ref === marked.ref ? 'selected' : ''), edge: () => '' };
  const above = new Set([marked.ref, ...marked.ancestors]);
  const below = new Set([marked.ref, ...marked.descendants]);
  return {
    node: ({ ref, isGroup, of, side }) => {
      if (ref === marked.ref) return 'selected';
      if (isGroup)
        return above.has(of) && side === 'causes'
          ? 'ancestor'
          : below.has(of) && side === 'effects'
            ? 'descendant'
            : 'aside';
      return above.has(ref) ? 'ancestor' : below.has(ref) ? 'descendant' : 'aside';
    },
    edge: ({ cause, effect, isGroup }) => {
      if (isGroup) return above.has(effect) ? 'ancestor' : below.has(cause) ? 'descendant' : 'aside';
      return above.has(cause) && above.has(effect)
        ? 'ancestor'
        : below.has(cause) && below.has(effect)
          ? 'descendant'
          : 'aside';
    },
  };
}

function alongPath({ ref, path }) {
  return {
    node: (node) => (node.ref === ref ? 'selected' : path.refs.has(node.ref) ? 'path' : 'aside'),
    edge: (edge) => (path.keys.has(edge.key) ? 'path' : 'aside'),
  };
}

/** Gives an element one class of MARKS. */
export function remark(element, wanted) {
  for (const name of MARKS) element.classList.toggle(name, name === wanted);
}
