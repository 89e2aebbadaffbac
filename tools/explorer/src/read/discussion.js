// The page of a discussion: its rounds as a conversation of three personas, with summaries where they were made.
import { h } from '../dom.js';
import { countText, plural, timeText } from '../form.js';
import { cut, shortId } from '../vocabulary.js';
import { effects, historySection, timeFact } from './generic.js';
import { nodeLine, pageLink, titleOf } from './names.js';
import { bounded, plainText } from './texts.js';

const ROUNDS = 10;
const VOICES = [
  ['analyzerResponse', 'Analyzer AI', 'analyzer'],
  ['solverResponse', 'Solver AI', 'solver'],
  ['moderatorResponse', 'Moderator AI', 'moderator'],
];

export function discussionPage(view) {
  if (view.node.type === 'Discussion') return wholePage(view);
  return view.node.type === 'DiscussionRound' ? roundPage(view) : summaryPage(view);
}

const part = (text) => text.replaceAll('%', '%25').replaceAll('/', '%2F');

/** The ref of the discussion that a round or a summary is part of. */
const wholeOf = ({ userId, discussionId }) => `Discussion:${part(userId)}/${part(discussionId)}`;

async function wholePage(view) {
  const { node, ask } = view;
  const { record = {} } = node;
  // Without the record its name still says whose it is.
  const [userId, discussionId] = node.id.split('/').map(decodeURIComponent);
  const state = await ask.optional('discussion.get', { userId, discussionId });
  return {
    title: record.topic ? cut(record.topic, 160) : shortId(discussionId, 60),
    facts: [
      ['of', h('bdi', {}, userId)],
      timeFact(node, 'began'),
      state && [
        'rounds',
        `${countText(state.rounds)} complete${state.currentRound ? `, round ${state.currentRound} is open` : ''}`,
      ],
      state && ['tokens', countText(state.tokenCount)],
    ],
    chips: [
      record.isResolved && h('span', { class: 'chip good' }, 'resolved'),
      record.needsUserInput && h('span', { class: 'chip deprecated' }, 'needs an answer'),
    ],
    sections: [
      { name: 'rounds', title: 'Rounds', body: () => rounds(view, userId, discussionId, state) },
      { name: 'effects', title: 'What came of it', body: () => effects(view, node.ref) },
      historySection(view),
    ],
  };
}

async function rounds(view, userId, discussionId, state) {
  const { ask } = view;
  const key = 'rounds';
  const where = { userId, discussionId };
  const [found, summaries] = await Promise.all([
    ask.find('DiscussionRound', where, { by: 'roundNumber' }, view.limit(key, ROUNDS) + 1),
    ask.find('SummaryEntry', where, { by: 'roundNumber' }, 1000),
  ]);
  if (found.length === 0) return h('p', { class: 'faint' }, 'No round of it is recorded yet.');
  const after = new Map(summaries.map((each) => [each.record?.roundNumber ?? Number(each.id.split('/').at(-1)), each]));
  const total = state ? state.rounds + (state.currentRound ? 1 : 0) : found.length;
  return h(
    'ol',
    { class: 'plain rounds' },
    bounded(
      view,
      key,
      found,
      ROUNDS,
      (round, i) => {
        const number = round.record?.roundNumber ?? Number(round.id.split('/').at(-1));
        return h(
          'li',
          { 'data-entry': i, 'data-ref': round.ref },
          h(
            'h3',
            {},
            pageLink(round.ref, `Round ${number}`),
            round.record?.timestamp !== undefined && h('span', { class: 'notes' }, timeText(round.record.timestamp)),
          ),
          voices(view, round),
          after.has(number) && summaryBlock(view, after.get(number)),
        );
      },
      Math.max(total, found.length),
    ),
  );
}

/** What the three said, then what was asked and answered. */
function voices(view, round) {
  const { record } = round;
  if (!record) return h('p', { class: 'faint' }, round.purged ? 'Its content was purged.' : 'Its content has expired.');
  const spoken = VOICES.filter(([member]) => record[member]);
  return [
    spoken.map(([member, name, kind]) =>
      h(
        'div',
        { class: `voice ${kind}` },
        h('p', { class: 'who' }, h('b', {}, record[member].persona ?? name)),
        plainText(view, `${round.id} ${kind}`, record[member].content, { first: 3000 }),
      ),
    ),
    spoken.length < VOICES.length &&
      h('p', { class: 'faint' }, `The round is open: ${VOICES[spoken.length][1]} speaks next.`),
    record.questions &&
      view.fold(
        `questions ${round.id}`,
        'Questions to the user',
        h('pre', { class: 'xml', tabindex: 0 }, JSON.stringify(record.questions, null, 2).slice(0, 20_000)),
        { kind: 'small' },
      ),
    record.userAnswers?.length > 0 && [
      h('p', { class: 'who' }, h('b', {}, 'The user answered')),
      h(
        'ol',
        { class: 'answers' },
        record.userAnswers.slice(0, 100).map((answer) => h('li', { dir: 'auto' }, answer)),
      ),
    ],
  ];
}

function summaryBlock(view, entry) {
  const { record } = entry;
  return h(
    'div',
    { class: 'summary-block', 'data-ref': entry.ref },
    h(
      'p',
      { class: 'who' },
      h('b', {}, pageLink(entry.ref, 'Summary up to here')),
      record &&
        h(
          'span',
          { class: 'notes' },
          `stands for ${plural(record.replacesRounds.length, 'round')}, `,
          `${countText(record.tokenCountBefore)} → ${countText(record.tokenCountAfter)} tokens`,
        ),
    ),
    record
      ? plainText(view, `summary ${entry.id}`, record.summary, { first: 3000 })
      : h('p', { class: 'faint' }, 'Its content is gone.'),
  );
}

async function roundPage(view) {
  const { node, ask } = view;
  const { record } = node;
  const [userId, discussionId, number] = node.id.split('/').map(decodeURIComponent);
  const whole = wholeOf({ userId, discussionId });
  const known = await ask.nodes([whole], ['record']);
  const own = Number(number);
  const beside = await ask.find(
    'DiscussionRound',
    { userId, discussionId, roundNumber: { in: [own - 1, own + 1] } },
    { by: 'roundNumber' },
    2,
    [],
  );
  return {
    title: `Round ${number} of ${known.has(whole) ? titleOf(known.get(whole), 100) : discussionId}`,
    facts: [
      ['discussion', pageLink(whole, known.has(whole) ? titleOf(known.get(whole), 60) : discussionId)],
      timeFact(node),
    ],
    sections: [
      { name: 'round', title: 'What was said', body: voices(view, node) },
      { name: 'effects', title: 'What came of it', body: () => effects(view, node.ref) },
      beside.length > 0 && {
        name: 'beside',
        title: 'Before and after',
        body: h(
          'ul',
          { class: 'plain' },
          beside.map((each) => h('li', {}, pageLink(each.ref, `Round ${each.id.split('/').at(-1)}`))),
        ),
      },
      historySection(view),
    ].filter(Boolean),
    record,
  };
}

async function summaryPage(view) {
  const { node, ask } = view;
  const { record } = node;
  const [userId, discussionId, number] = node.id.split('/').map(decodeURIComponent);
  const whole = wholeOf({ userId, discussionId });
  const replaced = record
    ? record.replacesRounds.slice(0, 50).map((each) => `DiscussionRound:${part(userId)}/${part(discussionId)}/${each}`)
    : [];
  const nodes = await ask.nodes(replaced, ['record']);
  return {
    title: `Summary up to round ${number}`,
    facts: [
      ['discussion', pageLink(whole, discussionId)],
      timeFact(node),
      record && ['tokens', `${countText(record.tokenCountBefore)} → ${countText(record.tokenCountAfter)}`],
    ],
    sections: [
      record && { name: 'text', title: 'Text', body: plainText(view, 'text', record.summary) },
      nodes.size > 0 && {
        name: 'replaces',
        title: 'Stands for',
        body: h(
          'ul',
          { class: 'plain' },
          [...nodes.values()].map((each) => h('li', {}, nodeLine(each))),
        ),
      },
      { name: 'effects', title: 'What came of it', body: () => effects(view, node.ref) },
      historySection(view),
    ].filter(Boolean),
  };
}
