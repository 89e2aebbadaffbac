// Which columns of cards are one step of influence: those that stand as close as the columns of one long layer; and the order of the
// cards in them.
import { COLUMN_GAP } from './gaps.js';

/**
 * @param {Map<string, {a: number, c: number}>} places @param {{a: number, c: number}} size of a card
 * @param {(ref: string) => {isGroup?: boolean, count?: number}} nodeOf what is drawn at a place: a node, or a group of `count` nodes
 * @returns {{a: number, c: number, along: number, across: number, count: number, isAtMost: boolean}[]} the box of each step of several
 *   columns with the number of its nodes, at most so many where a node may be in several groups
 */
export function blocksOf(places, size, nodeOf) {
  const columns = new Map();
  for (const [ref, { a, c }] of places) (columns.get(a) ?? columns.set(a, []).get(a)).push({ c, node: nodeOf(ref) });
  const blocks = [];
  let block = null;
  for (const a of [...columns.keys()].sort((x, y) => x - y)) {
    const isNext = block && Math.abs(a - block.last - size.a - COLUMN_GAP) < 1;
    if (!isNext) blocks.push((block = { first: a, columns: 0, all: [] }));
    block.last = a;
    block.columns += 1;
    block.all.push(...columns.get(a));
  }
  return blocks
    .filter((each) => each.columns > 1)
    .map(({ first, last, all }) => {
      const heights = all.map(({ c }) => c);
      return {
        a: first - size.a / 2,
        c: Math.min(...heights) - size.c / 2,
        along: last - first + size.a,
        across: Math.max(...heights) - Math.min(...heights) + size.c,
        count: all.reduce((sum, { node }) => sum + (node?.isGroup ? node.count : 1), 0),
        isAtMost: all.filter(({ node }) => node?.isGroup).length > 1,
      };
    });
}

/** Tells of a card whether all its edges are relations without influence: a rating, a person. */
export function relatedOnly(edges) {
  const ends = (wanted) => new Set(edges.filter(([, , isRelation]) => Boolean(isRelation) === wanted).flatMap(([cause, effect]) => [cause, effect]));
  const [influenced, related] = [ends(false), ends(true)];
  return ({ ref }) => related.has(ref) && !influenced.has(ref);
}

/** In a step what has influence is above what has none. */
export const influenceFirst = (layer, isRelated) => [...layer.filter((place) => !isRelated(place)), ...layer.filter(isRelated)];
