// What answers would lose if a source had not been there.
import { h } from '../../dom.js';
import { countText, percent, plural } from '../../form.js';
import { nodeLine } from '../names.js';

const SHOWN = 8;

export const withoutSection = (view) => ({
  name: 'without',
  title: 'Without',
  note: ' what answers would lose if it had not been there',
  body: () => without(view),
});

async function without(view) {
  const found = await view.ask
    .withRecords('impact.without', { refs: [view.node.ref], alternatives: false, limit: SHOWN, include: ['record'], timeout_ms: 5000 })
    .catch(() => null);
  if (!found) return null;
  const { lost, weakened } = found.counts;
  if (lost + weakened === 0) return h('p', { class: 'faint' }, 'Nothing: no answer rests on it.');
  const rest = lost + weakened - found.answers.length;
  return [
    h(
      'p',
      {},
      `${plural(lost, 'answer')} would have nothing left of its kind to rest on, ${countText(weakened)} would be weakened.`,
    ),
    h(
      'ul',
      { class: 'plain' },
      found.answers.map((each) =>
        h('li', {}, nodeLine(each, each.effect === 'lost' ? 'lost' : `weakened by ${percent(each.lost)}`)),
      ),
      rest > 0 && h('li', { class: 'faint' }, `and ${countText(rest)} more`),
    ),
  ];
}
