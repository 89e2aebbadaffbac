// Two answers side by side: what they say, and what each was made from that the other was not.
import { h } from '../../dom.js';
import { countText, plural, shortNumber } from '../../form.js';
import { now } from '../../state.js';
import { wordsElsewhere } from '../../pages/acts.js';
import { nodeLine, pageLink, titleOf } from '../names.js';
import { callsOf, plainText } from '../texts.js';

const LISTED = 1000;
const SHOWN = 20;

/** What the most of an answer rests on, first. */
export const strongestFirst = (nodes) => [...nodes].sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0));

/** What a server's comparison by words found, as one text. */
export const wordsDiff = ({ parts, coarse }) => [
  h(
    'div',
    { class: 'text diff', dir: 'auto' },
    parts.map(({ op, text }) => (op === 'added' ? h('ins', {}, text) : op === 'removed' ? h('del', {}, text) : text)),
  ),
  coarse && h('p', { class: 'faint' }, 'Too much differs to be compared word by word.'),
];

/** What two answers of which one calls tools say, one below the other; null of two texts. */
function callsBeside(view, pair) {
  const texts = pair.map(({ record }) => record?.answer ?? record?.content ?? '');
  const calls = texts.map((text, i) => callsOf(view, `compared ${i}`, text));
  if (!calls.some(Boolean)) return null;
  return calls.map((each, i) => h('section', {}, h('h3', {}, i ? 'The second' : 'The first'), each ?? plainText(view, `compared ${i}`, texts[i])));
}

/** What both say, and where they differ. */
function textsOf(view, pair, found) {
  if (!found) return { body: h('p', { class: 'faint' }, 'The text of one of them is not known.') };
  if (found.same) return { body: h('p', {}, 'Both say the same.') };
  const calls = callsBeside(view, pair);
  return calls ? { body: calls } : { note: ' struck out: the first alone, underlined: the second alone', body: wordsDiff(found) };
}

export async function sideBySide(view, other) {
  const { ask, node } = view;
  const [found, pair] = await Promise.all([
    ask.withRecords('lineage.diff', { a: node.ref, b: other, limit: LISTED, include: ['record', 'status'] }),
    ask.withRecords('node.get', { ref: other, include: ['record', 'status'] }),
  ]);
  const second = pair.nodes[0];
  for (const each of [node, second]) each.title ??= (await wordsElsewhere(ask.rpc, each, now().as_of).catch(() => '')) || undefined;
  const asked = [
    ...found.common.slice(0, LISTED).map(({ ref }) => ref),
    ...found.versions.flatMap(({ a, b }) => [a, b]),
    ...found.moved.map(({ ref }) => ref),
  ];
  const known = await ask.nodes([...new Set(asked)].slice(0, LISTED));
  const line = (ref, ...notes) => h('li', {}, nodeLine(known.get(ref) ?? { ref }, ...notes));
  const list = (key, items) => {
    if (items.length === 0) return null;
    const first = items.slice(0, SHOWN);
    const rest = items.slice(SHOWN);
    return [
      h('ul', { class: 'plain' }, first),
      rest.length > 0 &&
        view.fold(`more ${key}`, `${countText(rest.length)} more`, h('ul', { class: 'plain' }, rest), { kind: 'small' }),
    ];
  };
  const own = (nodes) => strongestFirst(nodes).map((each) => h('li', {}, nodeLine(each, `weight ${shortNumber(each.weight)}`)));
  const section = (name, title, note, body) => body && { name, title, note, body };
  const isSame = !found.added.length && !found.removed.length;
  return {
    kind: 'Two answers compared',
    title: titleOf(node, 120),
    lead: ['beside ', pageLink(second.ref, titleOf(second, 120))],
    facts: [
      ['first', pageLink(node.ref, node.ref)],
      ['second', pageLink(second.ref, second.ref)],
      ['in common', plural(found.common.length, 'node')],
    ],
    notices: !found.complete && h('p', { class: 'callout' }, 'Not all is listed: they rest on too much.'),
    sections: [
      { name: 'texts', title: 'What they say', ...textsOf(view, [node, second], found.text) },
      section('removed', 'Only the first rests on', null, list('removed', own(found.removed))),
      section('added', 'Only the second rests on', null, list('added', own(found.added))),
      isSame && section('nothing', 'What they rest on', null, h('p', {}, 'Both rest on the same.')),
      section(
        'versions',
        'In other versions',
        null,
        list(
          'versions',
          found.versions.map(({ a, b, words }) =>
            h(
              'li',
              {},
              nodeLine(known.get(a) ?? { ref: a }),
              h('p', { class: 'sub-line' }, 'the second has ', pageLink(b, titleOf(known.get(b) ?? { ref: b }, 80))),
              words && !words.same && wordsDiff(words),
            ),
          ),
        ),
      ),
      section(
        'moved',
        'At another place in the prompt',
        null,
        list(
          'moved',
          found.moved.map(({ ref, place_a: a, place_b: b }) => line(ref, `${a} → ${b}`)),
        ),
      ),
      section(
        'common',
        'In common',
        null,
        list(
          'common',
          found.common.map(({ ref, before, after }) =>
            line(ref, before === after ? null : `weight ${shortNumber(before)} → ${shortNumber(after)}`),
          ),
        ),
      ),
    ].filter(Boolean),
  };
}
