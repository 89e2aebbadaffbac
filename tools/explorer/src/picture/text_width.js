// How wide a text is on the screen, and its beginning that fits a width.
import { asNamed } from '../dom.js';

const context = document.createElement('canvas').getContext('2d');
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export function widthOf(text, size, weight = 400) {
  context.font = `${weight} ${size}px ${FONT}`;
  return context.measureText(asNamed(text)).width;
}

/** The text in at most `most` lines, broken between words; what does not fit ends in an ellipsis. */
export function linesOf(text, width, most, size, weight = 400) {
  context.font = `${weight} ${size}px ${FONT}`;
  const fits = (part) => context.measureText(part).width <= width;
  const lines = [];
  let rest = asNamed(text).trim();
  while (rest && lines.length < most) {
    if (fits(rest)) {
      lines.push(rest);
      break;
    }
    const isLast = lines.length === most - 1;
    const end = isLast ? '…' : '';
    let [from, to] = [1, Math.min(rest.length, 200)];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if (fits(rest.slice(0, middle) + end)) from = middle;
      else to = middle - 1;
    }
    // A surrogate pair stays whole.
    if (/[\ud800-\udbff]/.test(rest[from - 1]) && from > 1) from -= 1;
    const space = rest.lastIndexOf(' ', from);
    const at = space > from / 4 ? space : from;
    lines.push(rest.slice(0, at).trimEnd() + end);
    rest = rest.slice(at).trimStart();
  }
  return lines;
}
