// Which columns of cards are one step of influence: those that stand as close as the columns of one long layer.
import { COLUMN_GAP } from './gaps.js';

/**
 * @param {Map<string, {a: number, c: number}>} places @param {{a: number, c: number}} size of a card
 * @returns {{a: number, c: number, along: number, across: number, count: number}[]} the box of each step of several columns
 */
export function blocksOf(places, size) {
  const columns = new Map();
  for (const { a, c } of places.values()) (columns.get(a) ?? columns.set(a, []).get(a)).push(c);
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
    .map(({ first, last, all }) => ({
      a: first - size.a / 2,
      c: Math.min(...all) - size.c / 2,
      along: last - first + size.a,
      across: Math.max(...all) - Math.min(...all) + size.c,
      count: all.length,
    }));
}
