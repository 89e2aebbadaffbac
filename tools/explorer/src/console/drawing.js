// The graph that an answer holds: the nodes of a query's rows with their relations, else the nodes that it names, with their edges.
import { momentOf } from '../server/load.js';
import { Model } from '../server/model.js';
import { go } from '../state.js';
import { queryRows, refsOf } from './result.js';
import { graphOfRows } from './rows_graph.js';

/** @returns {Promise<{nodes: object[], edges: object[], tx: number, isNamed: boolean}>} `isNamed`: the answer names nodes at all */
export async function drawnOf(rpc, result) {
  const rows = queryRows(result);
  const graph = rows && graphOfRows(rows);
  return graph?.nodes.length ? ofRows(rpc, graph, result) : namedNodes(rpc, result);
}

/** A page whose answer may be drawn in the page's own picture; `drew` is called when it is. */
export class Drawn {
  graph = null;

  /** Draws what `drawnOf` gave, of which there is some. */
  openPicture({ nodes, edges, tx }) {
    const model = new Model(nodes[0].ref, nodes.length);
    model.merge({ nodes, edges });
    this.graph = { model, tx, roots: nodes.map(({ ref }) => ref) };
    this.drew?.(this);
    go({ view: 'answer', ref: nodes[0].ref, sel: nodes[0].ref, focus: false, x: [], with: '', w: 0 });
  }

  /** What the picture shows, in the form of `load`; null where there is none. */
  loaded() {
    return this.graph && { ...this.graph, answeredAt: performance.now() };
  }
}

/** The nodes of rows as the rows have them, of whatever moment, and their relations; all edges between the nodes where there are none. */
async function ofRows(rpc, { nodes, edges, ends }, { tx = null }) {
  const asked = edges.length ? ends : nodes.map(({ ref }) => ref);
  const found = asked.length ? await nodesOf(rpc, asked, momentOf(tx)) : { nodes: [] };
  const known = new Set(nodes.map(({ ref }) => ref));
  const others = found.nodes.filter(({ ref }) => !known.has(ref)).map(({ edges: _, ...node }) => node);
  const between = edges.length ? edges : found.nodes.flatMap((node) => node.edges ?? []);
  return { nodes: [...nodes, ...others], edges: between, tx: tx ?? found.tx, isNamed: true };
}

async function namedNodes(rpc, result) {
  const refs = refsOf(result ?? {});
  const found = refs.length ? await nodesOf(rpc, refs, momentOf(result.tx ?? null)) : { nodes: [] };
  return {
    nodes: found.nodes.map(({ edges, ...node }) => node),
    edges: found.nodes.flatMap(({ edges }) => edges ?? []),
    tx: found.tx,
    isNamed: refs.length > 0,
  };
}

/** Nodes with their edges; those that do not exist are left out. */
async function nodesOf(rpc, refs, moment) {
  const ask = (wanted) => rpc.call('node.get', { refs: wanted, include: ['record', 'status', 'edges'], ...moment });
  try {
    return await ask(refs);
  } catch (error) {
    const gone = new Set((error.data?.errors ?? []).map(({ index }) => index));
    const left = refs.filter((_, i) => !gone.has(i));
    return left.length && left.length < refs.length ? ask(left).catch(() => ({ nodes: [] })) : { nodes: [] };
  }
}
