// Edges that a longer way through the graph implies. The layers follow from the others, and dagre, which cuts an edge at
// each layer that it passes, has far less to do without them.

/**
 * @param {string[]} refs @param {[string, string][]} edges
 * @returns {{edges: [string, string][], layers: Map<string, number>, cuts: number}} the edges without those that a longer
 *   way implies, and without those that close a circle; for each ref how many layers are before it at least; how many
 *   layers the edges pass in all
 */
export function withoutImplied(refs, edges) {
  const number = new Map(refs.map((ref, i) => [ref, i]));
  const next = refs.map(() => []);
  for (const [cause, effect] of edges) {
    const [from, to] = [number.get(cause), number.get(effect)];
    if (from !== to && !next[from].includes(to)) next[from].push(to);
  }
  const order = sorted(next);
  const words = Math.ceil(refs.length / 32);
  const reach = refs.map(() => null);
  const kept = [];
  for (const from of order) {
    const own = new Uint32Array(words);
    const has = (set, to) => (set[to >> 5] >>> (to & 31)) & 1;
    for (const to of next[from]) {
      if (next[from].some((other) => other !== to && has(reach[other], to))) continue;
      kept.push([refs[from], refs[to]]);
    }
    for (const to of next[from]) {
      own[to >> 5] |= 1 << (to & 31);
      for (let i = 0; i < words; i++) own[i] |= reach[to][i];
    }
    reach[from] = own;
  }
  const layer = layersOf(next, order);
  const layers = new Map(refs.map((ref, i) => [ref, layer[i]]));
  const cuts = kept.reduce((sum, [cause, effect]) => sum + layers.get(effect) - layers.get(cause) - 1, 0);
  return { edges: kept, layers, cuts };
}

/** Each node as early as its causes allow; what has no cause is right before the first of its effects. */
function layersOf(next, order) {
  const layer = new Uint32Array(next.length);
  const isCaused = new Uint8Array(next.length);
  for (let i = order.length - 1; i >= 0; i--)
    for (const to of next[order[i]]) {
      isCaused[to] = 1;
      layer[to] = Math.max(layer[to], layer[order[i]] + 1);
    }
  for (const from of order)
    if (!isCaused[from] && next[from].length) layer[from] = Math.min(...next[from].map((to) => layer[to])) - 1;
  return layer;
}

/** Effects before causes; edges that close a circle are taken out of `next`. */
function sorted(next) {
  const state = new Uint8Array(next.length); // 0 not seen, 1 on the way, 2 done
  const order = [];
  for (let start = 0; start < next.length; start++) {
    if (state[start]) continue;
    const way = [{ at: start, i: 0 }];
    state[start] = 1;
    while (way.length) {
      const top = way[way.length - 1];
      if (top.i >= next[top.at].length) {
        state[top.at] = 2;
        order.push(top.at);
        way.pop();
      } else {
        const to = next[top.at][top.i];
        if (state[to] === 1) next[top.at].splice(top.i, 1);
        else {
          top.i += 1;
          if (state[to] === 0) {
            state[to] = 1;
            way.push({ at: to, i: 0 });
          }
        }
      }
    }
  }
  return order;
}
