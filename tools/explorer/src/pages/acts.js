// Answers as people read them: the question, the first words of what was said, by whom, when, and how it was rated. A response
// and the answer of the same request are one act, shown once.
import { h } from '../dom.js';
import { titleOf, firstWords as wordsOf } from '../read/names.js';
import { lineOf, questionOf } from '../read/texts.js';
import { plural, scoreText } from '../form.js';
import { momentOf } from '../server/load.js';
import { timeOf, typeOf } from '../vocabulary.js';

const WORDS_MAX = 220;

/** The first words of a text on one line. */
export const firstWords = (text, length = WORDS_MAX) => wordsOf(text, length);

/** The first words of what was answered; calls of tools and values of JSON without their signs. */
const saidIn = (text) => (typeof text === 'string' ? firstWords(lineOf(text)) : '');

/** One record, or null where there is none. */
const recordOf = (rpc, ref, asOf) =>
  rpc.call('node.get', { ref, include: ['record'], ...momentOf(asOf) }).then(
    ({ nodes }) => nodes[0],
    () => null,
  );

const requestOf = (node) => (node.type === 'Answer' ? node.id : node.record?.request_id);

/**
 * @param {object[]} nodes responses and answers with their records
 * @returns {Promise<object[]>} `{node, question, said, agent, model, time, score, ratings}` of each act, newest first
 */
export async function actsOf(rpc, nodes, asOf, most = Infinity) {
  const byAct = new Map();
  for (const node of nodes) {
    // A request may be called as any ref is; no ref begins with a space.
    const key = requestOf(node) === undefined ? node.ref : ` ${requestOf(node)}`;
    const act = byAct.get(key) ?? {};
    act[node.type] = node;
    byAct.set(key, act);
  }
  const acts = await Promise.all([...byAct.values()].map((act) => withQuery(rpc, act, asOf)));
  acts.sort((a, b) => (b.time ?? -Infinity) - (a.time ?? -Infinity));
  return Promise.all(acts.slice(0, most).map((act) => rated(rpc, act, asOf)));
}

/** What messages said. It does not change, but it can be erased: it is forgotten whenever something was written. */
const spoken = new Map();
const SPOKEN_MAX = 500;

export const forgetSpoken = () => spoken.clear();

/** The text of a part of an attachment's XML; it is only read: nothing in it runs or is fetched. */
async function partOf(rpc, hash, name) {
  const key = `${name} ${hash}`;
  if (!spoken.has(key)) {
    if (spoken.size >= SPOKEN_MAX) spoken.clear();
    const { xml } = await rpc.call('attachment.get', { hash }).catch(() => ({}));
    const root = xml && new DOMParser().parseFromString(xml, 'application/xml').documentElement;
    const part = root && [...root.children].find((each) => each.localName === name);
    spoken.set(key, firstWords(part?.textContent));
  }
  return spoken.get(key);
}

/** The question and the answer of a response whose texts are in the messages of its conversation. */
async function fromMessages(rpc, response, asOf) {
  const near = (method, type) =>
    rpc
      .call(method, {
        ref: response.ref,
        depth: 1,
        edge_types: [type],
        node_types: ['XMLMessageAttachment'],
        limit: 10,
        include: ['record'],
        ...momentOf(asOf),
      })
      .then(
        ({ nodes }) => nodes[0],
        () => null,
      );
  const [prompt, rendered] = await Promise.all([
    near('lineage.ancestors', 'PROMPTED'),
    near('lineage.descendants', 'RENDERED_AS'),
  ]);
  const said = rendered ? await partOf(rpc, rendered.id, 'response') : '';
  const asked = prompt?.id ?? (rendered?.record && (await askedBefore(rpc, rendered.record, asOf)));
  return { question: asked ? await partOf(rpc, asked, 'userMessage') : '', said };
}

/** The last question of a conversation before an answer. */
async function askedBefore(rpc, { topicId, createdAt }, asOf) {
  const listed = await rpc
    .call('attachment.list', { topicId, format: 'llm-query', limit: 100, ...momentOf(asOf) })
    .catch(() => ({ records: [] }));
  return listed.records.filter((each) => each.createdAt <= createdAt).at(-1)?.hash;
}

/** Whether a node is a response whose texts, where it has any, are in other records. */
export const isMute = ({ type, record, expired }) =>
  type === 'Response' && !expired && Boolean(record) && !questionOf(record) && !record.content;

/** The question and the first words of a response whose texts are only in other records. */
export const textsElsewhere = (rpc, node, asOf) => withQuery(rpc, { Response: node }, asOf);

/**
 * The question, or the first words, of a response whose texts are only in other records: the query and the answer of its request, or
 * messages; '' of all else.
 */
export async function wordsElsewhere(rpc, node, asOf) {
  if (!isMute(node)) return '';
  const { question, said } = await textsElsewhere(rpc, node, asOf);
  return question || said;
}

/** The text of an answer of retrieval. */
export const textOfAnswer = (answer) => answer?.record?.answer ?? answer?.record?.message;

async function withQuery(rpc, { Response: response, Answer: answer }, asOf) {
  const record = response?.record ?? {};
  const request = requestOf(answer ?? response);
  const isOfRequest = request !== undefined;
  // Where the response has no text of its own, the answer of its request has it, wherever that is listed.
  const isAnswerDue = isOfRequest && response && !answer && !record.content;
  const [query, found] = await Promise.all([
    isOfRequest ? recordOf(rpc, `Query:${request}`, asOf) : null,
    isAnswerDue ? recordOf(rpc, `Answer:${request}`, asOf) : null,
  ]);
  const question = firstWords(query?.record?.question || questionOf(record));
  const said = saidIn(textOfAnswer(answer ?? found) ?? record.content);
  const isSilent = response && !answer && !question && !said;
  return {
    node: answer ?? response,
    ...(isSilent ? await fromMessages(rpc, response, asOf) : { question, said }),
    agent: firstWords(record.agent, 40),
    model: firstWords(record.model, 40),
    time: (response && timeOf(response)) ?? (query && timeOf(query)),
  };
}

/** The act with its mean score, as of the moment. */
async function rated(rpc, act, asOf) {
  const found = await rpc
    .call('feedback.list', { ref: act.node.ref, limit: 1, ...momentOf(asOf) })
    .catch(() => ({ mean_score: null, feedback_count: 0 }));
  return { ...act, score: found.mean_score ?? null, ratings: found.feedback_count ?? 0 };
}

/** An act by its own record, for a first look: `isWhole` says whether more is to be asked for. */
export function shownAtOnce(node) {
  const record = node.record ?? {};
  return {
    node,
    record,
    question: firstWords(questionOf(record)),
    said: saidIn(record.answer ?? record.message ?? record.content),
    score: null,
    ratings: 0,
  };
}

/** The texts, the time and the rating of an act that was shown at once. */
export async function wholeAct(rpc, { node }, asOf) {
  const { question, said, time, score, ratings } = await rated(
    rpc,
    await withQuery(rpc, { [node.type]: node }, asOf),
    asOf,
  );
  return { question, said, time, score, ratings };
}

/** The mean rating of an act with how many gave one, for people. */
export function ratingOf({ score, ratings }) {
  if (score === null) return ratings > 0 ? h('span', { class: 'badge', title: 'Rated in words alone' }, plural(ratings, 'rating')) : null;
  const kind = score < 0 ? 'bad' : score > 0 ? 'good' : '';
  const text = scoreText(score);
  const title = ratings === 1 ? `Rated ${text}` : `Mean of ${plural(ratings, 'rating')}`;
  return h(
    'span',
    { class: `badge ${kind}`, title },
    h('span', { class: 'unseen' }, 'rated '),
    text,
    ratings > 1 && h('span', { class: 'of' }, ` of ${ratings}`),
  );
}

/** What an act is called: its question, else its first words, else by whom and when. */
export const nameOfAct = ({ node, question, said }) => question || said || titleOf(node);

/** So many records are asked for each one that is shown: what was erased is among the newest, and calls that are shown as one. */
const ASKED_FOR_ONE = 5;
/** Where all of them were erased, so many further pages are read. */
const PAGES_MAX = 10;
const NEXT_PAGE = 500;

/** The newest acts of a moment. */
export async function newestActs(rpc, counts, asOf, most) {
  const newest = async (type) => {
    if (!counts[type]) return [];
    // What was imported at once has one transaction, and times of its own.
    const order = { by: typeOf(type).time ?? 'tx', desc: true };
    const params = { type, order, limit: most * ASKED_FOR_ONE, include: ['record'], ...momentOf(asOf) };
    const read = [];
    let answer = await rpc.call('node.find', params);
    for (let page = 1; ; page++) {
      read.push(...answer.nodes.filter(({ expired }) => !expired)); // of what expired there is nothing to read
      const found = lastCalls(read);
      if (found.length >= most || !answer.cursor || page === PAGES_MAX) return found.slice(0, most);
      answer = await rpc.call('node.find', { cursor: answer.cursor, limit: NEXT_PAGE });
    }
  };
  const newestOfAll = (await Promise.all(['Response', 'Answer'].map(newest))).flat();
  const several = new Set(newestOfAll.filter(({ isLastOfSeveral }) => isLastOfSeveral).map(({ node }) => node.ref));
  const acts = await actsOf(rpc, newestOfAll.map(({ node }) => node), asOf, most);
  return acts.map((act) => ({ ...act, isLastOfSeveral: several.has(act.node.ref) }));
}

/**
 * An instrumented agent calls its model again and again over one question, and each call is a response: of those of one trace, agent and
 * question the last one is left, with `isLastOfSeveral`. `nodes` are the newest first.
 */
function lastCalls(nodes) {
  const last = new Map();
  for (const node of nodes) {
    const { agent, attributes, question } = node.record ?? {};
    const trace = attributes?.trace_id;
    const key = trace && question ? JSON.stringify([trace, agent, question]) : node.ref;
    if (last.has(key)) last.get(key).isLastOfSeveral = true;
    else last.set(key, { node, isLastOfSeveral: false });
  }
  return [...last.values()];
}
