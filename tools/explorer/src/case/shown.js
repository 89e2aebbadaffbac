// What a case shows, held against what its bundles prove: what a proven line says is shown as it says, and what is proven here is shown.
import { sha256Hex } from '../../../verify/verify.mjs';
import { Written, isScalar } from '../json.js';
import { hasInfluence, runsAlong } from '../vocabulary.js';
import { RATED } from './gather.js';
import { keyOf } from './proven.js';

const IN_HISTORY = new Set(['put', 'version', 'content', 'status', 'delete', 'expire', 'purge']);

/** The members of an id that are not `id`, in the order in which the id has them. The program's tools/cli/proofs/line.cpp has the same. */
const IN_ID = {
  Document: ['document_name'],
  RetrievedChunk: ['chunk_id'],
  Query: ['request_id'],
  EmbeddingVector: ['request_id'],
  PromptContext: ['request_id'],
  Answer: ['request_id'],
  Keyword: ['term'],
  XMLMessageAttachment: ['hash'],
  Subject: ['topic', 'id'],
  Discussion: ['userId', 'discussionId'],
  DiscussionRound: ['userId', 'discussionId', 'roundNumber'],
  SummaryEntry: ['userId', 'discussionId', 'roundNumber'],
  SystemPromptTemplate: ['modelId', 'version'],
};
const NUMBERS = new Set(['roundNumber', 'version']);
const SPEAKERS = ['Analyzer', 'Solver', 'Moderator'];
/** What follows from other records, and may stand in a record of a type whatever it says. */
const FOLLOWING = {
  Response: ['context_units', 'dangling'], // compared with edges
  Keyword: ['dangling'],
  Subject: ['dangling'],
  Summary: ['dangling', 'expired', 'purged'],
  XMLMessageAttachment: ['responseId'],
  SystemPromptTemplate: ['active'],
};
const ANY = Symbol('any value');
/** A list that a case has of an answer has its newest entries. */
const NEWEST = 1000;
/** What edges that are shown say of a record. */
const OF_RECORDS = new Set(['attributes', 'excerpt', 'page_number', 'section']);

const isObject = (value) => !isScalar(value);
/** Integers that JavaScript does not have are the same where their digits are. */
const isSame = (a, b) => a === b || (a instanceof Written && b instanceof Written && String(a) === String(b));
const idIn = (ref) => ref.slice(ref.indexOf(':') + 1);
const typeIn = (ref) => ref.slice(0, ref.indexOf(':'));
const unescaped = (part) => part.replace(/%(25|2F)/g, (mark) => (mark === '%25' ? '%' : '/'));

function membersOfId(type, id) {
  const names = IN_ID[type] ?? ['id'];
  const version = /^(.*)-v(\d+)$/s.exec(id);
  if (type === 'Summary') return version ? { id, topic: version[1], version: Number(version[2]) } : { id };
  const parts = names.length === 1 ? [id] : id.split('/').map(unescaped);
  return parts.length === names.length ? Object.fromEntries(names.map((name, i) => [name, NUMBERS.has(name) ? Number(parts[i]) : parts[i]])) : {};
}

/** What a record that is shown may have beside what was recorded: the members of its id, which the ref says, and what follows from the rest. */
function besideOf(ref) {
  const type = typeIn(ref);
  const beside = membersOfId(type, idIn(ref));
  if (type === 'DiscussionRound') SPEAKERS.forEach((name, i) => (beside[`${name.toLowerCase()}Response`] = { persona: `${name} AI`, turn: (beside.roundNumber - 1) * 3 + 1 + i }));
  for (const name of FOLLOWING[type] ?? []) beside[name] = ANY;
  return beside;
}

const mayStandBeside = (name, value, beside) => Object.hasOwn(beside, name) && (beside[name] === ANY || beside[name] === value);
const besideWithin = (beside, name) => (Object.hasOwn(beside, name) && isObject(beside[name]) ? beside[name] : {});

/** Whether `shown` says all that `said` says, in the same words, and nothing else but what may stand beside it. */
function saysTheSame(said, shown, beside = {}) {
  if (!isObject(said) || !isObject(shown)) return isSame(said, shown);
  if (Array.isArray(said) !== Array.isArray(shown)) return false;
  if (Array.isArray(said)) return said.length === shown.length && said.every((each, i) => saysTheSame(each, shown[i]));
  return (
    Object.keys(said).every((name) => saysTheSame(said[name], shown[name], besideWithin(beside, name))) &&
    Object.keys(shown).every((name) => name in said || mayStandBeside(name, shown[name], beside))
  );
}

/** A node that was written more than once: later contents replace members and add to lists. */
const joined = (contents) =>
  contents.reduce((whole, content) => {
    for (const [name, value] of Object.entries(content)) whole[name] = Array.isArray(value) && Array.isArray(whole[name]) ? [...whole[name], ...value] : value;
    return whole;
  }, {});

/** Whether each member that was recorded is shown, and each that is shown is one of those that were recorded. */
const saysOnly = (said, shown, beside) =>
  Object.keys(said).every((name) => name in shown) &&
  Object.entries(shown).every(
    ([name, value]) =>
      mayStandBeside(name, value, beside) ||
      (Array.isArray(value) && Array.isArray(said[name]) ? value.every((each) => said[name].some((one) => saysTheSame(one, each))) : saysTheSame(said[name], value, besideWithin(beside, name))),
  );

/** The record with the digests of its texts in their place where those were recorded: a long text is kept apart. */
function withDigests(said, { ...shown }) {
  for (const name of ['content', 'prompt']) {
    const digest = `${name}_sha256`;
    if (!(digest in said) || typeof shown[name] !== 'string') continue;
    shown[digest] = sha256Hex(shown[name]);
    delete shown[name];
  }
  return shown;
}

/** The text of a summary is that of all its versions, without those that are gone; what this one added is what was recorded. */
function isAsRecorded(contents, { content, ...shown }, ref) {
  const record = content === undefined ? { ...shown } : { ...shown, content };
  const said = joined(contents);
  if (shown.$type$ === 'Summary') for (const each of [said, record]) ['content', 'expired', 'purged'].forEach((name) => delete each[name]);
  delete said.responseId; // shown beside the record of an attachment
  delete record.responseId;
  const compared = withDigests(said, record);
  const beside = besideOf(ref);
  return saysTheSame(said, compared, beside) || (contents.length > 1 && saysOnly(said, compared, beside));
}

/** The ref of a record that is shown without one. */
const refOf = (record) => `${record.$type$}:${record[(IN_ID[record.$type$] ?? ['id'])[0]]}`;

/** Every node and record in an answer of the case, wherever it is: the page takes them from there too. */
function* shownIn(value) {
  if (!isObject(value)) return;
  if (typeof value.ref === 'string' && !Array.isArray(value)) yield { ref: value.ref, node: value, record: isObject(value.record) ? value.record : undefined };
  if (typeof value.$type$ === 'string') yield { ref: refOf(value), record: value };
  for (const [name, each] of Object.entries(value)) if (name !== 'record' || typeof value.ref !== 'string') yield* shownIn(each);
}

const OF_GONE = new Set(['ref', 'type', 'id', 'expired', 'purged']);
/** What is left of a rating that is gone. */
const isMark = (entry) => (entry.expired || entry.purged) && Object.keys(entry).every((name) => OF_GONE.has(name));

const hasParts = ({ method }) => ['feedback.list', 'attachment.list', 'attachment.get'].includes(method);

/** Records that an answer has without their type or ref. */
function* partsOf({ method, of, result }) {
  if (method === 'feedback.list')
    for (const entry of result?.records ?? []) yield { ref: `FeedbackRecord:${entry.id}`, ...(isMark(entry) ? { node: { ...entry, type: 'FeedbackRecord' } } : { record: entry }) };
  if (method === 'attachment.list') for (const record of result?.records ?? []) yield { ref: `XMLMessageAttachment:${record.hash}`, record };
  if (method === 'attachment.get' && result) yield { ref: `XMLMessageAttachment:${of}`, record: result.record ?? {}, xml: result.xml };
}

/** The units of a response are edges: each is one, with its weight, and none is left out. */
function hasItsUnits(record, { uses }) {
  if (!Array.isArray(record.context_units)) return uses.size === 0;
  const units = new Map(record.context_units.map((unit) => [unit.ref ?? `ContextUnit:${unit.context_unit_id}`, unit]));
  return units.size === uses.size && [...uses.values()].every(({ from, weight }) => units.get(from)?.weight === weight);
}

/** A long text of an attachment is kept apart: its record has the digest. */
const isTextOf = (xml, { xmlContent, xmlBlob }) => xml === xmlContent || (typeof xml === 'string' && xmlBlob === `sha256://${sha256Hex(xml)}`);

const isOfLife = (life, record, ref) => isAsRecorded(life.contents, record, ref) && (record.$type$ !== 'Response' || hasItsUnits(record, life));

/** What was deleted is shown as it was: a list says so of it. */
const isShownAsDeleted = (node) => Array.isArray(node?.reasons) && node.reasons.includes('deleted');

/** All that the page shows of records, wherever the file has it. */
function* allShown(kept) {
  yield* shownIn({ nodes: kept.nodes });
  for (const answer of kept.answers) yield* hasParts(answer) ? partsOf(answer) : shownIn(answer.result);
}

function* ofDeleted({ ref, record }, proven) {
  const lives = proven.pastLives(ref);
  if (!proven.wasDeleted(ref)) yield `${ref} is shown as deleted, and no event of that is in the proof`;
  else if (record && lives.length > 0 && !lives.some((life) => isOfLife(life, record, ref))) yield `what is shown of ${ref} is not what was recorded`;
}

function* ofNodes(kept, proven) {
  for (const shown of allShown(kept)) {
    const { ref, node, record, xml } = shown;
    const isMarked = node?.expired || node?.purged;
    const isNamed = node?.type === undefined || ref === `${node.type}:${node.id ?? idIn(ref)}`;
    if (!isNamed) yield `${ref} is shown under another name`;
    if (!proven.events.has(ref)) continue;
    const alive = record?.dangling?.find?.((each) => proven.isThere(each));
    if (alive) yield `${alive} is shown as deleted, and no event of that is in the proof`;
    if (isMarked && !proven.isLost(ref, { isPast: isShownAsDeleted(node), isPurged: node.purged === true })) yield `${ref} is shown as gone, and no event of that is in the proof`;
    if (isShownAsDeleted(node)) {
      yield* ofDeleted(shown, proven);
      continue;
    }
    if ((record || node?.type !== undefined) && proven.isDeleted(ref)) yield `${ref} is shown, and the proof has that it was deleted`;
    const life = proven.lifeOf(ref);
    if (!life) continue;
    const { version } = joined(life.contents);
    if (version !== undefined && (node?.version ?? version) !== version) yield `${ref} is shown as another version`;
    const hasItsText = xml === undefined || life.contents.some((content) => isTextOf(xml, content));
    if (record && !(hasItsText && isOfLife(life, record, ref))) yield `what is shown of ${ref} is not what was recorded`;
  }
  for (const { ref, record, expired, purged } of kept.nodes) if (!record && !expired && !purged && proven.lifeOf(ref)) yield `the record of ${ref} is in the proof and not shown`;
}

/** Whether one object of a record says all that an edge says of it, and names one of the edge's ends. */
function isInOneObject(whole, shown) {
  if (!isObject(whole)) return false;
  const names = Object.keys(shown).filter((name) => OF_RECORDS.has(name));
  const isEnd = (value) => [shown.from, shown.to].some((ref) => [ref, idIn(ref)].includes(value)) || (Array.isArray(value) && value.some(isEnd));
  const hasAll = !Array.isArray(whole) && names.every((name) => saysTheSame(shown[name], whole[name]));
  return (hasAll && Object.values(whole).some(isEnd)) || Object.values(whole).some((each) => isInOneObject(each, shown));
}

function isTheEdge(said, shown, proven) {
  const names = new Set([...Object.keys(said), ...Object.keys(shown)].filter((name) => !OF_RECORDS.has(name)));
  if (![...names].every((name) => saysTheSame(said[name], shown[name]))) return false;
  const contents = [said.from, said.to].flatMap((ref) => proven.lifeOf(ref)?.contents ?? []);
  const isSaid = [...OF_RECORDS].every((name) => !(name in shown) || saysTheSame(said[name], shown[name]));
  return isSaid || contents.length === 0 || contents.some((content) => Object.values(content).some((each) => isInOneObject(each, shown)));
}

function* ofEdges(kept, proven) {
  const shown = new Set();
  for (const edge of kept.edges) {
    shown.add(keyOf(edge));
    const said = proven.edges.get(keyOf(edge));
    const deleted = [edge.from, edge.to].find((ref) => proven.isDeleted(ref));
    if (deleted) yield `the edge ${keyOf(edge)} is shown, and the proof has that ${deleted} was deleted`;
    if (said && !said.some((each) => isTheEdge(each, edge, proven))) yield `the edge ${keyOf(edge)} is not shown as it was recorded`;
  }
  const drawn = new Set(kept.cases.flatMap(({ refs }) => refs));
  const isCut = new Set(kept.cases.flatMap(({ frontier }) => (frontier ?? []).filter(({ causes }) => causes > 0).map(({ ref }) => ref)));
  const isShown = new Set(kept.nodes.map(({ ref }) => ref));
  const lacking = [...drawn, ...kept.edges.flatMap(({ from, to }) => [from, to])].find((ref) => !isShown.has(ref) && proven.isThere(ref));
  if (lacking) yield `${lacking} is in the proof and not shown`;
  for (const [key, [edge]] of proven.edges) {
    const { from, to } = edge;
    if (!proven.isThere(from) || !proven.isThere(to)) continue; // nothing of it is here
    const [cause, effect] = runsAlong(edge) ? [from, to] : [to, from];
    if (hasInfluence(edge) && drawn.has(effect) && !drawn.has(cause) && !isCut.has(effect)) yield `${cause} is in the proof and not in the picture of ${effect}`;
    if (shown.has(key)) continue;
    if (drawn.has(from) && drawn.has(to)) yield `the edge ${key} is in the proof and not shown`;
    if (!hasInfluence(edge) && drawn.has(from) && !isShown.has(to)) yield `${to} is in the proof and not shown`;
  }
}

/** A list that is whole has each event, and each rating, that is proven. One that is cut says so, and is long. */
const isWhole = (list) => list.length < NEWEST;

function* ofHistory(of, result, proven) {
  const said = (proven.events.get(of) ?? []).filter(({ op }) => IN_HISTORY.has(op));
  if (said.length === 0) return;
  const isSameOp = ({ op, purged }, shown) => (op === 'expire' && purged ? 'purge' : op) === shown;
  const isSame = (event, shown) =>
    event.tx === shown.tx && event.at === shown.at && isSameOp(event, shown.op) && ['status', 'score', 'reason'].every((name) => !(name in event) || event[name] === shown[name]);
  const shown = result.events.filter(({ op }) => op !== 'feedback');
  // A further content of one transaction is a version in a history.
  const isFurther = (event, each) => each.op === 'version' && ['put', 'version', 'content'].includes(event.op) && event.tx === each.tx && event.at === each.at;
  const forged = shown.find((each) => !said.some((event) => isSame(event, each) || isFurther(event, each)));
  if (forged) yield `the history of ${of} has an event that is not in the proof`;
  const first = isWhole(result.events) ? 0 : (result.events[0]?.tx ?? Infinity);
  if (said.some((event) => event.op !== 'content' && event.tx >= first && !shown.some((each) => isSame(event, each)))) yield `the history of ${of} lacks an event that is in the proof`;
}

function isCounted({ records, left, feedback_count: count, mean_score: mean }) {
  const scores = records.map(({ score }) => score).filter((score) => score !== undefined);  // some are in words alone
  const own = scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const isGone = records.some(({ expired, purged }) => expired || purged);
  const isMean = isGone || mean === undefined || (own === null || mean === null ? own === mean : Math.abs(own - mean) <= 1e-9);
  return isMean && !left && new Set(records.map(({ id }) => id)).size === records.length && (mean === undefined || count === records.length);
}

function* ofRatings(of, result, proven) {
  const given = result?.records ?? [];
  if (!isWhole(given)) return;
  if (result && !isCounted(result)) yield `the ratings of ${of} are not counted as they are shown`;
  const shown = new Set(given.map(({ id }) => `FeedbackRecord:${id}`));
  const said = [...proven.edges.values()].map(([edge]) => edge).filter(({ type, to, from }) => type === 'EVALUATES' && to === of && proven.isThere(from));
  const lacking = said.find(({ from }) => !shown.has(from));
  if (lacking) yield `the rating ${lacking.from} is in the proof and not shown`;
}

/** What happened in a transaction that is proven happened when that says. */
function* ofTimes({ events }, proven) {
  const times = new Map([...proven.events.values()].flat().map(({ tx, at }) => [tx, at]));
  if (events.some(({ tx, at }) => times.has(tx) && times.get(tx) !== at)) yield 'an event of a history is shown at another time than it happened';
}

function* ofAnswers(kept, proven) {
  const pages = new Set(kept.cases.map(({ ref }) => ref));
  for (const of of pages)
    for (const due of ['history.get', ...(RATED.has(typeIn(of)) ? ['feedback.list'] : [])])
      if (!kept.answers.some((each) => each.method === due && each.of === of)) yield `the answer of ${due} on ${of} is not in the file`;
  for (const { method, of, result } of kept.answers) {
    if (method === 'history.get') {
      yield* ofTimes(result ?? { events: [] }, proven);
      yield* ofHistory(of, result ?? { events: [] }, proven);
    }
    if (method === 'feedback.list' && pages.has(of)) yield* ofRatings(of, result, proven);
  }
}

/** The first thing that is shown otherwise than it was recorded, or is proven here and not shown, as a sentence; else undefined. */
export function findDifference(kept, proven) {
  for (const differences of [ofNodes, ofEdges, ofAnswers]) for (const each of differences(kept, proven)) return each;
  return undefined;
}

/** Whether the proof has what is shown of a record; where it has other words, that is a difference. */
function isProven({ ref, node, record }, proven) {
  if (isShownAsDeleted(node)) return record ? proven.pastLives(ref).length > 0 : proven.wasDeleted(ref);
  return record ? proven.lifeOf(ref) !== undefined : proven.events.has(ref);
}

/** How many of the records and edges that the page shows are proven, and how many there are. */
export function countProven(kept, proven) {
  const shown = new Map();
  for (const each of allShown(kept)) {
    if (!each.record && each.node?.type === undefined) continue; // a name within a record
    const key = `${each.ref}${isShownAsDeleted(each.node) ? ' deleted' : ''}`;
    shown.set(key, (shown.get(key) ?? true) && isProven(each, proven));
  }
  return {
    records: [[...shown.values()].filter(Boolean).length, shown.size],
    edges: [kept.edges.filter((edge) => proven.edges.has(keyOf(edge))).length, kept.edges.length],
  };
}
