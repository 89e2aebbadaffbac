// Routes of edges and what groups leave of a graph, without a browser: on random graphs from a seed that is printed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, influenceFirst, relatedOnly } from '../../tools/explorer/src/picture/blocks.js';
import { grouped } from '../../tools/explorer/src/picture/groups.js';
import { withoutImplied } from '../../tools/explorer/src/picture/implied.js';
import { placeLabels, pointAt } from '../../tools/explorer/src/picture/labels.js';
import { piecesOf, routesOf } from '../../tools/explorer/src/picture/routes.js';

const SEED = Number(process.env.WHENCE_TEST_SEED ?? 20251);
console.log(`seed ${SEED}`);

/** A sequence of numbers from 0 to 1 that a seed fixes (mulberry32). */
function chanceOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SIZE = { a: 200, c: 60 };

/** Cards in columns at random heights, and edges between any of them: forward, back, within a column, far and near. */
function worldOf(seed) {
  const chance = chanceOf(seed);
  const below = (n) => Math.floor(chance() * n);
  const places = new Map();
  for (let column = 2 + below(7); column >= 0; column--) {
    let c = below(200) - 100;
    for (let i = 1 + below(9); i > 0; i--) {
      places.set(`n${places.size}`, { a: column * 250, c });
      c += SIZE.c + 16 + below(3) * 40;
    }
  }
  const refs = [...places.keys()];
  const edges = Array.from({ length: 2 * refs.length }, (_, i) => ({
    key: `e${i}`,
    cause: refs[below(refs.length)],
    effect: refs[below(refs.length)],
  }));
  return { places, edges };
}

const inside = ({ x, y }, { a, c }, by) => Math.abs(x - a) < SIZE.a / 2 - by && Math.abs(y - c) < SIZE.c / 2 - by;

// Claim: no route passes through a card that its edge does not belong to, nor through its own cards. Method: each piece of
// each route is followed in forty steps, on 300 random worlds.
test('routes go around cards', () => {
  let pieces = 0;
  for (let i = 0; i < 300; i++) {
    const { places, edges } = worldOf(SEED + i);
    const routes = routesOf(places, edges, SIZE);
    assert.equal(routes.size, edges.filter(({ cause, effect }) => cause !== effect).length);
    for (const edge of edges) {
      if (!routes.has(edge.key)) continue;
      const route = routes.get(edge.key);
      assert.equal(route[0].a, places.get(edge.cause).a + SIZE.a / 2, 'leaves on the side of the effects');
      assert.equal(route.at(-1).a, places.get(edge.effect).a - SIZE.a / 2, 'arrives on the side of the causes');
      for (const piece of piecesOf(route, 'LR')) {
        pieces += 1;
        for (let k = 0; k <= 40; k++) {
          const at = pointAt(piece, k / 40);
          for (const [ref, place] of places)
            assert.ok(
              !inside(at, place, 0.5),
              `seed ${SEED + i}: ${edge.cause} to ${edge.effect} passes through ${ref}`,
            );
        }
      }
    }
  }
  assert.ok(pieces > 20_000, `${pieces} pieces`);
});

test('an edge to the next column is one curve, one far away goes straight on where nothing is between', () => {
  const places = new Map([
    ['a', { a: 0, c: 0 }],
    ['b', { a: 300, c: 200 }],
    ['c', { a: 600, c: 0 }],
  ]);
  const edges = [
    { key: 'near', cause: 'a', effect: 'b' },
    { key: 'far', cause: 'a', effect: 'c' },
  ];
  const routes = routesOf(places, edges, SIZE);
  assert.equal(routes.get('near').length, 2);
  const heights = routes.get('far').map(({ c }) => c);
  assert.ok(Math.max(...heights) - Math.min(...heights) < 10, heights.join());
});

test('labels stand on no card and on no other label', () => {
  for (let i = 0; i < 100; i++) {
    const { places, edges } = worldOf(SEED + i);
    const routes = routesOf(places, edges, SIZE);
    const cards = [...places.values()].map(({ a, c }) => ({ x: a - 100, y: c - 30, width: 200, height: 60 }));
    const lines = [...routes].map(([key, route]) => ({
      key,
      pieces: piecesOf(route, 'LR'),
      width: 40,
      leans: 0,
    }));
    const boxes = [...placeLabels(lines, cards, 14).values()].map(({ x, y }) => ({
      x: x - 20,
      y: y - 7,
      width: 40,
      height: 14,
    }));
    const touch = (p, q) => p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height;
    boxes.forEach((box, k) => {
      assert.ok(!cards.some((card) => touch(box, card)));
      assert.ok(!boxes.slice(0, k).some((other) => touch(box, other)));
    });
  }
});

// Claim: edges that a longer way implies, and no others, are left out; who reaches whom stays. Method: reach is compared by
// a walk, on random graphs without circles; with circles it must end and keep the layers in order.
test('edges that a longer way implies are left out', () => {
  for (let i = 0; i < 100; i++) {
    const chance = chanceOf(SEED + i);
    const refs = Array.from({ length: 30 }, (_, k) => `n${k}`);
    const pick = () => Math.floor(chance() * refs.length);
    const any = Array.from({ length: 70 }, () => [pick(), pick()]).filter(([x, y]) => x !== y);
    const all = any.map(([x, y]) => [refs[Math.min(x, y)], refs[Math.max(x, y)]]);
    const { edges, layers } = withoutImplied(refs, all);
    for (const ref of refs) assert.deepEqual(reach(ref, edges), reach(ref, all));
    for (const edge of edges) {
      const others = edges.filter((each) => each !== edge);
      assert.ok(!reach(edge[0], others).includes(edge[1]), 'none of the rest is implied');
    }
    for (const [cause, effect] of all) assert.ok(layers.get(cause) < layers.get(effect));
    const round = withoutImplied(
      refs,
      any.map(([x, y]) => [refs[x], refs[y]]),
    );
    for (const [cause, effect] of round.edges) assert.ok(round.layers.get(cause) < round.layers.get(effect));
  }
});

function reach(from, edges) {
  const seen = new Set([from]);
  for (const ref of seen) for (const [cause, effect] of edges) if (cause === ref) seen.add(effect);
  return [...seen].sort();
}

const nodesOf = (count, type = 'Response') => Array.from({ length: count }, (_, i) => ({ ref: `${type}:${i}`, type }));

/** A unit with this many responses, the first the strongest. */
function star(count) {
  const nodes = [{ ref: 'hub', type: 'ContextUnit' }, ...nodesOf(count)];
  const edges = nodes.slice(1).map(({ ref }, i) => ({ key: ref, cause: 'hub', effect: ref, weight: 1 - i / 1000 }));
  return { nodes, edges };
}

const how = (more = {}) => ({ roots: ['hub'], keep: [], opened: [], hidden: () => 0, all: false, ...more });

test('many neighbours become the strongest few and a group that counts exactly', () => {
  const hidden = (ref, side) => (ref === 'hub' && side === 'effects' ? 53_330 : 0);
  const { nodes, edges, groups } = grouped(star(299), how({ hidden }));
  assert.deepEqual(
    nodes.map(({ ref }) => ref),
    ['hub', ...nodesOf(8).map(({ ref }) => ref)],
  );
  assert.equal(groups.length, 1);
  const [{ ref, count, total, types }] = groups;
  assert.deepEqual([ref, count, total, types], ['group effects hub', 53_621, 53_629, null]);
  assert.equal(edges.length, 9);
  assert.deepEqual(grouped(star(12), how()).groups, [], 'few neighbours are all drawn');
});

test('an opened group draws more, what is kept is drawn, all draws everything', () => {
  const opened = grouped(star(299), how({ opened: ['effects hub'] }));
  assert.equal(opened.nodes.length, 1 + 68);
  assert.deepEqual(opened.groups[0].types, [['Response', 231]]);
  const kept = grouped(star(299), how({ keep: ['Response:200'] }));
  assert.ok(kept.nodes.some(({ ref }) => ref === 'Response:200'));
  assert.equal(grouped(star(299), how({ all: true })).nodes.length, 300);
  const tab = grouped(star(3), how({ hidden: (ref) => (ref === 'Response:1' ? 4 : 0) })).tabs.get('Response:1');
  assert.deepEqual(tab, { causes: 4, effects: 4 });
});

test('what has influence is drawn before ratings, whatever its weight', () => {
  const ratings = nodesOf(20, 'FeedbackRecord');
  const { nodes, edges } = star(8);
  const rated = ratings.map(({ ref }) => ({ key: ref, cause: 'hub', effect: ref, isRelation: true }));
  const weak = edges.map((edge) => ({ ...edge, weight: 0.1 }));
  const drawn = grouped({ nodes: [nodes[0], ...ratings, ...nodes.slice(1)], edges: [...rated, ...weak] }, how());
  assert.deepEqual(drawn.nodes.map(({ type }) => type).sort(), ['ContextUnit', ...Array(8).fill('Response')]);
  assert.deepEqual(drawn.groups.map(({ types }) => types), [[['FeedbackRecord', 20]]]);
});

test('in a step of several columns what has influence is above ratings', () => {
  const isRelated = relatedOnly([
    ['r', 'f1', true],
    ['u', 'r', false],
    ['r', 'u2'],
    ['f1', 'f2', true],
  ]);
  const layer = ['f1', 'u', 'f2', 'alone', 'u2'].map((ref) => ({ ref }));
  assert.deepEqual(influenceFirst(layer, isRelated).map(({ ref }) => ref), ['u', 'alone', 'u2', 'f1', 'f2']);
});

test('the number on a block counts nodes, also those of a group', () => {
  const [refs, rows] = [nodesOf(10).map(({ ref }) => ref), 5];
  const places = new Map(refs.map((ref, i) => [ref, { a: Math.floor(i / rows) * (SIZE.a + 34), c: (i % rows) * 80 }]));
  const count = (groups) => blocksOf(places, SIZE, (ref) => groups[ref] ?? { ref }).map((block) => [block.count, block.isAtMost]);
  assert.deepEqual(count({}), [[10, false]]);
  assert.deepEqual(count({ [refs[9]]: { isGroup: true, count: 32 } }), [[41, false]]);
  // A node may be in both groups.
  assert.deepEqual(count({ [refs[9]]: { isGroup: true, count: 32 }, [refs[8]]: { isGroup: true, count: 3 } }), [[43, true]]);
});

// Claim: of every drawn node the drawn neighbours and the count beside it are all its neighbours. Method: random graphs.
test('counts beside nodes are exact', () => {
  for (let i = 0; i < 200; i++) {
    const chance = chanceOf(SEED + i);
    const nodes = nodesOf(80);
    const edges = Array.from({ length: 300 }, (_, k) => {
      const [from, to] = [Math.floor(chance() ** 3 * 80), Math.floor(chance() * 80)];
      return { key: `e${k}`, cause: nodes[from].ref, effect: nodes[to].ref, weight: chance() };
    });
    const drawn = grouped({ nodes, edges }, how({ roots: [nodes[0].ref] }));
    const refs = new Set(drawn.nodes.map(({ ref }) => ref));
    assert.ok(refs.has(nodes[0].ref));
    for (const { ref } of drawn.nodes)
      for (const [side, own, end] of [
        ['causes', 'effect', 'cause'],
        ['effects', 'cause', 'effect'],
      ]) {
        const near = new Set(edges.filter((edge) => edge[own] === ref && edge[end] !== ref).map((edge) => edge[end]));
        const here = [...near].filter((each) => refs.has(each)).length;
        const group = drawn.groups.find((each) => each.of === ref && each.side === side);
        assert.equal(here + drawn.tabs.get(ref)[side] + (group?.count ?? 0), near.size, `seed ${SEED + i}`);
        if (group) assert.equal(group.total, near.size);
      }
    const again = grouped(
      { nodes, edges },
      how({ roots: [nodes[0].ref], budget: drawn.budget, opened: [`effects ${nodes[0].ref}`] }),
    );
    const then = new Set(again.nodes.map(({ ref }) => ref));
    assert.ok(
      [...refs].every((ref) => then.has(ref)),
      'what is drawn stays',
    );
  }
});
