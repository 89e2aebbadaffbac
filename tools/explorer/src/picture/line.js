// Lines: the element of an edge from its route, with an arrow head at the effect.
import { svg } from '../dom.js';
import { piecesOf } from './routes.js';

/** Edges between versions, drawn dashed. */
const VERSION_EDGES = new Set(['DERIVED_FROM', 'REVISION_OF', 'UPDATED_BY']);
const HEAD = 8;

/** Capture took the cause from where it stood, not from evidence. */
export const isByPlace = ({ basis }) => basis === 'place';

const round = (value) => Math.round(value * 10) / 10;
const at = ({ x, y }) => `${round(x)} ${round(y)}`;

export function pathOf(pieces) {
  let d = `M${at(pieces[0][0])}`;
  for (const piece of pieces)
    d += piece.length === 2 ? `L${at(piece[1])}` : `C${at(piece[1])} ${at(piece[2])} ${at(piece[3])}`;
  return d;
}

/** How wide an edge is drawn: the more it weighs, the wider. */
const widthOf = (edge) => {
  const weight = edge.weight ?? edge.similarity ?? edge.confidence;
  return weight === undefined ? 1.4 : Math.round(10 + 22 * Math.max(0, Math.min(1, weight))) / 10;
};

/** @param {{a: number, c: number}[]} route @param {'LR' | 'TB'} direction @param {boolean} isFelt by the pointer */
export function lineOf(edge, route, direction, classes, isFelt) {
  const end = route.at(-1);
  const short = edge.isRelation || edge.isGroup ? 0 : HEAD - 1;
  const d = pathOf(piecesOf([...route.slice(0, -1), { a: end.a - short, c: end.c }], direction));
  const kind = [
    'edge',
    edge.mark,
    VERSION_EDGES.has(edge.type) && 'versions',
    (edge.isRelation || edge.isGroup) && 'relation',
    edge.cycle_cut && 'cut',
    isByPlace(edge) && 'by-place',
    ...classes,
  ];
  return svg(
    'g',
    { class: kind.filter(Boolean).join(' '), 'data-id': edge.key, 'data-ends': `${edge.cause}\n${edge.effect}` },
    isFelt && svg('path', { class: 'felt', d }),
    svg('path', { class: 'wire', d, 'stroke-width': widthOf(edge) }),
    short > 0 && svg('path', { class: 'head', d: headAt(end, direction) }),
  );
}

function headAt({ a, c }, direction) {
  const at = (along, across) =>
    direction === 'LR' ? `${round(along)} ${round(across)}` : `${round(across)} ${round(along)}`;
  return `M${at(a - HEAD, c - HEAD / 2)}L${at(a, c)}L${at(a - HEAD, c + HEAD / 2)}Z`;
}
