// The pages of a person and of a session: the answers that were made for a person, the newest first, and the turns of a
// session in their order, over all traces.
import { h } from '../../dom.js';
import { countText, plural, timeText } from '../../form.js';
import { historySection } from '../generic.js';
import { firstWords, nodeLine, pageLink, titleOf } from '../names.js';
import { ratingLine } from '../ratings.js';
import { personalData } from './personal.js';
import { bounded, callsOf, failureOf, plainText, questionOf } from '../texts.js';
import { textOfAnswer, textsElsewhere, wordsElsewhere } from '../../pages/acts.js';

const ANSWERS = 20;
const TURNS = 20;
const OTHERS = 12;

export const personPage = (view) => (view.node.type === 'Person' ? person(view) : session(view));

async function person(view) {
  const { node, ask } = view;
  const [answers, ratings] = await Promise.all([
    ask.count('Response', { person: node.id }),
    ask.count('FeedbackRecord', { user_id: node.id }),
  ]);
  return {
    title: titleOf(node, 160),
    facts: [
      node.record?.name && ['id', h('bdi', {}, node.id)],
      ['answers', countText(answers)],
      ratings > 0 && ['ratings given', countText(ratings)],
    ],
    sections: [
      { name: 'answers', title: 'Answers', note: ' the newest first', body: () => newest(view, answers) },
      { name: 'personal', title: 'Personal data', body: personalData(view) },
      ratings > 0 && { name: 'ratings', title: 'Ratings given', body: () => ratingsGiven(view, ratings) },
      historySection(view),
    ].filter(Boolean),
  };
}

async function newest(view, count) {
  const wanted = view.limit('answers', ANSWERS);
  const found = await view.ask.find('Response', { person: view.node.id }, { by: 'timestamp', desc: true }, wanted);
  if (found.length === 0) return h('p', { class: 'faint' }, 'No answer names this person.');
  await Promise.all(found.map(async (each) => (each.title = (await wordsElsewhere(view.ask.rpc, each, view.ask.tx).catch(() => '')) || undefined)));
  const line = (each, i) =>
    h(
      'li',
      { 'data-entry': i },
      nodeLine(each, each.record?.conversation && pageLink(`Session:${each.record.conversation}`), timeText(each.record?.timestamp)),
    );
  return h('ul', { class: 'plain' }, bounded(view, 'answers', found, ANSWERS, line, count));
}

async function ratingsGiven(view, count) {
  const wanted = view.limit('ratings', OTHERS);
  const found = await view.ask.find('FeedbackRecord', { user_id: view.node.id }, { by: 'timestamp', desc: true }, wanted);
  const ratedBy = ({ record }) => record?.ref ?? (record?.response_id && `Response:${record.response_id}`);
  const rated = await view.ask.nodes([...new Set(found.map(ratedBy).filter(Boolean))]);
  const line = (each, i) => {
    const ref = ratedBy(each);
    const of = rated.get(ref);
    return h(
      'li',
      { 'data-entry': i },
      each.record ? ratingLine(each.record, timeText(each.record.timestamp)) : nodeLine(each),
      ref && h('p', { class: 'rated' }, 'of ', pageLink(ref, of && titleOf(of, 140))),
    );
  };
  return h('ul', { class: 'plain ratings' }, bounded(view, 'ratings', found, OTHERS, line, count));
}

async function session(view) {
  const { node, ask } = view;
  const where = { conversation: node.id };
  const [count, turns] = await Promise.all([
    ask.count('Response', where),
    ask.find('Response', where, { by: 'timestamp' }, view.limit('turns', TURNS)),
  ]);
  const texts = await Promise.all(turns.map((each) => textsOf(view, each)));
  const persons = [...new Set(turns.map(({ record }) => record?.person).filter(Boolean))];
  return {
    title: titleOf(node, 160),
    facts: [
      node.record?.name && ['id', h('bdi', {}, node.id)],
      ['turns', countText(count)],
      persons.length > 0 && [
        'with',
        h('span', {}, persons.map((id, i) => [i > 0 && ', ', pageLink(`Person:${id}`)])),
      ],
    ],
    sections: [
      {
        name: 'turns',
        title: 'Turns',
        note: turns.length > 0 && ` ${plural(count, 'turn')} over all traces`,
        body:
          turns.length === 0
            ? h('p', { class: 'faint' }, 'No answer names this session.')
            : h('ol', { class: 'plain conversation' }, bounded(view, 'turns', turns, TURNS, (each, i) => turn(view, each, texts[i], i), count)),
      },
      historySection(view),
    ].filter(Boolean),
  };
}

/** What was asked and answered; where the response has no text, the query and the answer of its request have it, or messages. */
async function textsOf({ ask }, node) {
  const { record } = node;
  if (!record) return {};
  const own = { question: questionOf(record), said: record.content };
  if (own.question && own.said) return own;
  const request = record.request_id;
  const [query, answer] = request ? await Promise.all(['Query', 'Answer'].map((type) => ask.nodes([`${type}:${request}`]))) : [new Map(), new Map()];
  const question = own.question || query.get(`Query:${request}`)?.record?.question;
  const said = own.said || textOfAnswer(answer.get(`Answer:${request}`));
  return question || said ? { question, said } : textsElsewhere(ask.rpc, node, ask.tx ?? ask.asOf).catch(() => ({}));
}

/** What was asked, and what was answered. */
function turn(view, { ref, record, purged }, { question, said }, i) {
  if (!record)
    return h(
      'li',
      { class: 'bubble', 'data-entry': i },
      h('p', { class: 'faint' }, purged ? 'Its content was purged. ' : 'Its content has expired. ', pageLink(ref, 'its place')),
    );
  const failure = firstWords(failureOf(record), 1000);
  return [
    question &&
      h('li', { class: 'bubble mine' }, h('p', { class: 'who' }, h('b', {}, record.person ?? 'user')), plainText(view, `asked ${ref}`, question, { first: 2000 })),
    h(
      'li',
      { class: 'bubble', 'data-ref': ref, 'data-entry': i },
      h(
        'p',
        { class: 'who' },
        h('b', {}, h('bdi', {}, record.agent)),
        h('span', { class: 'notes' }, timeText(record.timestamp), ' · ', pageLink(ref, 'its sources')),
      ),
      said ? (callsOf(view, `said ${ref}`, said) ?? plainText(view, `said ${ref}`, said, { first: 2000 })) : h('p', { class: 'faint' }, failure ? `The call failed: ${failure}` : 'No text was recorded.'),
    ),
  ];
}
