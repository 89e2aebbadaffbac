// The legend: types in the picture with their counts, each a switch that takes its nodes out, and what lines and marks mean.
import { byId, h, show } from '../dom.js';
import { countText } from '../form.js';
import { glyph } from './glyph.js';
import { DIFFERENCES } from './card_words.js';
import { isByPlace } from './line.js';
import { TYPES, typeName } from '../vocabulary.js';

const MEANINGS = [
  ['plain', 'influence; wider weighs more'],
  ['versions', 'versions'],
  ['relation', 'belongs together'],
];

/** Kinds of lines that few pictures have. */
const RARE = [
  ['cut', 'closes a cycle: no influence is counted', (edge) => edge.cycle_cut],
  ['by-place', 'known by its place alone', isByPlace],
];

/**
 * @param {object[]} nodes all that may be drawn, those of hidden types too @param {object[]} drawn those with a card
 * @param {{hide: string[], compared?: {kind: 'moments' | 'pair'}, edges: object[], toggle(type: string): void}} how
 */
export function showLegend(nodes, drawn, { hide, compared, edges, toggle }) {
  const counts = new Map();
  for (const { type } of nodes) counts.set(type, 0);
  for (const { type } of drawn) counts.set(type, counts.get(type) + 1);
  const order = Object.keys(TYPES);
  const types = [...counts.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const row = (mark, text) => h('div', { class: 'row' }, mark, text);
  show(
    byId('legend-entries'),
    types.map((type) =>
      h(
        'button',
        {
          type: 'button',
          class: 'row',
          'data-type': type,
          'aria-pressed': String(!hide.includes(type)),
          title: hide.includes(type) ? 'Show these' : 'Hide these',
          onclick: () => toggle(type),
        },
        glyph(type),
        typeName(type),
        h('span', { class: 'count' }, countText(counts.get(type))),
      ),
    ),
    [...MEANINGS, ...RARE.filter(([, , is]) => edges.some(is))].map(([kind, text]) => row(h('span', { class: `wire-sign ${kind}` }), text)),
    compared && Object.values(DIFFERENCES[compared.kind]).map((text) => row(null, text)),
    nodes.some(({ was }) => was) && row(null, 'now …: had another status'),
  );
}
