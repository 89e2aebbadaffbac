// Where the labels of edges stand: on a part of the route between cards, on no card and on no other label.

/** Shares of the way through a piece at which a label is tried, the middle first. */
const TRIED = [0.5, 0.38, 0.62, 0.26, 0.74];

/**
 * @param {{key: string, pieces: {x: number, y: number}[][], width: number}[]} lines with the width of their labels
 * @param {{x: number, y: number, width: number, height: number}[]} cards
 * @returns {Map<string, {x: number, y: number}>} the middle of each label that has a free place
 */
export function placeLabels(lines, cards, height) {
  const taken = [...cards];
  const found = new Map();
  for (const { key, pieces, width } of lines) {
    const box = candidates(pieces)
      .map(({ x, y }) => ({ x: x - width / 2, y: y - height / 2, width, height }))
      .find((each) => taken.every((other) => !touch(each, other)));
    if (!box) continue;
    taken.push(box);
    found.set(key, { x: box.x + width / 2, y: box.y + height / 2 });
  }
  return found;
}

/** Points of the route's turns, the last turn first, because that is nearest to what the edge leads to. */
function candidates(pieces) {
  const turns = pieces.filter((_, i) => i % 2 === 0).reverse();
  return turns.flatMap((piece) => TRIED.map((share) => pointAt(piece, share)));
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
