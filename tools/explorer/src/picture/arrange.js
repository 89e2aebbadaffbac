// Places of cards: dagre's layers and orders, as columns across the direction of influence; or new cards beside those
// that keep their place. dagre ranks by `tight-tree`, because its default ranker takes many times longer; where edges pass more than
// 1,500 layers in all, or there are more than 250, the layers are the earliest possible ones.
import { Graph, layout } from '@dagrejs/dagre';
import { influenceFirst, relatedOnly } from './blocks.js';
import { COLUMN_GAP } from './gaps.js';
import { withoutImplied } from './implied.js';
import { routesOf } from './routes.js';

/** Between two layers, between columns of one layer, between cards of a column. */
export const GAP = { layer: 64, column: COLUMN_GAP, card: 16 };

/** Above this dagre's search for the best order is left out; it takes most of the time. */
const SWEPT_NODES_MAX = 150;
const SWEEPS = 8;
/**
 * dagre cuts an edge at each layer that it passes, and calls itself once per layer. Above these numbers it would take
 * many seconds, or end for lack of stack; then the layers are the earliest possible ones, ordered by our own sweeps.
 */
const CUTS_MAX = 1500;
const LAYERS_MAX = 250;

/**
 * @param {string[]} refs @param {[string, string, boolean?][]} edges from cause to effect, and whether it is a relation without influence
 * @param {{size: {a: number, c: number}, gap: number, aspect: number, least?: number, kept?: Map<string, {a: number, c: number}>}} how
 *   `aspect` is the stage's extent along by that across; `least` how many cards a column may always have
 * @returns {Map<string, {a: number, c: number}>} the middle of each card
 */
export function arrange(refs, edges, { size, gap = GAP.layer, aspect, least = 9, kept }) {
  const own = edges.filter(([cause, effect]) => cause !== effect);
  const stay = new Map([...(kept ?? [])].filter(([ref]) => refs.includes(ref)));
  return stay.size ? beside(refs, own, size, gap, stay) : anew(refs, own, size, gap, { aspect, least });
}

function anew(refs, edges, size, gap, stage) {
  const found = withoutImplied(refs, edges);
  // What was given first, the strongest, is to be on top, and relations below influence.
  const isRelated = relatedOnly(edges);
  const order = influenceFirst(refs.map((ref) => ({ ref })), isRelated).map(({ ref }) => ref);
  const depth = Math.max(0, ...found.layers.values());
  const isPlain = found.cuts > CUTS_MAX || depth > LAYERS_MAX;
  const places = isPlain ? plain(order, found.layers, size) : byDagre(order, found.edges, size, gap);
  inGivenOrder(places, isRelated);
  inColumns(places, edges, size, gap, { ...stage, isRelated }, isPlain);
  return new Map(places.map(({ ref, a, c }) => [ref, { a, c }]));
}

/** dagre may turn the picture over: in the layers what has influence is to be in the given order. */
function inGivenOrder(places, isRelated) {
  const given = new Map(places.map(({ ref }, i) => [ref, i]));
  const agreement = layersOf(places.filter((place) => !isRelated(place))).reduce((sum, layer) => {
    const mean = (of) => layer.reduce((all, place) => all + of(place), 0) / layer.length;
    const [middle, at] = [mean(({ c }) => c), mean(({ ref }) => given.get(ref))];
    return sum + layer.reduce((all, { ref, c }) => all + (given.get(ref) - at) * (c - middle), 0);
  }, 0);
  if (agreement >= 0) return;
  for (const place of places) place.c = -place.c;
}

function byDagre(refs, edges, size, gap) {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', ranker: 'tight-tree', ranksep: gap, nodesep: GAP.card, edgesep: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const ref of refs) graph.setNode(ref, { width: size.a, height: size.c });
  for (const [cause, effect] of edges) graph.setEdge(cause, effect);
  layout(graph, { disableOptimalOrderHeuristic: refs.length > SWEPT_NODES_MAX });
  return refs.map((ref) => ({ ref, a: graph.node(ref).x, c: graph.node(ref).y }));
}

function plain(refs, layers, size) {
  const rows = new Map();
  return refs.map((ref) => {
    const layer = layers.get(ref);
    const row = rows.get(layer) ?? 0;
    rows.set(layer, row + 1);
    return { ref, a: layer, c: row * (size.c + GAP.card) };
  });
}

/** Layers that are longer than the stage can show become several columns; routes pass between their cards. */
function inColumns(places, edges, size, gap, stage, isPlain) {
  const step = { a: size.a + GAP.column, c: size.c + GAP.card, gap: gap - GAP.column, ...stage };
  const layers = layersOf(places);
  const most = Math.max(0, ...layers.map((layer) => layer.length));
  const rows = bestRows(layers, step);
  const isSplit = rows < most || isPlain;
  const squeeze = isSplit ? (rows * step.c) / Math.max(1, spread(places)) : 1;
  if (isSplit && (isPlain || places.length > SWEPT_NODES_MAX)) untangle(layers, edges);
  let at = 0;
  for (const layer of layers) {
    const columns = isSplit ? Math.ceil(layer.length / rows) : 1;
    if (columns > 1) grid(influenceFirst(layer, stage.isRelated), columns, at, step);
    else settle(withInfluenceFirst(layer, stage.isRelated), at, squeeze, step, isSplit);
    at += columns * step.a + step.gap;
  }
}

function layersOf(places) {
  const layers = new Map();
  for (const place of places) {
    const key = Math.round(place.a);
    (layers.get(key) ?? layers.set(key, []).get(key)).push(place);
  }
  return [...layers.entries()].sort((x, y) => x[0] - y[0]).map(([, layer]) => layer.sort((x, y) => x.c - y.c));
}

/** The number of rows with which the whole picture is largest on the stage; ties go to more rows. */
function bestRows(layers, step) {
  const most = Math.max(1, ...layers.map((layer) => layer.length));
  let best = { size: Infinity, rows: most };
  for (let rows = most; rows >= Math.min(step.least, most); rows--) {
    const columns = layers.reduce((sum, layer) => sum + Math.ceil(layer.length / rows), 0);
    const long = columns * step.a + layers.length * step.gap;
    const needed = Math.max(long / step.aspect, rows * step.c);
    if (needed < best.size * 0.97) best = { size: needed, rows };
  }
  return best.rows;
}

function grid(layer, columns, at, step) {
  const rows = Math.ceil(layer.length / columns);
  layer.forEach((place, i) => {
    place.a = at + (i % columns) * step.a;
    place.c = (Math.floor(i / columns) - (rows - 1) / 2) * step.c;
  });
}

/** The cards of a layer in the places that it has: what has influence in the first of them. */
function withInfluenceFirst(layer, isRelated) {
  const spots = layer.map(({ c }) => c);
  const ordered = influenceFirst(layer, isRelated);
  ordered.forEach((place, i) => (place.c = spots[i]));
  return ordered;
}

/** A short layer keeps its order and, where long ones were split, its rough places, drawn together as they were. */
function settle(layer, at, squeeze, step, isCentred) {
  const mean = () => layer.reduce((sum, place) => sum + place.c, 0) / layer.length;
  const middle = isCentred ? mean() : 0;
  let least = -Infinity;
  for (const place of layer) {
    place.a = at;
    place.c = Math.max((place.c - middle) * squeeze, least);
    least = place.c + step.c;
  }
  if (!isCentred) return;
  const shift = mean();
  for (const place of layer) place.c -= shift;
}

const spread = (places) => {
  const values = places.map((place) => place.c);
  return Math.max(...values) - Math.min(...values);
};

/** Orders each layer by where its cards' neighbours are on average, back and forth a few times. */
function untangle(layers, edges) {
  const around = new Map(layers.flat().map((place) => [place.ref, []]));
  for (const [cause, effect] of edges) {
    around.get(cause).push(effect);
    around.get(effect).push(cause);
  }
  const share = new Map();
  const settleShares = (layer) => layer.forEach((place, i) => share.set(place.ref, (i + 0.5) / layer.length));
  layers.forEach(settleShares);
  const meanOf = (ref) => {
    const others = around.get(ref);
    return others.length ? others.reduce((sum, other) => sum + share.get(other), 0) / others.length : share.get(ref);
  };
  const sweep = (layer) => {
    const spots = layer.map((place) => place.c);
    const means = new Map(layer.map(({ ref }) => [ref, meanOf(ref)]));
    layer.sort((x, y) => means.get(x.ref) - means.get(y.ref));
    layer.forEach((place, i) => (place.c = spots[i]));
    settleShares(layer);
  };
  for (let i = 0; i < SWEEPS; i++) (i % 2 ? layers : [...layers].reverse()).forEach(sweep);
}

/** What has a place keeps it; each new card goes into the column beside a neighbour, at the free place nearest to it. */
function beside(refs, edges, size, gap, kept) {
  const places = new Map([...kept].map(([ref, { a, c }]) => [ref, { a, c }]));
  const columns = new Map();
  for (const { a, c } of places.values()) (columns.get(a) ?? columns.set(a, []).get(a)).push(c);
  const around = new Map(refs.map((ref) => [ref, []]));
  for (const [cause, effect] of edges) {
    around.get(cause)?.push({ ref: effect, sign: 1 });
    around.get(effect)?.push({ ref: cause, sign: -1 });
  }
  const queue = refs.filter((ref) => places.has(ref));
  const put = (ref, wantedA, wantedC) => {
    const a = columnAt(columns, wantedA, size.a + GAP.column);
    const c = freePlace(columns.get(a) ?? columns.set(a, []).get(a), wantedC, size.c + GAP.card);
    columns.get(a).push(c);
    places.set(ref, { a, c });
    queue.push(ref);
  };
  const grow = () => {
    while (queue.length) {
      const ref = queue.shift();
      const { a, c } = places.get(ref);
      for (const { ref: other, sign } of around.get(ref))
        if (!places.has(other)) put(other, a + sign * (size.a + gap), c);
    }
  };
  grow();
  for (const ref of refs)
    if (!places.has(ref)) {
      put(ref, Math.min(...columns.keys()), Math.max(...[...columns.values()].flat()) + size.c + GAP.card);
      grow();
    }
  return places;
}

/** An existing column that a card at `wanted` would touch, the nearest one, else a new one. */
function columnAt(columns, wanted, width) {
  let best = null;
  for (const a of columns.keys()) {
    const off = Math.abs(a - wanted);
    if (off < width && (best === null || off < Math.abs(best - wanted))) best = a;
  }
  return best ?? wanted;
}

function freePlace(taken, wanted, height) {
  const candidates = [wanted, ...taken.flatMap((c) => [c - height, c + height])];
  candidates.sort((x, y) => Math.abs(x - wanted) - Math.abs(y - wanted));
  return candidates.find((c) => taken.every((other) => Math.abs(other - c) >= height - 0.01));
}

/** The answer to one question of a layout: a place for each card and a route for each edge. */
export function placed({ id, nodes, edges, size, gap, ports, aspect, least, kept }) {
  const pairs = edges.map(({ cause, effect, isRelation }) => [cause, effect, isRelation]);
  const places = arrange(nodes, pairs, { size, gap, aspect, least, kept: kept && new Map(kept) });
  return { id, places: [...places], routes: [...routesOf(places, edges, size, ports)] };
}
