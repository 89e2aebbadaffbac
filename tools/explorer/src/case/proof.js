// What a proof in a case proves of what the page shows. The element `proof` has {keys, bundles}: verifier keys, and the texts of
// bundles (tools/verify). The keys are in the file as everything else is: the reader compares them with what is known elsewhere.
import { sha256Hex, verify } from '../../../verify/verify.mjs';

const WRITES = new Set(['put', 'version', 'content']);

// What a record that is shown has beside what was recorded under its ref: the members of its id, which the ref says, the units of a
// response, which are edges, and what follows from the rest.
const IN_REF = ['id', 'request_id', 'chunk_id', 'document_name', 'term', 'userId', 'discussionId', 'roundNumber', 'topic', 'version', 'modelId', 'hash'];
const BESIDE = new Set([...IN_REF, 'context_units', 'active', 'dangling', 'expired_versions', 'purged_versions', 'xml', 'persona', 'turn']);

const isObject = (value) => value !== null && typeof value === 'object';

/** Whether `shown` says all that `said` says, in the same words, and nothing else but what may stand beside it. */
function saysTheSame(said, shown) {
  if (!isObject(said) || !isObject(shown)) return said === shown;
  if (Array.isArray(said) !== Array.isArray(shown)) return false;
  if (Array.isArray(said)) return said.length === shown.length && said.every((each, i) => saysTheSame(each, shown[i]));
  return Object.keys(said).every((name) => saysTheSame(said[name], shown[name])) && Object.keys(shown).every((name) => name in said || BESIDE.has(name));
}

/** A node that was written more than once: later contents replace members and add to lists. */
const joined = (contents) =>
  contents.reduce((whole, content) => {
    for (const [name, value] of Object.entries(content)) whole[name] = Array.isArray(value) && Array.isArray(whole[name]) ? [...whole[name], ...value] : value;
    return whole;
  }, {});

/** Whether each member that is shown is one of those that were recorded. */
const saysOnly = (said, shown) =>
  Object.entries(shown).every(
    ([name, value]) => BESIDE.has(name) || (Array.isArray(value) && Array.isArray(said[name]) ? value.every((each) => said[name].some((one) => saysTheSame(one, each))) : saysTheSame(said[name], value)),
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

/** The text of a summary is that of all its versions; what this one added is what was recorded. */
export function isAsRecorded(contents, { content, ...shown }) {
  const record = shown.$type$ === 'Summary' ? shown : content === undefined ? shown : { ...shown, content };
  const said = joined(contents);
  if (contents.length > 1) return saysOnly(said, withDigests(said, record));
  if (shown.$type$ === 'Summary') delete said.content;
  if (shown.$type$ === 'XMLMessageAttachment') delete said.responseId; // shown beside the record
  return saysTheSame(said, withDigests(said, record));
}

const keyOf = ({ type, from, to }) => `${type} ${from} ${to}`;

/** Every record that the page shows, by ref: of nodes, and of ratings in lists. */
function shownRecords({ nodes, answers }) {
  const shown = new Map(nodes.filter(({ record }) => record).map(({ ref, record }) => [ref, record]));
  for (const { method, result } of answers)
    if (method === 'feedback.list') for (const record of result?.records ?? []) if (record.$type$) shown.set(`FeedbackRecord:${record.id}`, record);
  return shown;
}

/** What the bundles say: the contents of each ref up to the case's transaction, in order, and the edges. */
function provenIn(bundles, tx) {
  const records = new Map();
  const edges = new Set();
  for (const { events } of bundles)
    for (const { line, record } of events) {
      const event = JSON.parse(line);
      if (event.tx > tx) continue;
      if (event.op === 'delete') records.delete(event.ref);
      if (record !== undefined && WRITES.has(event.op)) records.set(event.ref, [...(records.get(event.ref) ?? []), JSON.parse(record)]);
      for (const edge of event.edges ?? []) edges.add(keyOf(edge));
    }
  return { records, edges };
}

/**
 * @param {string} text of the element `proof` @param {object} kept the case
 * @returns {{kind: 'good' | 'part' | 'bad', failure?: string, reports?: object[], records?: number[], edges?: number[],
 *   without?: string[]}} `records` and `edges`: how many of those shown are proven, and how many are shown; `without`: answers
 *   that no bundle is about. `part`: all that is proven holds, and not all that is shown is proven
 */
export function check(text, kept) {
  const bad = (failure) => ({ kind: 'bad', failure });
  let proof;
  let reports;
  try {
    proof = JSON.parse(text);
    reports = proof.bundles.map((bundle) => verify(bundle, proof.keys));
  } catch (error) {
    return bad(`it cannot be read: ${error.message}`);
  }
  if (reports.length === 0) return bad('it proves nothing');
  const failed = reports.find(({ verified }) => !verified);
  if (failed) return bad(failed.failures.map(({ path, rule }) => `${rule} at ${path || 'its beginning'}`).join(', '));
  const proven = provenIn(proof.bundles.map((bundle) => JSON.parse(bundle)), kept.tx);
  const shown = shownRecords(kept);
  let count = 0;
  for (const [ref, record] of shown) {
    if (!proven.records.has(ref)) continue;
    if (!isAsRecorded(proven.records.get(ref), record)) return bad(`what is shown of ${ref} is not what was recorded`);
    count += 1;
  }
  const edges = kept.edges.filter((edge) => proven.edges.has(keyOf(edge))).length;
  const about = new Set(reports.map((report) => report.about));
  const without = kept.cases.map(({ ref }) => ref).filter((ref) => !about.has(ref));
  const isWhole = count === shown.size && edges === kept.edges.length && without.length === 0;
  return { kind: isWhole ? 'good' : 'part', reports, records: [count, shown.size], edges: [edges, kept.edges.length], without };
}
