// A type's shape in its colours, as a small picture for lists and the legend.
import { svg } from '../dom.js';
import { coloursOf } from './theme.js';
import { typeOf } from '../vocabulary.js';

export function glyph(typeName) {
  const { outline, fill } = coloursOf(typeName);
  const picture = svg('svg', { viewBox: '-1.25 -1.25 2.5 2.5', class: 'glyph', 'aria-hidden': 'true' });
  picture.append(outlineOf(typeName, { fill, stroke: outline, 'stroke-width': 0.2, 'stroke-linejoin': 'round' }));
  return picture;
}

/** The outline of a type's shape as an SVG element, `half` wide and high each way from `x`, `y`. */
export function outlineOf(typeName, attributes, x = 0, y = 0, half = 1) {
  const { outline } = typeOf(typeName);
  if (outline === null) return svg('ellipse', { cx: x, cy: y, rx: half, ry: half, ...attributes });
  if (outline === 'round') {
    const box = { x: x - half * 1.05, y: y - half * 0.8, width: half * 2.1, height: half * 1.6, rx: half * 0.35 };
    return svg('rect', { ...box, ...attributes });
  }
  const points = [];
  for (let i = 0; i < outline.length; i += 2) points.push(`${x + outline[i] * half},${y + outline[i + 1] * half}`);
  return svg('polygon', { points: points.join(' '), ...attributes });
}
