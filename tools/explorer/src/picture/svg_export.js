// Writes the picture as a document of its own, and as pixels: the drawing with the looks that the style sheet gives it.
import { svg } from '../dom.js';
import { palette } from './theme.js';

const MARGIN = 40;
const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'opacity',
  'font-size',
  'font-weight',
  'font-family',
  'text-anchor',
  'paint-order',
];
/** What a look is where an element does not say; it is left out of the document. */
const USUAL = {
  'fill-opacity': '1',
  stroke: 'none',
  'stroke-dasharray': 'none',
  'stroke-linejoin': 'miter',
  opacity: '1',
  'text-anchor': 'start',
  'paint-order': 'normal',
};

const viewOf = ({ x, y, width, height }) =>
  [x - MARGIN, y - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN].map(Math.round);

/** The parts of the drawing that are seen, each with its looks. */
function seen(element) {
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility === 'hidden') return null;
  return style;
}

/** @param {SVGElement} drawing @param {{x: number, y: number, width: number, height: number}} bounds @returns {string} */
export function svgOf(drawing, bounds) {
  const view = viewOf(bounds);
  const root = svg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: view.join(' '),
    width: view[2],
    height: view[3],
  });
  root.append(svg('rect', { x: view[0], y: view[1], width: view[2], height: view[3], fill: palette().ground }));
  for (const part of drawing.firstElementChild.children) root.append(copyOf(part));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

function copyOf(element) {
  const style = seen(element);
  if (!style) return '';
  const copy = element.cloneNode(false);
  for (const name of ['class', 'data-id', 'data-ends', 'data-side', 'data-of']) copy.removeAttribute(name);
  if (element.tagName === 'g') {
    if (style.opacity !== '1') copy.setAttribute('opacity', style.opacity);
    for (const child of element.children) copy.append(copyOf(child));
    if (element.dataset.id) copy.prepend(svg('title', {}, element.dataset.id));
    return copy;
  }
  for (const name of LOOKS) {
    const value = style.getPropertyValue(name);
    if (value && value !== USUAL[name]) copy.setAttribute(name, value);
  }
  copy.append(...[...element.childNodes].map((child) => child.cloneNode(true)));
  return copy;
}

/** At most as many pixels wide and high. */
const PIXELS_MAX = 6000;

/** The drawing as a PNG. It is painted by hand: the content security policy allows no image from a script. */
export function pngOf(drawing, bounds) {
  const [x, y, width, height] = viewOf(bounds);
  const scale = Math.min(2, PIXELS_MAX / width, PIXELS_MAX / height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d');
  context.fillStyle = palette().ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  context.translate(-x, -y);
  for (const part of drawing.firstElementChild.children) paint(context, part);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

function paint(context, element) {
  const style = seen(element);
  if (!style || element.tagName === 'title') return;
  context.save();
  context.globalAlpha *= Number(style.opacity);
  const [, dx, dy] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(element.getAttribute('transform') ?? '') ?? [];
  if (dx !== undefined) context.translate(Number(dx), Number(dy));
  if (element.tagName === 'g') for (const child of element.children) paint(context, child);
  else if (element.tagName === 'text') paintText(context, element, style);
  else paintShape(context, shapeOf(element), style);
  context.restore();
}

function paintShape(context, shape, style) {
  const dashes = style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat);
  context.setLineDash(dashes);
  context.lineJoin = style.strokeLinejoin;
  context.lineWidth = parseFloat(style.strokeWidth);
  if (style.fill !== 'none') {
    context.fillStyle = style.fill;
    context.fill(shape);
  }
  if (style.stroke !== 'none' && context.lineWidth > 0) {
    context.strokeStyle = style.stroke;
    context.stroke(shape);
  }
}

function paintText(context, element, style) {
  const [x, y] = [Number(element.getAttribute('x')), Number(element.getAttribute('y'))];
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.textAlign = style.textAnchor === 'middle' ? 'center' : style.textAnchor === 'end' ? 'right' : 'left';
  if (style.stroke !== 'none') {
    context.lineJoin = 'round';
    context.strokeStyle = style.stroke;
    context.lineWidth = parseFloat(style.strokeWidth);
    context.strokeText(element.textContent, x, y);
  }
  context.fillStyle = style.fill;
  context.fillText(element.textContent, x, y);
}

function shapeOf(element) {
  const number = (name) => Number(element.getAttribute(name) ?? 0);
  const shape = new Path2D(element.tagName === 'path' ? element.getAttribute('d') : undefined);
  if (element.tagName === 'rect') {
    const box = [number('x'), number('y'), number('width'), number('height')];
    if (shape.roundRect) shape.roundRect(...box, number('rx'));
    else shape.rect(...box);
  } else if (element.tagName === 'ellipse')
    shape.ellipse(number('cx'), number('cy'), number('rx'), number('ry'), 0, 0, 2 * Math.PI);
  else if (element.tagName === 'polygon') {
    const points = element
      .getAttribute('points')
      .split(' ')
      .map((each) => each.split(',').map(Number));
    points.forEach(([x, y], i) => (i ? shape.lineTo(x, y) : shape.moveTo(x, y)));
    shape.closePath();
  }
  return shape;
}
