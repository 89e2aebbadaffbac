// The legend: types in the picture with their counts, and what colours of edges and marks mean.
import { byId, h, show } from '../dom.js';
import { countText } from '../form.js';
import { glyph } from './glyph.js';
import { TYPES, typeName } from '../vocabulary.js';

export function showLegend(nodes, { isCompared, isHighlighted }) {
  const counts = new Map();
  for (const node of nodes) counts.set(node.type, (counts.get(node.type) ?? 0) + 1);
  const order = Object.keys(TYPES);
  const types = [...counts.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const row = (mark, text, count = '') => h('div', { class: 'row' }, mark, text, h('span', { class: 'count' }, count));
  const wire = (kind) => h('span', { class: `wire ${kind}` });
  const sign = (kind, text) => h('b', { class: kind }, text);
  show(
    byId('legend-entries'),
    types.map((type) => row(glyph(type), typeName(type), countText(counts.get(type)))),
    isHighlighted && [row(wire('ancestor'), 'ancestors'), row(wire('descendant'), 'descendants')],
    isCompared && [
      row(sign('added', '+'), 'added'),
      row(sign('removed', '−'), 'removed'),
      row(sign('reweighted', '~'), 'other weight'),
    ],
    h('div', {}, 'wider edges weigh more'),
  );
}
