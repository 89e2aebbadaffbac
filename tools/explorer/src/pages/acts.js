// Answers as people read them: the question, the first words of what was said, by whom, when, and how it was rated. A response
// and the answer of the same request are one act, shown once.
import { momentOf } from '../server/load.js';
import { cut, idOfRef, timeOf } from '../vocabulary.js';

const WORDS_MAX = 220;

/** The first words of a text on one line; texts may be megabytes. */
export const firstWords = (text, length = WORDS_MAX) =>
  typeof text === 'string'
    ? cut(
        text
          .slice(0, 4 * length)
          .replace(/\s+/g, ' ')
          .trim(),
        length,
      )
    : '';

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
    const key = requestOf(node) ?? node.ref;
    const act = byAct.get(key) ?? {};
    act[node.type] = node;
    byAct.set(key, act);
  }
  const acts = await Promise.all([...byAct.entries()].map(([key, act]) => withQuery(rpc, key, act, asOf)));
  acts.sort((a, b) => (b.time ?? -Infinity) - (a.time ?? -Infinity));
  return Promise.all(acts.slice(0, most).map((act) => rated(rpc, act, asOf)));
}

async function withQuery(rpc, key, { Response: response, Answer: answer }, asOf) {
  const query = key.includes(':') ? null : await recordOf(rpc, `Query:${key}`, asOf);
  const node = answer ?? response;
  const record = response?.record ?? {};
  return {
    node,
    question: firstWords(query?.record?.question || record.prompt),
    said: firstWords(answer?.record?.answer ?? answer?.record?.message ?? record.content),
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

/** What an act is called where it has neither a question nor a text. */
export const nameOfAct = ({ node, question, said }) => question || said || idOfRef(node.ref);

/** The newest acts of a moment. */
export async function newestActs(rpc, counts, asOf, most) {
  const newest = async (type) => {
    if (!counts[type]) return [];
    const order = { by: 'tx', desc: true };
    const params = { type, order, limit: most, include: ['record'], ...momentOf(asOf) };
    return (await rpc.call('node.find', params)).nodes;
  };
  const nodes = (await Promise.all(['Response', 'Answer'].map(newest))).flat();
  return actsOf(rpc, nodes, asOf, most);
}
