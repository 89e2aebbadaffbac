// What the picture's elements are made of: labels, marks of ancestors and descendants, bends.
import { percent } from '../form.js';
import { cut, idOfRef, labelOf, shortId } from '../vocabulary.js';

/** Edges between versions, drawn dashed. */
export const VERSION_EDGES = new Set(['DERIVED_FROM', 'REVISION_OF', 'UPDATED_BY']);
const MARKING_CLASSES = ['selected', 'ancestor', 'descendant', 'aside'];

/** Gives an element one class of MARKING_CLASSES, touching it only where that changes something. */
export function reclass(element, wanted) {
  for (const name of MARKING_CLASSES)
    if (element.hasClass(name) !== (name === wanted)) element.toggleClass(name, name === wanted);
}

/** @param {{ref: string, ancestors: Iterable<string>, descendants: Iterable<string>} | null} marked */
export function markingOf(marked) {
  if (!marked?.ref) return { node: () => '', edge: () => '' };
  const above = new Set([marked.ref, ...marked.ancestors]);
  const below = new Set([marked.ref, ...marked.descendants]);
  return {
    node: (ref) =>
      ref === marked.ref ? 'selected' : above.has(ref) ? 'ancestor' : below.has(ref) ? 'descendant' : 'aside',
    edge: (cause, effect) =>
      above.has(cause) && above.has(effect)
        ? 'ancestor'
        : below.has(cause) && below.has(effect)
          ? 'descendant'
          : 'aside',
  };
}

export function labelLines(node) {
  const marks = { added: '+\u00a0', removed: '−\u00a0', reweighted: '~\u00a0' };
  return [
    `${marks[node.mark] ?? ''}${cut(labelOf(node, 36), 36)}`,
    node.type === 'Response' && shortId(idOfRef(node.ref).replace(/^resp_/, ''), 18),
    node.share !== undefined && percent(node.share),
    node.status === 'deprecated' && 'deprecated',
  ].filter(Boolean);
}

/** Bends as cytoscape takes them: share of the way between the centres, and distance from it. */
export function bendData(points, from, to) {
  const way = { x: to.x - from.x, y: to.y - from.y };
  const length = Math.hypot(way.x, way.y);
  if (length < 1) return {};
  const off = points.map((point) => ({ x: point.x - from.x, y: point.y - from.y }));
  return {
    bendWeights: off.map(({ x, y }) => (x * way.x + y * way.y) / length ** 2),
    bendDistances: off.map(({ x, y }) => (y * way.x - x * way.y) / length),
  };
}
