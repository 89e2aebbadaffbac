// What somebody should look at: answers that people rated badly, units that their ratings deprecated, and the sources that
// bad answers rest on most. Each is asked for apart, and left out where the server cannot say.
import { actsOf } from './acts.js';
import { momentOf } from '../server/load.js';

const SHOWN_MAX = 5;
/** How many of the newest bad ratings are looked at. */
const RATINGS_MAX = 20;
const BLAME_MS = 2500;
const STALE_MAX = 200;
const GONE_MAX = 20;
/** So many sources are looked at together. */
const INCLUDE = ['record', 'status'];

const ratedBy = ({ record }) => record?.ref ?? (record?.response_id ? `Response:${record.response_id}` : null);

/** @returns {Promise<{bad: object[], deprecated: object[], stale: object[], blamed: object[]}>} */
export async function needsEyes(rpc, counts, asOf) {
  const moment = momentOf(asOf);
  const ratings = counts.FeedbackRecord ? await badRatings(rpc, moment) : [];
  const refs = [...new Set(ratings.map(ratedBy).filter(Boolean))];
  const [bad, deprecated, stale, blamed] = await Promise.all([
    badlyRated(rpc, ratings, refs, asOf),
    newlyDeprecated(rpc, counts, refs, moment),
    newlyStale(rpc, moment),
    mostToBlame(rpc, refs, moment),
  ]);
  return { bad, deprecated, stale, blamed };
}

const badRatings = (rpc, moment) =>
  rpc
    .call('node.find', {
      type: 'FeedbackRecord',
      where: { score: { lt: 0 } },
      order: { by: 'tx', desc: true },
      limit: RATINGS_MAX,
      include: ['record'],
      ...moment,
    })
    .then(
      ({ nodes }) => nodes,
      () => [],
    );

/** Those of the newest bad ratings whose mean is below 0; where these are few, others too, the newest first. */
async function badlyRated(rpc, ratings, refs, asOf) {
  const moment = momentOf(asOf);
  if (refs.length === 0) return [];
  const means = await Promise.all(refs.map((ref) => rpc.call('feedback.list', { ref, limit: 1, ...moment }).catch(() => ({}))));
  const bad = refs.filter((_, i) => means[i].mean_score < 0);
  const nodes = (await readable(rpc, bad, moment)).slice(0, SHOWN_MAX);
  if (nodes.length < SHOWN_MAX) nodes.push(...(await otherBad(rpc, nodes, moment)));
  const acts = await actsOf(rpc, nodes, asOf);
  for (const act of acts) {
    const rating = ratings.find((each) => ratedBy(each) === act.node.ref || act.node.ref.endsWith(`:${ratedBy(each)}`));
    act.remark = rating?.record?.feedback_text;
    act.ratedAt = Date.parse(rating?.record?.timestamp ?? '') || 0;
  }
  const shown = acts.filter(({ score }) => score !== null && score < 0);
  return shown.sort((a, b) => b.ratedAt - a.ratedAt).slice(0, SHOWN_MAX);
}

/** Of what is deleted or gone there is nothing to read. */
async function readable(rpc, refs, moment) {
  const get = (ref) => rpc.call('node.get', { ref, include: INCLUDE, ...moment }).then(({ nodes }) => nodes[0], () => null);
  return (await Promise.all(refs.map(get))).filter((node) => node && !node.expired);
}

async function otherBad(rpc, known, moment) {
  const find = (type, by) =>
    rpc
      .call('node.find', { type, where: { score: { lt: 0 } }, order: { by, desc: true }, limit: 4 * SHOWN_MAX, include: INCLUDE, ...moment })
      .catch(() => ({ nodes: [] }));
  const found = await Promise.all([find('Response', 'timestamp'), find('Answer', 'tx')]);
  return found.flatMap(({ nodes }) => nodes.filter(({ ref, expired }) => !expired && !known.some((each) => each.ref === ref)).slice(0, SHOWN_MAX));
}

/** Units by when they became deprecated: of the newest ones, and of those that the newest bad ratings reached. */
async function newlyDeprecated(rpc, counts, refs, moment) {
  if (!counts.ContextUnit) return [];
  const newest = rpc.call('node.find', {
    type: 'ContextUnit',
    where: { status: 'deprecated' },
    order: { by: 'tx', desc: true },
    limit: 2 * SHOWN_MAX,
    include: INCLUDE,
    ...moment,
  });
  const reached = refs.slice(0, 2 * SHOWN_MAX).map((ref) =>
    rpc.call('lineage.ancestors', {
      ref,
      depth: 1,
      node_types: ['ContextUnit'],
      limit: SHOWN_MAX,
      include: INCLUDE,
      ...moment,
    }),
  );
  const answers = await Promise.all([newest, ...reached].map((each) => each.catch(() => ({ nodes: [] }))));
  const units = new Map();
  for (const node of answers.flatMap(({ nodes }) => nodes)) if (node.status === 'deprecated' && !node.expired) units.set(node.ref, node);
  const dated = await Promise.all(
    [...units.values()].slice(0, 4 * SHOWN_MAX).map(async (node) => {
      const { events } = await rpc.call('history.get', { ref: node.ref, ...moment }).catch(() => ({ events: [] }));
      const event = events.filter(({ op, status }) => op === 'status' && status === 'deprecated').at(-1);
      return { node, at: event ? Date.parse(event.at) : 0 };
    }),
  );
  return dated.sort((a, b) => b.at - a.at).slice(0, SHOWN_MAX);
}

/** Sources that answers rest on and that have a newer version or are gone: by when the newer one was made. */
async function newlyStale(rpc, moment) {
  const { sources } = await rpc
    .call('lineage.stale', { limit: STALE_MAX, timeout_ms: BLAME_MS, include: INCLUDE, ...moment })
    .catch(() => ({ sources: [] }));
  // Those that are only deprecated are listed as such.
  const changed = sources.filter(({ reasons }) => reasons.some((reason) => reason !== 'deprecated'));
  const refs = [...new Set(changed.map(({ newer }) => newer).filter(Boolean))];
  const { nodes } = refs.length
    ? await rpc.call('node.get', { refs, include: ['record'], ...moment }).catch(() => ({ nodes: [] }))
    : { nodes: [] };
  const made = new Map(nodes.map(({ ref, record }) => [ref, Date.parse(record?.timestamp ?? '') || 0]));
  const dated = changed.map((node) => ({ node, at: made.get(node.newer) ?? 0 })).sort((a, b) => b.at - a.at);
  const first = dated.filter(({ node }) => !node.expired).slice(0, SHOWN_MAX);
  if (first.length === SHOWN_MAX) return first;
  // What is gone matters where there is an answer left that rests on it.
  const gone = dated.filter(({ node }) => node.expired).slice(0, GONE_MAX);
  const areMissed = await Promise.all(gone.map(({ node }) => isMissed(rpc, node.ref, moment)));
  return [...first, ...gone.filter((_, i) => areMissed[i])].slice(0, SHOWN_MAX);
}

const isMissed = (rpc, ref, moment) =>
  rpc.call('lineage.descendants', { ref, node_types: ['Response', 'Answer'], limit: GONE_MAX, ...moment }).then(
    ({ nodes }) => nodes.some(({ expired }) => !expired),
    () => true,
  );

/** Over all bad answers where that is quick, else over those of the newest bad ratings. */
async function mostToBlame(rpc, refs, moment) {
  if (refs.length === 0) return [];
  const ask = (of) =>
    rpc.call('impact.blame', {
      ...of,
      limit: SHOWN_MAX,
      include: INCLUDE,
      timeout_ms: BLAME_MS,
      ...moment,
    });
  return ask({ score_below: 0 })
    .catch(() => ask({ responses: refs }))
    .then(
      ({ nodes }) => nodes.filter(({ bad, verdict, expired }) => bad > 0 && verdict !== 'not_worse' && !expired),
      () => [],
    );
}
