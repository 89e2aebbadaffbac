// What was made straight from a unit: the largest weights first, or as groups where the server counts them.
import { h } from '../dom.js';
import { countText, shortNumber, timeText } from '../form.js';
import { nodeLine } from './names.js';
import { bounded, boundedFound } from './texts.js';

const SHOWN = 10;
const GROUPS = 30;
const GROUPINGS = [
  ['', 'one by one'],
  ['agent', 'by agent'],
  ['model', 'by model'],
  ['month', 'by month'],
  ['score', 'by rating'],
];

export async function uses(view) {
  const { ref } = view.node;
  const near = (more) => ({ ref, side: 'effects', edge_types: ['USED_IN'], type: 'Response', ...more });
  const counted = await view.ask.optional('node.neighbors', near({ limit: 1 }));
  if (!counted) return oneByOne(view, null);
  if (counted.total === 0) return null;
  if (counted.total <= SHOWN) return oneByOne(view, counted.total);
  const chosen = view.held('uses', () => ({ by: '' }));
  return [
    h(
      'p',
      { class: 'version-choice', 'data-copy': 'no' },
      h(
        'label',
        {},
        `${countText(counted.total)} responses `,
        h(
          'select',
          {
            id: 'uses-by',
            onchange: ({ target }) => {
              chosen.by = target.value;
              view.page.again('#uses-by');
            },
          },
          GROUPINGS.map(([value, text]) => h('option', { value, selected: value === chosen.by }, text)),
        ),
      ),
    ),
    chosen.by === '' ? await oneByOne(view, counted.total) : await groups(view, chosen.by, near),
  ];
}

/** Uses by weight; `count` is how many there are, null where the server does not say. */
async function oneByOne(view, count) {
  const key = 'uses';
  const wanted = view.limit(key, SHOWN);
  const { ref } = view.node;
  const [answer, graph] = await Promise.all([
    view.ask
      .withRecords('lineage.descendants', {
        ref,
        depth: 1,
        edge_types: ['USED_IN'],
        limit: wanted + 1,
        include: ['record'],
      })
      .catch(() => null),
    count === null ? view.ask.optional('lineage.graph', { ref, up: 0, down: 1, limit: 1 }) : null,
  ]);
  if (!answer?.nodes.length) return null;
  const most = count ?? graph?.frontier[0]?.effects ?? 0;
  const all = answer.complete ? answer.nodes.length : Math.max(answer.nodes.length, most);
  return h('ul', { class: 'plain' }, bounded(view, key, answer.nodes, SHOWN, useLine, all));
}

const useLine = (each, i) =>
  h(
    'li',
    { 'data-entry': i },
    nodeLine(
      each,
      each.weight !== undefined && h('span', { title: 'The weight it was used with' }, `weight ${shortNumber(each.weight)}`),
      each.record?.timestamp && timeText(each.record.timestamp),
    ),
  );

/** Groups as bars; each opens to its responses, the newest first. */
async function groups(view, by, near) {
  const answer = await view.ask.optional('node.neighbors', near({ group_by: by, limit: GROUPS }));
  if (!answer) return h('p', { class: 'faint' }, 'The server did not count them.');
  const most = Math.max(...answer.groups.map(({ count }) => count));
  return [
    h(
      'ul',
      { class: 'plain groups' },
      answer.groups.map(({ value, count }) => {
        const bar = h('i');
        bar.style.width = `${Math.max(1, (100 * count) / most)}%`;
        const name = groupName(by, value);
        const where = value === null ? null : whereOf(by, value);
        const key = `group ${by} ${value}`;
        return h(
          'li',
          {},
          h(
            'div',
            { class: 'group' },
            h('bdi', {}, name),
            h('span', { class: 'meter', 'aria-hidden': 'true' }, bar),
            h('b', {}, countText(count)),
          ),
          where && view.fold(key, `The newest of ${name}`, () => members(view, key, near, where), { kind: 'small' }),
        );
      }),
    ),
    answer.other > 0 && h('p', { class: 'faint' }, `${countText(answer.other)} in further groups`),
  ];
}

async function members(view, key, near, where) {
  const limit = view.limit(key, SHOWN) + 1;
  const order = { by: 'time', desc: true };
  const answer = await view.ask
    .withRecords('node.neighbors', near({ where, order, limit, include: ['record'] }))
    .catch(() => null);
  return h('ul', { class: 'plain' }, boundedFound(view, key, answer?.nodes ?? [], SHOWN, useLine));
}

export function groupName(by, value) {
  if (by === 'score') return value === null ? 'not rated' : `${shortNumber(value)} to ${shortNumber(value + 0.2)}`;
  return value === null ? 'without' : String(value);
}

/** The condition that the members of a group meet, null where none says it. */
export function whereOf(by, value) {
  if (by === 'score') return null;
  if (by !== 'month') return { [by]: value };
  const [year, month] = value.split('-').map(Number);
  const start = (months) => new Date(Date.UTC(year, month - 1 + months, 1)).toISOString();
  return { timestamp: { gte: start(0), lt: start(1) } };
}
