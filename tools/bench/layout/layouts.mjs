// How long the explorer's picture takes to find places and routes, beside ELK's layered algorithm with its routes and dagre
// alone (peers), and layers by the longest path, which any layered layout needs (limit). Medians of three, in ms of the
// processor, so that what else runs on the machine does not count.
//   tools/explorer/build && node tools/bench/layout/layouts.mjs [NODES...]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ELK_VERSION = '0.12.1';
const SIZE = { a: 202, c: 60 };
const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const modules = join(root, 'build/explorer-npm/node_modules');
const folder = mkdtempSync(join(tmpdir(), 'whence-layouts-'));

/** A module of the explorer, bundled as the page has it. */
async function partOf(name) {
  const file = join(folder, `${name}.mjs`);
  const source = join(root, `tools/explorer/src/picture/${name}.js`);
  execFileSync(
    join(modules, '.bin/esbuild'),
    [source, '--bundle', '--format=esm', `--outfile=${file}`, '--log-level=error'],
    {
      env: { ...process.env, NODE_PATH: modules },
    },
  );
  return import(file);
}

/** Eight layers; each node has one to three causes, one in ten of them some layers away. */
function graphOf(count) {
  let state = 7;
  const chance = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  const wide = Math.ceil(count / 8);
  const edges = [];
  for (let i = wide; i < count; i++) {
    const layer = Math.floor(i / wide);
    for (let k = 1 + Math.floor(chance() * 2.2); k > 0; k--) {
      const back = chance() < 0.1 ? 2 + Math.floor(chance() * 3) : 1;
      const cause = Math.max(0, layer - back) * wide + Math.floor(chance() * wide);
      edges.push({ key: `e${edges.length}`, cause: `n${Math.min(i - 1, cause)}`, effect: `n${i}` });
    }
  }
  return { refs: Array.from({ length: count }, (_, i) => `n${i}`), edges };
}

async function median(run) {
  const times = [];
  for (let i = 0; i < 3; i++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return Math.round(times.sort((x, y) => x - y)[1] * 10) / 10;
}

try {
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, `elkjs@${ELK_VERSION}`],
    {
      stdio: 'ignore',
    },
  );
  const Elk = createRequire(join(folder, 'x.js'))('elkjs/lib/elk.bundled.js');
  const dagre = createRequire(join(modules, 'x.js'))('@dagrejs/dagre');
  const { arrange } = await partOf('arrange');
  const { routesOf } = await partOf('routes');
  const { withoutImplied } = await partOf('implied');

  const elk = ({ refs, edges }) =>
    new Elk().layout({
      id: 'all',
      layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'RIGHT', 'elk.edgeRouting': 'ORTHOGONAL' },
      children: refs.map((id) => ({ id, width: SIZE.a, height: SIZE.c })),
      edges: edges.map(({ key, cause, effect }) => ({ id: key, sources: [cause], targets: [effect] })),
    });
  const alone = ({ refs, edges }) => {
    const graph = new dagre.Graph();
    graph.setGraph({ rankdir: 'LR', ranker: 'tight-tree' });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const ref of refs) graph.setNode(ref, { width: SIZE.a, height: SIZE.c });
    for (const { cause, effect } of edges) graph.setEdge(cause, effect);
    dagre.layout(graph);
  };
  const pairsOf = ({ edges }) => edges.map(({ cause, effect }) => [cause, effect]);
  const own = (graph) => routesOf(arrange(graph.refs, pairsOf(graph), { size: SIZE, aspect: 1.6 }), graph.edges, SIZE);
  const layers = (graph) => withoutImplied(graph.refs, pairsOf(graph));

  const asked = process.argv.slice(2).map(Number);
  for (const warm of [elk, alone, own]) await warm(graphOf(100));
  for (const count of asked.length ? asked : [300, 2000]) {
    const graph = graphOf(count);
    const [picture, ofElk, ofDagre, limit] = [
      await median(() => own(graph)),
      await median(() => elk(graph)),
      await median(() => alone(graph)),
      await median(() => layers(graph)),
    ];
    const beside = (peer) => `${peer} ms (${(peer / picture).toFixed(2)}x)`;
    console.log(
      `${count} nodes, ${graph.edges.length} edges: places and routes ${picture} ms | ELK with routes ${beside(ofElk)} | ` +
        `dagre without routes ${beside(ofDagre)} | layers alone (limit) ${limit} ms`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
