// Asks the layout worker for places and routes; only the latest question is answered.

let worker = null;
let latest = 0;
let waiting = null; // the latest question's promise

/** Starts the worker early, so that the first layout does not wait for its script. `made` replaces it. */
export function startLayout(made = new Worker('explorer/layout.js')) {
  worker = made;
  worker.onmessage = ({ data }) => {
    if (data.id !== latest) return;
    waiting.resolve({ places: new Map(data.places), routes: new Map(data.routes) });
  };
  worker.onerror = (event) => waiting?.reject(new Error(`The layout failed: ${event.message}`));
}

/**
 * @param {{nodes: {ref: string}[], edges: {key: string, cause: string, effect: string, isRelation?: boolean}[]}} drawn
 * @param {{size: {a: number, c: number}, gap: number, ports: number, aspect: number, least: number,
 *   kept: Map<string, {a: number, c: number}>}} how
 * @returns {Promise<{places: Map<string, {a: number, c: number}>, routes: Map<string, {a: number, c: number}[]>}>} a place
 *   for each node and a route for each edge; null when a later question was asked meanwhile
 */
export function layout({ nodes, edges }, { kept, ...how }) {
  latest += 1;
  waiting?.resolve(null);
  const question = {
    ...how,
    id: latest,
    nodes: nodes.map((node) => node.ref),
    edges: edges.map(({ key, cause, effect, isRelation }) => ({ key, cause, effect, isRelation })),
    kept: kept?.size ? [...kept] : null,
  };
  return new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    worker.postMessage(question);
  });
}
