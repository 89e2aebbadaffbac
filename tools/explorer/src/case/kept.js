// The questions of a page answered from a case: by what a server answered when the case was made.
import { Model } from '../server/model.js';
import { RpcError } from '../server/rpc.js';

const NOT_FOUND = -32020;
const SIDES = { 'lineage.ancestors': ['causes', 'cause'], 'lineage.descendants': ['effects', 'effect'] };

const notFound = (what) => new RpcError({ code: NOT_FOUND, message: `${what} is not in this case` });

/** What a question is about, by which its answer is kept. */
const subjectOf = ({ ref, refs, request_id: request, hash, topicId }) => ref ?? refs?.[0] ?? request ?? hash ?? topicId ?? '';

export class KeptRpc {
  /** Nothing more can be asked. */
  isKept = true;

  constructor(kept) {
    this.kept = kept;
    this.model = new Model('', Infinity);
    kept.nodes.forEach((node) => this.model.addNode(node));
    kept.edges.forEach((edge) => this.model.addEdge(edge));
    this.answers = new Map(kept.answers.map(({ method, of, result }) => [`${method} ${of}`, result]));
  }

  has(ref) {
    return this.model.nodes.has(ref);
  }

  /** Whether it is one of those that the case was made of. */
  hasPage(ref) {
    return this.kept.cases.some((each) => each.ref === ref);
  }

  async call(method, params) {
    if (method === 'node.get') return this.nodes(params);
    if (SIDES[method]) return this.beside(method, params);
    if (method === 'rag.get') return this.retrieval(params.request_id);
    const key = `${method} ${subjectOf(params)}`;
    const result = this.answers.get(key);
    // A test looks at this: what a page asks for is to be in the case, or to be known not to be there.
    if (result === undefined) document.body.dataset.lacks = `${document.body.dataset.lacks ?? ''}${key}\n`;
    if (!result) throw notFound(key);
    return result.nodes ? { ...result, nodes: result.nodes.map((node) => ({ ...this.model.nodes.get(node.ref), ...node })) } : result;
  }

  edgesOf(ref) {
    return [...this.model.causes.get(ref), ...this.model.effects.get(ref)];
  }

  nodes({ ref, refs = [ref] }) {
    const found = refs.filter((each) => this.has(each));
    if (found.length === 0) throw notFound(refs[0]);
    return {
      tx: this.kept.tx,
      nodes: found.map((each) => ({ ...this.model.nodes.get(each), edges: this.edgesOf(each) })),
    };
  }

  /** What is kept of a retrieval and its answer: records and edges, which are in the case once. */
  retrieval(id) {
    const partOf = (type) => this.model.nodes.get(`${type}:${id}`)?.record ?? null;
    if (!['Query', 'PromptContext', 'Answer'].some((type) => this.has(`${type}:${id}`))) throw notFound(`rag.get ${id}`);
    const found = this.kept.edges.filter(({ type, to }) => type === 'RETRIEVED_FOR' && to === `Query:${id}`);
    return {
      query: partOf('Query'),
      prompt_context: partOf('PromptContext'),
      retrieved_chunks: found.map(({ from, similarity, rank }) => ({ chunk_id: from.slice(from.indexOf(':') + 1), similarity_score: similarity, rank })),
    };
  }

  /** Neighbours of a node, by the types of their edges. */
  beside(method, { ref, edge_types: types, form }) {
    if (!this.has(ref)) throw notFound(ref);
    const [side, end] = SIDES[method];
    const edges = this.model[side].get(ref).filter((edge) => !edge.isRelation && (!types || types.includes(edge.type)));
    const refs = new Set(edges.map((edge) => edge[end]));
    return form === 'edges' ? { edges } : { nodes: [...refs].map((each) => this.model.nodes.get(each)) };
  }

  /** How many neighbours that a record of the case was made from are known not to be in it. */
  leftOut(ref) {
    const drawn = this.kept.cases.find((each) => each.ref === ref);
    return (drawn?.frontier ?? []).reduce((sum, { causes }) => sum + causes, 0);
  }

  /** The part of the graph that a record of the case was made from, for its picture. */
  picture(ref) {
    const drawn = this.kept.cases.find((each) => each.ref === ref);
    if (!drawn) return null;
    const model = new Model(ref, Infinity);
    const refs = new Set(drawn.refs);
    model.merge({
      nodes: drawn.refs.map((each) => this.model.nodes.get(each)),
      edges: this.kept.edges.filter(({ from, to }) => refs.has(from) && refs.has(to)),
      frontier: drawn.frontier,
    });
    return model;
  }
}
