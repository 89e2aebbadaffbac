// What a search finds: asked of the server's index where it has one, else by beginnings of fields and the newest texts.
import { h } from '../dom.js';
import { countText, dayText, memberWords, plural } from '../form.js';
import { TYPES, idOfRef, shortId, timeOf, typeName } from '../vocabulary.js';
import { momentOf } from '../server/load.js';

const METHOD_NOT_FOUND = -32601;
const DEADLINE_MS = 4000;
const SNIPPET_MAX = 400;

export class Index {
  constructor(rpc) {
    this.rpc = rpc;
    this.isMissing = false; // an older server, or one whose search is off
  }

  /**
   * @param {string} text @param {{types?: string[], limit: number, cursor?: string, asOf: number|string|null}} options
   * @returns {Promise<object|null>} the answer of `search`; null where the server has no index
   */
  async ask(text, { types = [], limit, cursor, asOf, include = ['record', 'status'] }) {
    if (this.isMissing) return null;
    const params = cursor
      ? { cursor, limit }
      : { text, limit, include, timeout_ms: DEADLINE_MS, ...(types.length ? { types } : {}), ...momentOf(asOf) };
    try {
      return await this.rpc.call('search', params);
    } catch (error) {
      if (error.code === METHOD_NOT_FOUND || isOff(error)) {
        this.isMissing = true;
        return null;
      }
      throw error;
    }
  }
}

const isOff = ({ data }) => /search/.test(data?.rule ?? '') || /off|disabled/.test(data?.rule ?? '');

/** How many there are, as far as the server says: `12`, `20 of 153`, `20 of at least 1,000`. */
export function countOf(shown, { total, total_is_at_least: atLeast, complete, cursor }) {
  if (total !== undefined && total > shown)
    return `${countText(shown)} of ${atLeast ? 'at least ' : ''}${countText(total)}`;
  return complete === false || cursor ? `the first ${countText(shown)}` : plural(shown, 'record');
}

/** A cut of a text with what was sought marked; never more than a line or three. */
export function snippet({ path, parts }) {
  let left = SNIPPET_MAX;
  const shown = (parts ?? []).map(({ text, match }) => {
    const part = String(text ?? '').slice(0, Math.max(0, left));
    left -= part.length;
    return match ? h('mark', {}, part) : part;
  });
  return h('span', { class: 'snippet-text' }, h('span', { class: 'where' }, placeOf(path)), h('bdi', {}, shown));
}

/** `/citations/0/feedback_text` as `citations remark`. */
const placeOf = (path) =>
  String(path ?? '')
    .split('/')
    .filter((part) => part && !/^\d+$/.test(part))
    .slice(0, 4)
    .map(memberWords)
    .join(' ')
    .slice(0, 80);

export function metaOf(node) {
  const time = timeOf(node);
  return [
    typeName(node.type),
    shortId(node.id ?? idOfRef(node.ref), 48),
    node.record?.agent?.slice(0, 48),
    time !== null && dayText(time),
    node.status === 'deprecated' && 'deprecated',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Types that have records, in the vocabulary's order. */
export const typesWith = (counts) => Object.keys(TYPES).filter((type) => counts?.[type] > 0);
