// What the table of answers asks the server: its filters as conditions, its order, its periods, and the sums over time.
import { momentOf } from '../server/load.js';
import { startOf } from './periods.js';

/** Orders that node.find knows, by the column that they belong to. */
export const ORDERS = { __proto__: null, said: 'content', time: 'timestamp', rating: 'score', agent: 'agent', model: 'model', latency: 'latency_ms', tokens: 'tokens', cost: 'cost' };

/** The same of answers of retrieval, which have no time but that of their commit. */
const ORDERS_OF_RETRIEVAL = { __proto__: null, said: 'answer', time: 'tx', rating: 'score', latency: 'processing_time_ms' };

/**
 * What a query orders by where node.find does not: tokens as they are shown, and questions as far as the record itself has them. One in
 * a list of messages is known to the page alone, so that these come last, as all do that have no value.
 */
const KEYS = {
  __proto__: null,
  question: "toLower(trim(coalesce(r.question, CASE WHEN left(r.prompt, 1) IN ['[', '{'] THEN null ELSE r.prompt END)))",
  tokens: 'coalesce(r.usage.input_tokens + r.usage.output_tokens, r.usage.input_tokens, r.usage.output_tokens, r.token_count)',
  said: 'r.content',
  time: 'r.timestamp',
  agent: 'r.agent',
  model: 'r.model',
  latency: 'r.latency_ms',
  cost: 'r.cost',
};

/** The keys of answers of retrieval `a` that are found by a query; `asked` is the time of their question. */
const KEYS_OF_RETRIEVAL = { __proto__: null, said: 'a.answer', time: 'asked', latency: 'a.processing_time_ms' };

/** Members that a response says of an act; its answer of retrieval has no such. */
const OF_ACT = ['agent', 'model', 'person', 'conversation', 'topic'];

/** Whether answers of retrieval are narrowed by what other records say: the response of their act, or the time of their question. */
export const isJoined = (state) => [...OF_ACT, 'from', 'to'].some((name) => state[name]);

/** Whether a column can order the answers: of those that are found by a query by all but the rating. */
export const canOrder = (column, state) =>
  state.kind === 'answer'
    ? column in (isJoined(state) ? KEYS_OF_RETRIEVAL : ORDERS_OF_RETRIEVAL)
    : column in KEYS || (!state.topic && column in ORDERS);

/** Whether a page is found by a query: in a topic, which no field of a Response names, and in an order that node.find does not know. */
export const isQueried = ({ topic, sort }) => topic !== '' || (columnOf(sort) in KEYS && !(columnOf(sort) in ORDERS));

/** The column that orders the answers. */
export const columnOf = (sort) => sort.replace(/^-/, '');

/**
 * Sums are made without being asked for up to this many answers: with a filter they take the server up to 0.2 s of one core for 100,000,
 * and what nobody waits for any more is cancelled.
 */
export const READ_MAX = 250_000;
const HOUR = 3_600_000;

/** A mean of fewer ratings tells nothing. */
export const TOO_FEW = 5;

const RATED = { __proto__: null, bad: { lt: 0 }, neutral: { eq: 0 }, good: { gt: 0 } };

/** Members of a state that narrow the answers. */
export const FILTERS = ['q', 'agent', 'model', 'rated', 'flag', 'person', 'conversation', 'topic', 'from', 'to'];

/** Members that are fields of a Response, equal to what is asked for. */
const EQUAL = ['agent', 'model', 'person', 'conversation'];

/** The conditions of node.find, node.count and search that a state sets. */
export function whereOf(state) {
  const where = {};
  for (const name of EQUAL) if (state[name]) where[name] = { eq: state[name] };
  if (RATED[state.rated]) where.score = RATED[state.rated];
  if (state.flag) where.flags = { has: state.flag };
  const span = { ...(state.from && { gte: state.from }), ...(state.to && { lt: state.to }) };
  if (Object.keys(span).length) where.timestamp = span;
  return where;
}

/** Params of node.find for the first page of a state. */
export function findOf(state, limit) {
  const desc = state.sort.startsWith('-');
  return {
    type: 'Response',
    where: whereOf(state),
    order: { by: ORDERS[columnOf(state.sort)] ?? 'timestamp', desc },
    limit,
    include: ['record', 'status'],
    ...momentOf(state.as_of),
  };
}

/** Params of node.find for the first page of the answers of retrieval that need no other record. */
export const findRetrieved = (state, limit) => ({
  type: 'Answer',
  where: whereOf(state),
  order: { by: ORDERS_OF_RETRIEVAL[columnOf(state.sort)] ?? 'tx', desc: state.sort.startsWith('-') },
  limit,
  include: ['record', 'status'],
  ...momentOf(state.as_of),
});

const LANES = { __proto__: null, agent: 'r.agent', model: 'r.model', topic: 'x.topicId' };

/**
 * The part of a query that finds the answers of a state as `r`, their ratings as `f` where they are asked for, and their messages as `x`
 * where a topic is; words are no part of it. Conditions are those of node.find, which compares fields without making a node of each
 * record. Without them the ratings are in the same pattern: the planner then begins with these, which are fewer.
 */
function matched(state, isTopic, isRated = false) {
  const isAll = Object.keys(whereOf(state)).length === 0;
  const rated = isRated ? '(f:FeedbackRecord)-[:EVALUATES]->' : '';
  const messages = isTopic || state.topic ? '(r)-[:RENDERED_AS]->(x:XMLMessageAttachment)' : '';
  const ofTopic = state.topic ? ' WHERE x.topicId = $topic' : '';
  if (isAll) return `MATCH ${rated}(r:Response)${messages && `, ${messages}`}${ofTopic}`;
  const patterns = [rated && `${rated}(r)`, messages].filter(Boolean).join(', ');
  return `CALL whence.node.find('Response', {where: $where}) YIELD node AS r${patterns && ` MATCH ${patterns}`}${ofTopic}`;
}

const paramsOf = (state) => ({ where: whereOf(state), ...(state.topic && { topic: state.topic }) });

/** A page that is found by a query, as refs: what has a value in the order first. */
export const orderedPage = (state, limit) => ({
  cypher:
    `${matched(state, Boolean(state.topic))} WITH DISTINCT r, ${KEYS[columnOf(state.sort)] ?? KEYS.time} AS key ` +
    `ORDER BY key IS NULL, key${state.sort.startsWith('-') ? ' DESC' : ''}, r.id RETURN r.ref AS ref`,
  params: paramsOf(state),
  limit,
  ...momentOf(state.as_of),
});

/** A page of the answers of a topic that have words: the best of the newest first, as the index has them. */
export const searchedPage = (state, limit) => ({
  cypher:
    "CALL whence.search($text, {types: ['Response'], where: $where}) YIELD node AS r " +
    'MATCH (r)-[:RENDERED_AS]->(x:XMLMessageAttachment) WHERE x.topicId = $topic RETURN DISTINCT r.ref AS ref',
  params: { ...paramsOf(state), text: state.q },
  limit,
  ...momentOf(state.as_of),
});

/** The parts of a state that the response of an act, the answer of retrieval itself and its question have. */
function partsOf(state) {
  const { timestamp, score, flags, ...act } = whereOf(state);
  return { act, own: { ...(score && { score }), ...(flags && { flags }) }, timestamp, isOfAct: OF_ACT.some((name) => state[name]) };
}

/**
 * The part of a query that finds the answers of retrieval of a state as `a`, also by words: first what is likely to leave the fewest.
 */
function retrieved(state) {
  const { act, own, timestamp, isOfAct } = partsOf(state);
  const isOwn = Object.keys(own).length > 0;
  const parts = [];
  if (state.q.trim()) parts.push(`CALL whence.search($text, {types: ['Answer']${isOwn ? ', where: $own' : ''}}) YIELD node AS a`);
  else if (isOwn) parts.push("CALL whence.node.find('Answer', {where: $own}) YIELD node AS a");
  else if (isOfAct) parts.push(`${matched(ofAct(state), false)} MATCH (r)-[:SAME_ACT]-(a:Answer)`);
  else parts.push("CALL whence.node.find('Query', {where: {timestamp: $time}}) YIELD node AS q MATCH (a:Answer {id: q.id})");
  const isAnswerFirst = state.q.trim() || isOwn;
  if (isAnswerFirst && isOfAct) {
    const conditions = [...Object.keys(act).map((name) => `r.${name} = $where.${name}.eq`), ...(state.topic ? ['x.topicId = $topic'] : [])];
    parts.push(`MATCH (a)-[:SAME_ACT]-(r:Response)${state.topic ? '-[:RENDERED_AS]->(x:XMLMessageAttachment)' : ''} WHERE ${conditions.join(' AND ')}`);
  }
  if (timestamp && (isAnswerFirst || isOfAct)) {
    const conditions = [...(timestamp.gte ? ['q.timestamp >= datetime($time.gte)'] : []), ...(timestamp.lt ? ['q.timestamp < datetime($time.lt)'] : [])];
    parts.push(`WITH DISTINCT a MATCH (q:Query {id: a.id}) WHERE ${conditions.join(' AND ')}`);
  }
  return parts.join(' ');
}

/** A state with nothing but what the response of an act says. */
const ofAct = (state) => ({ ...state, rated: '', flag: '', from: '', to: '' });

function paramsOfRetrieved(state) {
  const { own, timestamp } = partsOf(state);
  return { ...paramsOf(ofAct(state)), own, ...(timestamp && { time: timestamp }), text: state.q };
}

/** A page of these, as refs: in order, or where words are sought as the index has them. */
export const retrievedPage = (state, limit) => ({
  cypher: state.q.trim()
    ? `${retrieved(state)} RETURN DISTINCT a.ref AS ref`
    : `${retrieved(state)} WITH DISTINCT a OPTIONAL MATCH (q:Query {id: a.id}) WITH a, q.timestamp AS asked ` +
      `WITH a, ${KEYS_OF_RETRIEVAL[columnOf(state.sort)] ?? 'asked'} AS key ` +
      `ORDER BY key IS NULL, key${state.sort.startsWith('-') ? ' DESC' : ''}, a.id RETURN a.ref AS ref`,
  params: paramsOfRetrieved(state),
  limit,
  ...momentOf(state.as_of),
});

export const countRetrieved = (state) => ({
  cypher: `${retrieved(state)} RETURN count(DISTINCT a) AS n`,
  params: paramsOfRetrieved(state),
  ...momentOf(state.as_of),
});

/** How many answers of a topic there are. */
export const countQuery = (state) => ({
  cypher: `${matched(state, true)} RETURN count(DISTINCT r) AS n`,
  params: paramsOf(state),
  ...momentOf(state.as_of),
});

/** Each once in its lane: only with messages is one found several times. Without a step between, the server sums in batches. */
function inLanes(state, names) {
  const lane = LANES[state.split] ?? "''";
  const period = 'floor(r.timestamp.epochMillis / toFloat($ms)) AS t';
  const isRepeated = state.split === 'topic' || state.topic;
  return isRepeated ? `WITH DISTINCT ${names}, ${lane} AS lane RETURN ${period}, lane` : `RETURN ${period}, ${lane} AS lane`;
}

/** How many answers, how long they took, and what they cost, by hour or day and lane. */
export function sumsQuery(state, period) {
  return {
    cypher:
      `${matched(state, state.split === 'topic')} ${inLanes(state, 'r')}, count(*) AS n, sum(r.latency_ms) AS latency, ` +
      'count(r.latency_ms) AS latencies, sum(r.cost) AS cost, count(r.cost) AS costs',
    params: { ...paramsOf(state), ms: bucketOf(period) },
    limit: 10_000,
    ...momentOf(state.as_of),
  };
}

/** The ratings of the answers, at the time of the answer, by hour or day and lane. */
export function ratingsQuery(state, period) {
  return {
    cypher: `${matched(state, state.split === 'topic', true)} ${inLanes(state, 'f, r')}, sum(f.score) AS score, count(f.score) AS scores`,
    params: { ...paramsOf(state), ms: bucketOf(period) },
    limit: 10_000,
    ...momentOf(state.as_of),
  };
}

/** A quotient of whole numbers is cut towards 0, which is no beginning of a period before 1970. */
const bucketOf = (period) => (period === 'hour' ? HOUR : 24 * HOUR);

/**
 * Rows of these queries as sums by period and lane: `lanes` by name, each a map from the period's start to its sums.
 * Times are those of records, so that a period is one of UTC.
 */
export function byPeriod({ columns, rows }, period) {
  const lanes = new Map();
  const at = Object.fromEntries(columns.map((name, i) => [name, i]));
  for (const row of rows) {
    const start = startOf(Math.floor(row[at.t]) * bucketOf(period), period);
    const lane = row[at.lane] ?? '';
    if (!lanes.has(lane)) lanes.set(lane, new Map());
    const sums = lanes.get(lane).get(start) ?? {};
    for (const name of columns) if (name !== 't' && name !== 'lane') sums[name] = (sums[name] ?? 0) + (row[at[name]] ?? 0);
    lanes.get(lane).set(start, sums);
  }
  return lanes;
}

/** Whether `node.activity` alone can count the answers of a state: it knows agents and spans only. */
export const isCounted = (state) =>
  ['', 'agent'].includes(state.split) && !FILTERS.some((name) => state[name] && !['agent', 'from', 'to'].includes(name));

/** The answer of node.activity in the same form, of one agent where one is asked for. */
export function byActivity({ lanes }, state) {
  const wanted = lanes.filter(({ lane }) => !state.agent || lane === state.agent);
  const found = new Map();
  for (const { lane, counts } of wanted) {
    const name = state.split === 'agent' ? lane : '';
    if (!found.has(name)) found.set(name, new Map());
    for (const { start, count } of counts) {
      const at = Date.parse(start);
      found.get(name).set(at, { n: (found.get(name).get(at)?.n ?? 0) + count });
    }
  }
  return found;
}

/** So many names are in a list to choose from. */
export const CHOICES_MAX = 50;

/** Names and counts of what can be chosen, or has a line of its own, the most first. */
export const choicesQuery = (member, asOf) => {
  const name = LANES[member] ?? `r.${member}`;
  return {
    cypher: `${matched({}, member === 'topic')} WHERE ${name} IS NOT NULL RETURN ${name} AS name, count(*) AS n ORDER BY n DESC, name LIMIT ${CHOICES_MAX}`,
    ...momentOf(asOf),
  };
};

/** The conversations of some responses, by the messages that they were rendered as: pairs of a ref and a topic. */
export const topicsQuery = (ids, asOf) => ({
  cypher: 'UNWIND $ids AS id MATCH (r:Response {id: id})-[:RENDERED_AS]->(x:XMLMessageAttachment) RETURN r.ref AS ref, x.topicId AS topic',
  params: { ids },
  ...momentOf(asOf),
});
