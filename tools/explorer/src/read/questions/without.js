// What answers would lose if a source had not been there.
import { h } from '../../dom.js';
import { countText, percent, plural } from '../../form.js';
import { nodeLine, roleOf } from '../names.js';

const SHOWN = 8;

export const withoutSection = (view) => ({
  name: 'without',
  title: 'What if it had not been there',
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
  const kind = roleOf(view.node) ?? 'source';
  const said = [
    lost > 0 && `${plural(lost, 'answer')} would have no ${kind} left.`,
    weakened > 0 && `${plural(weakened, lost ? 'other' : 'answer')} would lose a part of what ${weakened === 1 ? 'it rests' : 'they rest'} on.`,
  ];
  return [
    h('p', {}, said.filter(Boolean).join(' ')),
    h(
      'ul',
      { class: 'plain' },
      found.answers.map((each) =>
        h('li', {}, nodeLine(each, each.effect === 'lost' ? `no ${kind} left` : `loses ${percent(each.lost)}`)),
      ),
      rest > 0 && h('li', { class: 'faint' }, `and ${countText(rest)} more`),
    ),
  ];
}
