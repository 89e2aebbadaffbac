// Names and moments that the server does not know, in the page's words, with the nodes whose names are most like them.
import { INVALID_PARAMS, NOT_FOUND, describe } from './rpc.js';
import { timeText } from '../form.js';
import { idOfRef, shortId, timeOf } from '../vocabulary.js';

const SIMILAR_MAX = 3;
/** So many nodes are looked at for each text that the server suggests. */
const LOOKED_AT_MAX = 50;
const NAME_MAX = 80;

/** The name that an error is about, where no node has it; null where the error is about something else. */
export function unknownName({ code, data }) {
  const isName = code === NOT_FOUND || (code === INVALID_PARAMS && data?.rule === 'ref');
  return isName && typeof data?.seen === 'string' ? data.seen : null;
}

/** Whether an error is about the moment that was asked for. */
export const isOfMoment = ({ code, data }) => code === INVALID_PARAMS && /^\/as_of/.test(data?.path ?? '');

/** Whether an error is about what a state is compared with, and not about what it shows. */
export function isOfOther(error, { ref, with: other }) {
  if (!other) return false;
  if (isOfMoment(error)) return String(error.data.seen) === other.slice('tx:'.length);
  const name = unknownName(error);
  return name !== null && name !== ref && (name === other || name.endsWith(`:${other}`));
}

/** An error in plain words; one about a name or a moment has none of the protocol's. */
export function inWords(error, asOf = null) {
  const name = unknownName(error);
  if (name !== null) {
    const shown = shortId(name, NAME_MAX);
    if (error.data.rule === 'deleted') return `${shown} was deleted.`;
    if (asOf !== null) return `No node was called ${shown} at this moment: it was recorded later, or never.`;
    if (error.code === NOT_FOUND) return `No node is called ${shown}.`;
    return `No node is called ${shown || 'nothing'}: a name is a type and an id, such as Response:resp_1.`;
  }
  if (!isOfMoment(error)) return describe(error);
  const { rule, seen } = error.data;
  if (rule === 'range') return `There is no transaction ${seen} yet.`;
  return `${shortId(String(seen), NAME_MAX)} is no moment: a moment is the number of a transaction, or a time such as 2025-10-09T16:15:00Z.`;
}

/**
 * Of a node that was not there yet at a moment: what it is now, and the transaction that recorded it; null of one that never was, or that
 * was there before.
 */
export async function recordedLater(rpc, error, asOf) {
  const ref = unknownName(error);
  if (ref === null || asOf === null || error.code !== NOT_FOUND) return null;
  try {
    const [{ nodes }, { events }] = await Promise.all([rpc.call('node.get', { ref, include: ['record'] }), rpc.call('history.get', { ref, limit: 1 })]);
    const [{ tx, at }] = events;
    const isBefore = typeof asOf === 'number' ? tx <= asOf : Date.parse(at) <= Date.parse(asOf);
    return isBefore ? null : { node: nodes[0], tx, at };
  } catch {
    return null;
  }
}

/** That a node was recorded after the moment that is shown, with its own date where it has one. */
export function laterText({ node, at }) {
  const own = timeOf(node);
  return `It was not recorded here yet at this moment${own === null ? ': it' : `. Its own date is ${timeText(own)}; it`} was recorded here on ${timeText(at)}.`;
}

/** How many letters two names have in common at both ends. */
function likeness(a, b) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return head + tail;
}

/** The refs among `refs` that are most like a name, the most like first: more than half of the letters of their ids are the same. */
export function mostAlike(name, refs) {
  const wanted = idOfRef(name).toLowerCase();
  return [...new Set(refs)]
    .map((ref) => ({ ref, id: idOfRef(ref).toLowerCase() }))
    .map(({ ref, id }) => ({ ref, like: likeness(wanted, id), most: Math.max(wanted.length, id.length) }))
    .filter(({ like, most }) => like * 2 > most)
    .sort((a, b) => b.like - a.like || (a.ref < b.ref ? -1 : 1))
    .slice(0, SIMILAR_MAX)
    .map(({ ref }) => ref);
}

/**
 * Refs of nodes that are called nearly so, of what the server's index finds with the words of the name, or with those that it suggests.
 * @returns {Promise<string[]>} none where there is no index
 */
export async function similarNames(rpc, error, moment) {
  const name = unknownName(error);
  const meant = /did you mean `([^`]+)`/.exec(error.message)?.[1];
  const ask = (params) => rpc.call('search', { limit: LOOKED_AT_MAX, ...params, ...moment });
  const exists = meant ? await rpc.call('node.get', { ref: meant, ...moment }).catch(() => null) : null;
  if (exists) return [exists.nodes[0].ref];
  const text = idOfRef(meant ?? name).trim();
  if (!text) return [];
  try {
    const { nodes, suggestions = [] } = await ask({ text });
    const others = nodes.length ? [] : await Promise.all(suggestions.map((each) => ask({ text: each })));
    return mostAlike(text, [...nodes, ...others.flatMap((answer) => answer.nodes)].map(({ ref }) => ref));
  } catch {
    return [];
  }
}
