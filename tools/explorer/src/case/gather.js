// What a case holds: everything that the pages of some answers say, asked of the server as of one transaction. The program
// asks the same (tools/cli/cases) for `whence export --format html`; a test holds the two against each other.
import { Ask, newestOf } from '../read/ask.js';
import { RATED } from '../vocabulary.js';

export { RATED };

export const FORM = 1;
/** Most records that one answer rests on, and most of them that are listed with their share. */
const NODES_MAX = 10_000;
const SOURCES_MAX = 60;
const NEAR_MAX = 50;
const STALE_MAX = 100;
const EFFECTS_MAX = 13;
const CHANGED_MAX = 24;
const RECORDS_PER_CALL = 500;
const DEPTH_MAX = 1_000_000;
const VERSIONED = new Set(['ContextUnit', 'Summary', 'SystemPromptTemplate', 'ProvEntity']);
const WITH_RECORD = ['record', 'status'];
/** The server says that there is nothing, or that it has expired or was purged. */
const NOTHING = new Set([-32020, -32021, -32022]);

/**
 * @param {import('../server/rpc.js').Rpc} rpc
 * @returns {Promise<object>} the case, in the form that tools/explorer/README.md describes
 */
export async function gathered(rpc, refs, asOf) {
  const gathering = new Gathering(new Ask(rpc, asOf));
  for (const ref of refs) await gathering.answer(ref);
  const { ask, nodes, edges, answers, cases } = gathering;
  const [{ version }, described] = await Promise.all([rpc.call('server.info'), rpc.call('rpc.discover')]);
  return {
    form: FORM,
    whence: version,
    tx: ask.tx,
    made: new Date().toISOString(),
    types: described['x-whence-types'],
    cases,
    nodes: [...nodes.values()],
    edges: [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
    answers: [...answers.values()],
  };
}

class Gathering {
  constructor(ask) {
    this.ask = ask;
    this.nodes = new Map();
    this.edges = new Map();
    this.answers = new Map();
    this.cases = [];
  }

  take(nodes) {
    for (const { depth, weight, share, edges, ...node } of nodes ?? [])
      if (!this.nodes.get(node.ref)?.record) this.nodes.set(node.ref, node);
  }

  join(edges) {
    for (const edge of edges ?? []) this.edges.set(`${edge.type} ${edge.from} ${edge.to}`, edge);
  }

  /** Keeps an answer under its method and what it is about; records of the nodes that it lists are kept once. */
  keep(method, of, result) {
    const kept = result && { ...result };
    if (kept?.nodes) {
      this.take(kept.nodes);
      kept.nodes = kept.nodes.map(({ record, ...node }) => node);
    }
    this.answers.set(`${method} ${of}`, { method, of, result: kept });
    return result;
  }

  /** As a call; null where there is nothing. Any other failure ends the gathering: a case without a part would not say so. */
  async optional(method, params) {
    try {
      return await this.ask.call(method, params);
    } catch (error) {
      if (NOTHING.has(error.code)) return null;
      throw error;
    }
  }

  async put(method, of, params) {
    return this.keep(method, of, await this.optional(method, params));
  }

  async newest(method, ref, list) {
    const found = await newestOf(this, method, { ref }, list);
    if (found) delete found.cursor;
    return this.keep(method, ref, found);
  }

  async answer(ref) {
    const found = await this.ask.call('node.get', { ref, include: [...WITH_RECORD, 'edges'] });
    this.ask.tx ??= found.tx;
    const [node] = found.nodes;
    this.take([node]);
    const same = node.edges.find(({ type }) => type === 'SAME_ACT');
    const other = same && (same.from === node.ref ? same.to : same.from);
    if (same) this.join([same]);
    await this.drawn(node.ref);
    if (other) await this.records([other]);
    const sources = await this.put('lineage.influence', node.ref, { ref: node.ref, limit: SOURCES_MAX, include: WITH_RECORD });
    if (RATED.has(node.type)) await this.newest('feedback.list', node.ref, 'records');
    await this.newest('history.get', node.ref, 'events');
    await this.put('impact.analyze', node.ref, { refs: [node.ref], order: 'share', limit: EFFECTS_MAX, include: ['record'] });
    if (node.type === 'Response' || node.type === 'Answer') await this.act(node, other && this.nodes.get(other), sources);
  }

  /** The picture: everything that the node was made from. */
  async drawn(ref) {
    const graph = await this.ask.call('lineage.graph', { ref, up: DEPTH_MAX, down: 0, relations: true, limit: NODES_MAX });
    const refs = graph.nodes.map((node) => node.ref);
    this.cases.push({ ref, refs, frontier: graph.frontier });
    this.join(graph.edges);
    await this.records(refs);
  }

  async records(refs) {
    const lacking = refs.filter((ref) => !this.nodes.has(ref));
    for (let at = 0; at < lacking.length; at += RECORDS_PER_CALL)
      this.take((await this.ask.call('node.get', { refs: lacking.slice(at, at + RECORDS_PER_CALL), include: WITH_RECORD })).nodes);
  }

  /** What the page of an answer has beside what every page has. */
  async act(node, other, sources) {
    const response = node.type === 'Response' ? node : other;
    const answer = node.type === 'Answer' ? node : other;
    const request = answer?.id ?? response?.record?.request_id;
    const rag = request ? await this.optional('rag.get', { request_id: request }) : null;
    if (rag) await this.retrieval(request, rag);
    const near = [];
    for (const [method, type] of response ? [['lineage.ancestors', 'PROMPTED'], ['lineage.descendants', 'RENDERED_AS']] : []) {
      const params = { ref: response.ref, depth: 1, edge_types: [type], form: 'graph', limit: NEAR_MAX, include: WITH_RECORD };
      const found = await this.ask.call(method, params);
      this.take(found.nodes);
      this.join(found.edges);
      near.push(found.nodes.find((each) => each.type === 'XMLMessageAttachment'));
    }
    for (const each of near) if (each && !each.record?.xmlContent) await this.put('attachment.get', each.id, { hash: each.id });
    const [, rendered] = near;
    const hasQuestion = rag?.query || near[0] || response?.record?.prompt;
    if (!hasQuestion && rendered?.record) await this.asked(rendered.record);
    await this.stale(node, sources);
    for (const each of sources?.nodes ?? [])
      if (RATED.has(each.type) && !this.answers.has(`feedback.list ${each.ref}`))
        await this.put('feedback.list', each.ref, { ref: each.ref, limit: 1 });
    const mean = this.answers.get(`feedback.list ${node.ref}`).result?.mean_score;
    if (typeof mean === 'number' && mean < 0) await this.blame();
  }

  /** The records of a retrieval, and how near what it found was. */
  async retrieval(request, { query, prompt_context: prompt, retrieved_chunks: found }) {
    if (query) {
      const { nodes } = await this.ask.call('node.get', { ref: `Query:${request}`, include: [...WITH_RECORD, 'edges'] });
      this.take(nodes);
      this.join(nodes[0].edges.filter(({ type }) => type === 'RETRIEVED_FOR'));
    }
    await this.records([...(prompt ? [`PromptContext:${request}`] : []), ...(found ?? []).map(({ chunk_id }) => `RetrievedChunk:${chunk_id}`)]);
  }

  /** What was asked last before a message of a conversation. */
  async asked({ topicId, createdAt }) {
    const listed = await this.optional('attachment.list', { topicId, format: 'llm-query', limit: 1000 });
    const record = listed?.records.findLast((each) => each.createdAt <= createdAt);
    this.keep('attachment.list', topicId, listed && { tx: listed.tx, complete: listed.complete, records: record ? [record] : [] });
    if (record && !record.xmlContent) await this.put('attachment.get', record.hash, { hash: record.hash });
  }

  /** What became of the sources since. */
  async stale(node, sources) {
    await this.put('lineage.stale', node.ref, { ref: node.ref, limit: STALE_MAX, include: WITH_RECORD });
    for (const each of (sources?.nodes ?? []).slice(0, CHANGED_MAX)) {
      if (each.status === 'deprecated' || each.status === 'updated') await this.newest('history.get', each.ref, 'events');
      if (!VERSIONED.has(each.type) || each.status === 'active') continue;
      const found = await this.put('versions.list', each.ref, { ref: each.ref, limit: 10_000 });
      if (found?.versions.length) await this.records([found.versions.at(-1).ref]);
    }
  }

  /** Of what all badly rated answers rest on, what this case has. */
  async blame() {
    const found = await this.optional('impact.blame', { score_below: 0, limit: 1000, timeout_ms: 5000 });
    this.keep('impact.blame', '', found && { ...found, nodes: found.nodes.filter(({ ref }) => this.nodes.has(ref)) });
  }
}
