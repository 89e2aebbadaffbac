// What the server is asked for each view, and the model made of the answers.
import { Model, NODES_MAX, newerThan } from './model.js';
import { OPENED_STEP } from '../picture/groups.js';
import { NOT_FOUND } from './rpc.js';
import { timeOfTransaction } from './watch.js';

const INCLUDE = ['record', 'status'];
const COMPARED_MAX = 149;

/** Members of params that fix the moment. */
export const momentOf = (asOf) => (asOf === null ? {} : { as_of: asOf });

/**
 * Loads what a state shows.
 * @returns {Promise<{model: Model, tx: number, answeredAt: number, roots: string[], impact?: object, compared?: object}>}
 *   answeredAt is when the answer that the picture waits for was here
 */
export async function load(rpc, state) {
  const loaded = await loadView(rpc, state);
  if (!state.with) for (const ref of state.pin) await addNode(rpc, loaded.model, ref, state.as_of);
  return loaded;
}

function loadView(rpc, state) {
  if (state.view === 'impact') return loadImpact(rpc, state);
  if (state.with.startsWith('tx:')) return loadMoments(rpc, state, momentNamed(state.with.slice(3)));
  if (state.with) return loadPair(rpc, state);
  return loadNeighbourhood(rpc, state);
}

/** A transaction by its number; anything else as it is, for the server to say what is wrong with it. */
const momentNamed = (text) => (/^\d+$/.test(text) ? Number(text) : text);

/** How many nodes a state loads at most. */
export const mostOf = ({ all }) => all || NODES_MAX;

async function loadNeighbourhood(rpc, state) {
  const answer = await neighbourhood(rpc, state, state.as_of);
  const answeredAt = performance.now();
  const model = new Model(rootOf(answer), mostOf(state));
  model.merge(answer);
  for (const expanded of state.x) await expand(rpc, model, expanded, state.as_of);
  return { model, tx: answer.tx, answeredAt: state.x.length ? performance.now() : answeredAt, roots: [model.root] };
}

const neighbourhood = (rpc, state, asOf) => graphAround(rpc, { ref: state.ref, up: state.up, down: state.down, limit: mostOf(state) }, asOf);

/**
 * lineage.graph with relations. Where not all is in it, influence comes first: a relation has no weight, so that the server takes ratings
 * before the sources that carry one.
 */
async function graphAround(rpc, params, asOf) {
  const ask = (relations) => rpc.call('lineage.graph', { ...params, relations, include: INCLUDE, ...momentOf(asOf) });
  const whole = await ask(true);
  return whole.nodes.length < params.limit ? whole : influenceFirst(await ask(false), whole, params.limit);
}

/** The nodes of the first answer, then of those of the second as many as there is room for. */
function influenceFirst(influence, whole, limit) {
  const model = new Model('', limit);
  model.merge(influence);
  model.merge(whole);
  const frontier = [...model.nodes.keys()].map((ref) => ({ ref, causes: model.hidden(ref, 'causes'), effects: model.hidden(ref, 'effects') }));
  return { ...whole, nodes: [...model.nodes.values()], edges: [...model.edges.values()], frontier };
}

const rootOf = (answer) => answer.nodes.find((node) => node.depth === 0).ref;

/** Adds neighbours of a node on one side, the strongest first, and the edges between them and what is shown. */
async function expand(rpc, model, expanded, asOf) {
  const [side, ref] = [expanded.slice(0, expanded.indexOf(' ')), expanded.slice(expanded.indexOf(' ') + 1)];
  if (side === 'node') return addNode(rpc, model, ref, asOf);
  // What is loaded and not drawn is drawn first.
  const room = Math.min(OPENED_STEP, model.most - model.nodes.size);
  if (!model.nodes.has(ref) || room <= 0) return;
  const known = new Set(model.nodes.keys());
  const limit = Math.min(model.most, 1 + model.neighbours(ref, side).size + room);
  const depths = side === 'causes' ? { up: 1, down: 0 } : { up: 0, down: 1 };
  const answer = await graphAround(rpc, { ref, ...depths, limit }, asOf);
  const own = model.nodes.get(ref);
  const totals = { causesTotal: own.causesTotal, effectsTotal: own.effectsTotal };
  model.merge(answer);
  Object.assign(model.nodes.get(ref), totals);
  await addEdgesAmong(
    rpc,
    model,
    answer.nodes.map((node) => node.ref).filter((each) => !known.has(each) && model.nodes.has(each)),
    asOf,
  );
}

/** Adds one node with its edges to what is shown; one that does not exist at the moment is left out. */
export async function addNode(rpc, model, ref, asOf) {
  if (model.nodes.has(ref)) return;
  const answer = await rpc
    .call('node.get', { ref, include: [...INCLUDE, 'edges'], ...momentOf(asOf) })
    .catch(() => ({ nodes: [] }));
  for (const { edges, ...node } of answer.nodes) {
    model.addNode(node);
    for (const edge of edges) model.addEdge(edge);
  }
}

async function addEdgesAmong(rpc, model, refs, asOf) {
  if (refs.length === 0) return;
  const { nodes } = await rpc.call('node.get', { refs, include: ['edges'], ...momentOf(asOf) });
  for (const node of nodes) for (const edge of node.edges) model.addEdge(edge);
}

async function loadImpact(rpc, state) {
  const moment = momentOf(state.as_of);
  const [start, below, impact, listed] = await Promise.all([
    rpc.call('node.get', { ref: state.ref, include: INCLUDE, ...moment }),
    rpc.call('lineage.descendants', {
      ref: state.ref,
      form: 'graph',
      limit: mostOf(state) - 1,
      include: INCLUDE,
      ...moment,
    }),
    rpc.call('impact.analyze', { refs: [state.ref], order: 'share', limit: 1000, include: INCLUDE, ...moment }),
    rpc.call('versions.list', { ref: state.ref, limit: 10_000, ...moment }).catch(() => null),
  ]);
  const answeredAt = performance.now();
  const model = new Model(start.nodes[0].ref, mostOf(state));
  model.merge({ nodes: [{ ...start.nodes[0], depth: 0, weight: 1 }, ...below.nodes], edges: below.edges });
  for (const node of impact.nodes) {
    const shown = model.nodes.get(node.ref);
    if (shown) shown.share = node.share;
  }
  // Where not all is here, there may be ways that are not seen.
  const through = below.complete ? model.onlyThrough(model.root, newerThan(model.root, listed)) : new Set();
  for (const node of impact.nodes) node.isThroughNewer = through.has(node.ref);
  return { model, tx: start.tx, answeredAt, roots: [model.root], impact };
}

/** The neighbourhood at two moments, as one picture; what is in one of them only is marked. */
async function loadMoments(rpc, state, earlier) {
  const empty = { nodes: [], edges: [] };
  const [before, after] = await Promise.all([
    neighbourhood(rpc, state, earlier).catch((error) => {
      if (error.code === NOT_FOUND) return empty;
      throw error;
    }),
    neighbourhood(rpc, state, state.as_of),
  ]);
  const [listed, ...times] = await Promise.all([
    before === empty ? null : rpc.call('lineage.diff', { ref: state.ref, as_of_a: earlier, as_of_b: after.tx }),
    timeOfTransaction(rpc, earlier),
    timeOfTransaction(rpc, after.tx),
  ]);
  const answeredAt = performance.now();
  const model = united(before, after, rootOf(after), mostOf(state));
  markReweighted(model, listed);
  markStatuses(model, before.nodes);
  return {
    model,
    tx: after.tx,
    answeredAt,
    roots: [model.root],
    compared: { kind: 'moments', a: earlier, b: after.tx, times, listed },
  };
}

/** The ancestries of two nodes, as one picture; what is in one of them only is marked. */
async function loadPair(rpc, state) {
  const moment = momentOf(state.as_of);
  const ancestry = async (ref) => {
    const [start, above] = await Promise.all([
      rpc.call('node.get', { ref, include: INCLUDE, ...moment }),
      rpc.call('lineage.ancestors', { ref, form: 'graph', limit: COMPARED_MAX, include: INCLUDE, ...moment }),
    ]);
    return {
      tx: start.tx,
      root: start.nodes[0].ref,
      nodes: [{ ...start.nodes[0], weight: 1 }, ...above.nodes],
      edges: above.edges,
    };
  };
  const [a, b, listed] = await Promise.all([
    ancestry(state.ref),
    ancestry(state.with),
    rpc.call('lineage.diff', { a: state.ref, b: state.with, ...moment }),
  ]);
  const answeredAt = performance.now();
  const model = united(a, b, a.root, mostOf(state));
  for (const root of [a.root, b.root]) delete model.nodes.get(root).mark;
  markReweighted(model, listed);
  for (const node of model.nodes.values()) node.isOfPair = true;
  return {
    model,
    tx: a.tx,
    answeredAt,
    roots: [a.root, b.root],
    compared: { kind: 'pair', a: a.root, b: b.root, listed },
  };
}

/** Both answers in one model; `added` is in b only, `removed` in a only. */
function united(a, b, root, most) {
  const model = new Model(root, most);
  model.merge(b);
  model.merge(a);
  const keys = (answer) => new Set(answer.edges.map((edge) => `${edge.type} ${edge.from} ${edge.to}`));
  const [inA, inB] = [a, b].map((answer) => new Set(answer.nodes.map((node) => node.ref)));
  const [edgesA, edgesB] = [keys(a), keys(b)];
  for (const node of model.nodes.values()) node.mark = markOf(inA.has(node.ref), inB.has(node.ref));
  for (const edge of model.edges.values()) edge.mark = markOf(edgesA.has(edge.key), edgesB.has(edge.key));
  for (const node of model.nodes.values()) node.causesTotal = node.effectsTotal = 0;
  return model;
}

const markOf = (inA, inB) => (inA && inB ? undefined : inB ? 'added' : 'removed');

function markReweighted(model, listed) {
  for (const { ref } of listed?.reweighted ?? []) {
    const node = model.nodes.get(ref);
    if (node && !node.mark) node.mark = 'reweighted';
  }
}

/** Nodes that had another status at the earlier moment: `was` has it. */
function markStatuses(model, before) {
  for (const { ref, status } of before) {
    const node = model.nodes.get(ref);
    if (node && !node.mark?.startsWith('removed') && status && node.status !== status) node.was = status;
  }
}

/**
 * The path of influence between two nodes with the largest product of weights, in whichever direction there is one. Nodes and edges
 * of it that are not loaded come into the model.
 * @returns {Promise<{way: string[], keys: Set<string>, weight: number} | null>} null where there is none
 */
export async function strongestPath(rpc, model, a, b, asOf) {
  const ask = (from, to) =>
    rpc.call('lineage.path', { from, to, kind: 'strongest', ...momentOf(asOf) }).then(({ paths }) => paths[0] ?? null);
  const found = (await ask(a, b)) ?? (await ask(b, a));
  if (!found) return null;
  for (const ref of found.refs) await addNode(rpc, model, ref, asOf);
  for (const edge of found.edges) model.addEdge(edge);
  const keys = new Set(found.edges.map(({ type, from, to }) => `${type} ${from} ${to}`));
  return { way: found.refs, keys, weight: found.weight };
}
