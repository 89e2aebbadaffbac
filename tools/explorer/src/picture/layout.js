// Asks the layout worker for places; only the latest question is answered.

let worker = null;
let latest = 0;
let waiting = null; // the latest question's promise

/** Starts the worker early, so that the first layout does not wait for its script. */
export function startLayout() {
  worker = new Worker('explorer/layout.js');
  worker.onmessage = ({ data }) => {
    if (data.id !== latest) return;
    const places = new Map(data.places.map(({ ref, x, y }) => [ref, { x, y }]));
    waiting.resolve({
      places,
      bends: new Map(data.bends.map((bend) => [`${bend.cause} ${bend.effect}`, bend.points])),
    });
  };
  worker.onerror = (event) => waiting?.reject(new Error(`The layout failed: ${event.message}`));
}

/**
 * @returns {Promise<{places: Map<string, {x: number, y: number}>, bends: Map<string, {x: number, y: number}[]>}>} a place
 *   for each node, and by 'cause effect' where edges turn; null when a later question was asked meanwhile
 */
export function layout({ nodes, edges }, { direction, aspect }) {
  latest += 1;
  waiting?.resolve(null);
  const question = {
    id: latest,
    nodes: nodes.map((node) => node.ref),
    edges: edges.map((edge) => [edge.cause, edge.effect]),
    direction,
    aspect,
  };
  return new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    worker.postMessage(question);
  });
}
