// The worker that finds places for nodes: dagre's layers, then layers that are too long for the stage are folded.
import { Graph, layout } from '@dagrejs/dagre';

/** A shape with three lines of text below it. */
const NODE = { width: 132, height: 74 };
const GAP = { LR: 64, TB: 40, node: 10 };
/**
 * Above this dagre's sweeps against crossings are left out: on 300 nodes they take two thirds of its time, and layers
 * that long are folded anyway, after a few sweeps of our own (`untangle`).
 */
const SWEPT_NODES_MAX = 120;
const SWEEPS = 8;

onmessage = ({ data: { id, nodes, edges, direction, aspect } }) => {
  const graph = layered(nodes, edges, direction);
  const places = nodes.map((ref) => ({ ref, x: graph.node(ref).x, y: graph.node(ref).y }));
  const isFolded = fold(places, edges, direction, aspect);
  postMessage({ id, places, bends: isFolded ? [] : bendsOf(graph) });
};

// A small layout without need, so that the engine knows dagre when the reader waits for the first real one.
const warm = Array.from({ length: 60 }, (_, i) => String(i));
layered(
  warm,
  warm.slice(1).map((ref, i) => [String(i >> 1), ref]),
  'LR',
);

function layered(nodes, edges, direction) {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, ranker: 'tight-tree', ranksep: GAP[direction], nodesep: GAP.node });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const ref of nodes) graph.setNode(ref, { ...NODE });
  for (const [cause, effect] of edges) if (cause !== effect) graph.setEdge(cause, effect);
  layout(graph, { disableOptimalOrderHeuristic: nodes.length > SWEPT_NODES_MAX });
  return graph;
}

/** The points where edges that pass through layers turn, so that they go around the nodes there. */
function bendsOf(graph) {
  return graph
    .edges()
    .map(({ v, w }) => ({ cause: v, effect: w, points: graph.edge({ v, w }).points.slice(1, -1) }))
    .filter(({ points }) => points.length > 1);
}

/**
 * A layer of 200 nodes is a line that nobody can read at once. Such layers become several lines side by side, with as
 * many nodes each as makes the whole picture largest on a stage of this aspect (width / height).
 * @returns {boolean} whether any was folded
 */
function fold(places, edges, direction, aspect) {
  const along = direction === 'LR' ? 'x' : 'y';
  const across = direction === 'LR' ? 'y' : 'x';
  const step =
    direction === 'LR'
      ? { along: NODE.width + 12, across: NODE.height + GAP.node, gap: GAP.LR, aspect }
      : { along: NODE.height + 12, across: NODE.width + GAP.node, gap: GAP.TB, aspect: 1 / aspect };
  const ranks = ranksOf(places, along, across);
  const most = Math.max(0, ...ranks.map((rank) => rank.length));
  const lines = bestLength(ranks, step);
  if (lines >= most) return false;

  const squeeze = (lines * step.across) / Math.max(1, spread(places, across));
  if (places.length > SWEPT_NODES_MAX) untangle(ranks, edges, across);
  let at = 0;
  for (const rank of ranks) {
    const columns = Math.ceil(rank.length / lines);
    if (columns > 1) gridOut(rank, columns, at, step, along, across);
    else settle(rank, at, squeeze, step, along, across);
    at += columns * step.along + step.gap;
  }
  return true;
}

/** Orders each layer by where its nodes' neighbours are on average, back and forth a few times. */
function untangle(ranks, edges, across) {
  const around = new Map(ranks.flat().map((place) => [place.ref, []]));
  for (const [cause, effect] of edges) {
    around.get(cause).push(effect);
    around.get(effect).push(cause);
  }
  const share = new Map();
  const settleShares = (rank) => rank.forEach((place, i) => share.set(place.ref, (i + 0.5) / rank.length));
  ranks.forEach(settleShares);
  const meanOf = (ref) =>
    around.get(ref).reduce((sum, other) => sum + share.get(other), 0) / Math.max(1, around.get(ref).length);
  const sweep = (rank) => {
    const spots = rank.map((place) => place[across]);
    const means = new Map(rank.map(({ ref }) => [ref, around.get(ref).length ? meanOf(ref) : share.get(ref)]));
    rank.sort((a, b) => means.get(a.ref) - means.get(b.ref));
    rank.forEach((place, i) => (place[across] = spots[i]));
    settleShares(rank);
  };
  for (let i = 0; i < SWEEPS; i++) (i % 2 ? ranks : [...ranks].reverse()).forEach(sweep);
}

function ranksOf(places, along, across) {
  const ranks = new Map();
  for (const place of places) {
    const key = Math.round(place[along]);
    (ranks.get(key) ?? ranks.set(key, []).get(key)).push(place);
  }
  return [...ranks.entries()].sort((a, b) => a[0] - b[0]).map(([, rank]) => rank.sort((a, b) => a[across] - b[across]));
}

/** The length of line at which the folded picture needs the smallest stage; ties go to the longer one. */
function bestLength(ranks, step) {
  const most = Math.max(1, ...ranks.map((rank) => rank.length));
  let best = { size: Infinity, length: most };
  for (let length = most; length >= Math.min(6, most); length--) {
    const columns = ranks.reduce((sum, rank) => sum + Math.ceil(rank.length / length), 0);
    const long = columns * step.along + ranks.length * step.gap;
    const size = Math.max(long / step.aspect, length * step.across);
    if (size < best.size * 0.98) best = { size, length };
  }
  return best.length;
}

function gridOut(rank, columns, at, step, along, across) {
  const rows = Math.ceil(rank.length / columns);
  rank.forEach((place, i) => {
    place[along] = at + (i % columns) * step.along;
    place[across] = (Math.floor(i / columns) - (rows - 1) / 2) * step.across;
  });
}

/** Keeps a short rank's order and rough places, drawn together as the long ones were, without overlap. */
function settle(rank, at, squeeze, step, along, across) {
  const middle = rank.reduce((sum, place) => sum + place[across], 0) / rank.length;
  let least = -Infinity;
  for (const place of rank) {
    place[along] = at;
    place[across] = Math.max((place[across] - middle) * squeeze, least);
    least = place[across] + step.across;
  }
  const shift = rank.reduce((sum, place) => sum + place[across], 0) / rank.length;
  for (const place of rank) place[across] -= shift;
}

const spread = (places, across) => {
  const values = places.map((place) => place[across]);
  return Math.max(...values) - Math.min(...values);
};
