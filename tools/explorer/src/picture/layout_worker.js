// The worker that finds a place for each card and a route for each edge.
import { arrange, placed } from './arrange.js';
import { routesOf } from './routes.js';

onmessage = ({ data }) => postMessage(placed(data));

// A small layout without need, so that the engine knows dagre when the reader waits for the first real one.
const warm = Array.from({ length: 60 }, (_, i) => String(i));
const warmEdges = warm.slice(1).map((ref, i) => ({ key: ref, cause: String(i >> 1), effect: ref }));
const warmSize = { a: 200, c: 46 };
routesOf(
  arrange(
    warm,
    warmEdges.map(({ cause, effect }) => [cause, effect]),
    { size: warmSize, aspect: 2 },
  ),
  warmEdges,
  warmSize,
);
