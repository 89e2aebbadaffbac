// Where the labels of edges stand: on a part of the route between cards, on no card and on no other label.

/** Shares of the way through a turn at which a label is tried: the middle first, or the end where fewer lines meet. */
const TRIED = { middle: [0.5, 0.4, 0.6, 0.3, 0.7], end: [0.7, 0.6, 0.5, 0.4, 0.3] };

/**
 * @param {{key: string, pieces: {x: number, y: number}[][], width: number, leans: number}[]} lines with the width of
 *   their labels; `leans` is 1 where fewer lines meet at the effect than at the cause, -1 where more do
 * @param {{x: number, y: number, width: number, height: number}[]} cards
 * @returns {Map<string, {x: number, y: number}>} the middle of each label that has a free place
 */
export function placeLabels(lines, cards, height) {
  const taken = [...cards];
  const found = new Map();
  for (const { key, pieces, width, leans } of lines) {
    const box = candidates(pieces, leans)
      .map(({ x, y }) => ({ x: x - width / 2, y: y - height / 2, width, height }))
      .find((each) => taken.every((other) => !touch(each, other)));
    if (!box) continue;
    taken.push(box);
    found.set(key, { x: box.x + width / 2, y: box.y + height / 2 });
  }
  return found;
}

/** Points of the route's turns, from the end where fewer lines meet. */
function candidates(pieces, leans) {
  const turns = pieces.filter((_, i) => i % 2 === 0);
  if (leans >= 0) turns.reverse();
  const tried = leans === 0 ? TRIED.middle : TRIED.end;
  return turns.flatMap((piece) => tried.map((share) => pointAt(piece, leans < 0 ? 1 - share : share)));
}

export function pointAt(piece, t) {
  const u = 1 - t;
  const mix = (k) =>
    piece.length === 2
      ? u * piece[0][k] + t * piece[1][k]
      : u ** 3 * piece[0][k] + 3 * u * u * t * piece[1][k] + 3 * u * t * t * piece[2][k] + t ** 3 * piece[3][k];
  return { x: mix('x'), y: mix('y') };
}

const touch = (p, q) => p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height;
