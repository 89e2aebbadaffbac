// What of a loaded picture a state selects: the node, the path, and what these mark.
import { groupOfRef } from './groups.js';

/** The nodes that the reader opened, beside the groups. */
export const openedNodes = ({ x }) => x.filter((each) => each.startsWith('node ')).map((each) => each.slice(5));

/** The path that the reader asked for, between two nodes of the model; null where there is none. */
export function pathOf({ model, strongest }, state) {
  if (!state.path) return null;
  const ref = selectedIn(model, state);
  if (strongest?.key === pathKey(state.path, ref)) {
    const { way, keys, weight } = strongest;
    return { from: state.path, to: ref, way, refs: new Set(way), keys, weight, isInfluence: true };
  }
  return { from: state.path, to: ref, ...model.between(state.path, ref) };
}

/** Names a question for a path. */
export const pathKey = (from, to) => `${from}\n${to}`;

/** The ref that is selected, in the form that the model has it; '' where it is not in the picture. */
export const selectedIn = (model, state) =>
  model.nodes.has(state.sel) ? state.sel : state.sel === state.ref ? model.root : '';

/** What the picture marks; comparisons and impact have marks of their own while nothing else is selected. */
export function markedOf(loaded, state) {
  const { model, compared, impact } = loaded;
  const ref = selectedIn(model, state);
  const path = pathOf(loaded, state);
  if (path?.refs) return { ref, path };
  const group = groupOfRef(state.sel);
  if (group) return { ref: state.sel, ancestors: [group.of], descendants: [group.of] };
  if (!ref || compared || (impact && ref === model.root && !state.focus)) return null;
  // All that is shown is ancestor or descendant of the root: to mark it would say nothing.
  if (ref === model.root) return { ref, isAlone: true };
  return { ref, ancestors: model.reach(ref, 'causes').keys(), descendants: model.reach(ref, 'effects').keys() };
}
