// The questions of one page: all of them as of one moment, the transaction of the first answer, so that its parts agree.
import { momentOf } from '../server/load.js';

const LIMIT_EXCEEDED = -32050;

export class Ask {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {number | string | null} asOf */
  constructor(rpc, asOf) {
    this.rpc = rpc;
    this.asOf = asOf;
    this.tx = null;
  }

  /** The node that the page is of; fixes the moment of all later questions. */
  async start(ref) {
    const answer = await this.withRecords('node.get', { ref, include: ['record', 'status', 'edges'] });
    this.tx = answer.tx;
    return answer.nodes[0];
  }

  call(method, params) {
    return this.rpc.call(method, { ...params, ...momentOf(this.tx ?? this.asOf) });
  }

  /** As `call`, null where the server has no answer: a part of the page that is left out. */
  optional(method, params) {
    return this.call(method, params).catch(() => null);
  }

  /** As `call`, without the records where they are too large for one answer. */
  async withRecords(method, params) {
    try {
      return await this.call(method, params);
    } catch (error) {
      if (error.code !== LIMIT_EXCEEDED || !params.include?.includes('record')) throw error;
      return this.call(method, { ...params, include: params.include.filter((each) => each !== 'record') });
    }
  }

  /** Nodes of a type, in an order; [] where the server has no answer. */
  async find(type, where, order, limit, include = ['record']) {
    const answer = await this.withRecords('node.find', { type, where, order, limit, include }).catch(() => null);
    return answer?.nodes ?? [];
  }

  async count(type, where) {
    return (await this.optional('node.count', { type, where }))?.count ?? 0;
  }

  /** Records of some nodes by ref, as far as they exist. */
  async nodes(refs, include = ['record', 'status']) {
    if (refs.length === 0) return new Map();
    const answer = await this.withRecords('node.get', { refs, include }).catch(() => null);
    if (answer) return new Map(answer.nodes.map((node) => [node.ref, node]));
    const each = await Promise.all(refs.map((ref) => this.optional('node.get', { ref, include })));
    return new Map(each.filter(Boolean).map(({ nodes: [node] }) => [node.ref, node]));
  }

  /** The text of an attachment, or null where it is gone. */
  async xmlOf(node) {
    if (node.record?.xmlContent) return node.record.xmlContent;
    return (await this.optional('attachment.get', { hash: node.id }))?.xml ?? null;
  }

  /** What rests on a node: counts by type, and the largest shares first. */
  impact(ref, limit = 1, include = []) {
    return this.withRecords('impact.analyze', { refs: [ref], order: 'share', limit, include, timeout_ms: 5000 }).catch(
      () => null,
    );
  }
}

export const total = (counts) => Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

/** Nodes with each act once: of a response and the answer of its request, where both are there, the answer stays. */
export function onePerAct(nodes) {
  const answers = new Set(nodes.filter(({ type }) => type === 'Answer').map(({ id }) => id));
  return nodes.filter(({ type, record }) => type !== 'Response' || !answers.has(record?.request_id));
}

// Lists that the server gives from the oldest on: all of them are read, page by page, so that the newest can come first.
const PAGE = 10_000;
const PAGES_MAX = 20;
export const KEPT = 1000;

/**
 * The answer of a method with its list cut to the newest entries, `kept` of them.
 * @param {Ask} ask @param {string} list the member with the list
 * @returns {Promise<object | null>} null where the server has no answer; `left` is how many older entries are not in the list
 */
export async function newestOf(ask, method, params, list, kept = KEPT) {
  const first = await ask.optional(method, { ...params, limit: Math.min(kept, PAGE) });
  if (!first?.cursor) return first && { left: 0, ...first };
  let entries = first[list];
  let left = 0;
  let { cursor } = first;
  for (let page = 0; cursor && page < PAGES_MAX; page++) {
    const next = await ask.optional(method, { cursor, limit: PAGE });
    if (!next) return { ...first, left, isCut: true };
    entries = [...entries, ...next[list]];
    left += Math.max(0, entries.length - kept);
    entries = entries.slice(-kept);
    cursor = next.cursor;
  }
  return { ...first, [list]: entries, left, isCut: Boolean(cursor) };
}
