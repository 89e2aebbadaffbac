// Writes the picture as an SVG document of its own: shapes, lines and labels from the places on the stage.
import { svg } from '../dom.js';
import { outlineOf } from './glyph.js';
import { palette } from './theme.js';

const MARGIN = 60;
const LINE_MAX = 22;

/** @param {import('cytoscape').Core} cy @returns {string} */
export function svgOf(cy) {
  const box = cy.elements().boundingBox();
  const view = [box.x1 - MARGIN, box.y1 - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN].map(Math.round);
  const colours = palette();
  const root = svg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: view.join(' '),
    width: view[2],
    height: view[3],
  });
  root.append(svg('rect', { x: view[0], y: view[1], width: view[2], height: view[3], fill: colours.ground }));
  root.append(arrowHead());
  for (const edge of cy.edges()) root.append(lineOf(edge));
  for (const node of cy.nodes()) root.append(node.data('stub') ? stubOf(node, colours) : shapeOf(node, colours));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

function arrowHead() {
  const marker = svg('marker', {
    id: 'arrow',
    viewBox: '0 0 8 8',
    refX: 7,
    refY: 4,
    markerWidth: 8,
    markerHeight: 8,
    markerUnits: 'userSpaceOnUse',
    orient: 'auto',
  });
  marker.append(svg('path', { d: 'M0 0L8 4L0 8z', fill: 'context-stroke' }));
  return svg('defs', {}, marker);
}

function lineOf(edge) {
  const colours = palette();
  const [from, to, middle] = [edge.sourceEndpoint(), edge.targetEndpoint(), edge.midpoint()];
  const path = svg('path', {
    d: `M${at(from)}${way(edge, from, to, middle)}`,
    fill: 'none',
    stroke: edge.style('line-color'),
    'stroke-width': round(edge.numericStyle('width')),
    'stroke-linejoin': 'round',
    'marker-end': 'url(#arrow)',
    'stroke-dasharray': edge.style('line-style') === 'dashed' ? '6 4' : null,
  });
  path.append(svg('title', {}, edge.data('label')));
  const label = edge.hasClass('labelled') && textAt(edge.data('label'), middle.x, middle.y + 3, colours.faint, 9);
  return svg('g', { opacity: edge.numericStyle('opacity') }, path, label);
}

/** Through the points where an edge turns, or as the curve through its middle. */
function way(edge, from, to, middle) {
  const points = edge.segmentPoints();
  if (points?.length) return [...points, to].map((point) => `L${at(point)}`).join('');
  // A quadratic curve passes its middle when its control point lies as far beyond it as the chord's middle before it.
  const bend = { x: 2 * middle.x - (from.x + to.x) / 2, y: 2 * middle.y - (from.y + to.y) / 2 };
  return `Q${at(bend)} ${at(to)}`;
}

/** Text with a margin in the colour of the ground, so that lines behind it do not strike it through. */
function textAt(text, x, y, colour, size = 11) {
  const halo = { stroke: palette().ground, 'stroke-width': 3, 'paint-order': 'stroke' };
  const place = { x: round(x), y: round(y), 'text-anchor': 'middle', fill: colour, 'font-size': size };
  return svg('text', { ...place, ...halo, 'font-family': 'system-ui, sans-serif' }, text);
}

/** Lines of at most LINE_MAX characters, broken between words. */
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length <= LINE_MAX || lines.at(-1) === '') lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

function shapeOf(node, colours) {
  const { x, y } = node.position();
  const group = svg('g', { opacity: node.numericStyle('opacity') });
  group.append(svg('title', {}, node.id()));
  if (node.numericStyle('underlay-opacity') > 0) {
    group.append(
      svg('circle', {
        cx: round(x),
        cy: round(y),
        r: 24,
        fill: node.style('underlay-color'),
        opacity: node.numericStyle('underlay-opacity'),
      }),
    );
  }
  const look = {
    fill: node.style('background-color'),
    stroke: node.style('border-color'),
    'stroke-width': node.numericStyle('border-width'),
  };
  if (node.style('border-style') === 'dashed') look['stroke-dasharray'] = '4 3';
  group.append(outlineOf(node.data('type'), look, round(x), round(y), node.width() / 2));
  const lines = node.data('label').split('\n').flatMap(wrapped);
  const top = y + node.height() / 2 + 15;
  lines.forEach((line, i) => group.append(textAt(line, x, top + 13 * i, node.style('color') || colours.ink)));
  return group;
}

function stubOf(node, colours) {
  const { x, y } = node.position();
  return textAt(node.data('label'), x, y + 4, colours.faint, 10);
}

const round = (value) => Math.round(value * 10) / 10;
const at = (point) => `${round(point.x)} ${round(point.y)}`;
