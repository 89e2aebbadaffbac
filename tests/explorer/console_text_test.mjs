// What the console knows of JSON as it is written and of the server's description of its methods; needs no browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { completionsAt } from '../../tools/explorer/src/console/completion.js';
import { contextAt, lineOf, parseText, placeOfPath } from '../../tools/explorer/src/console/json_text.js';
import { graphOfRows } from '../../tools/explorer/src/console/rows_graph.js';
import { Methods } from '../../tools/explorer/src/console/schema.js';
import { useVocabulary } from '../../tools/explorer/src/vocabulary.js';
import { Server } from './server.mjs';

let server;
let methods;

before(async () => {
  server = await Server.start();
  const described = await server.rpc('rpc.discover');
  useVocabulary(described['x-whence-types']);
  methods = new Methods(described);
});

after(() => server?.stop());

test('text is read as JSON.parse reads it, or is wrong in both', () => {
  const good = [
    '{}',
    '[]',
    ' {"a": [1, -2.5e3, true, null, "x\\n\\u00e4"], "": {"b/c~": []}} ',
    '"\\""',
    '0',
    '{"__proto__": 1}',
  ];
  for (const text of good) {
    const { value, error } = parseText(text);
    assert.equal(error, undefined, text);
    assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(text)));
  }
  const bad = [
    '',
    '{',
    '{"a"}',
    '{"a":}',
    '{a: 1}',
    '[1,]',
    '{"a":1,}',
    '"x',
    '01',
    'tru',
    '[1 2]',
    '{} x',
    '"\\q"',
    '"a\nb"',
    '['.repeat(500),
  ];
  for (const text of bad) {
    assert.throws(() => JSON.parse(text), text);
    assert.ok(parseText(text).error, text);
  }
});

test('every single change of a text is judged as JSON.parse judges it', () => {
  const text = '{"type": "Response", "where": {"score": {"lt": -0.5}}, "refs": ["a", "b"], "x": [true, null]}';
  for (let i = 0; i < text.length; i++) {
    for (const changed of [
      text.slice(0, i) + text.slice(i + 1),
      `${text.slice(0, i)},${text.slice(i)}`,
      text.slice(0, i),
    ]) {
      let isGood = true;
      try {
        JSON.parse(changed);
      } catch {
        isGood = false;
      }
      assert.equal(!parseText(changed).error, isGood, changed);
    }
  }
});

test('a mistake has its place', () => {
  const text = '{\n  "type": Response\n}';
  const { error } = parseText(text);
  assert.match(error.message, /quotation marks/);
  assert.deepEqual(lineOf(text, error.at), { line: 2, column: 11 });
});

test('a path of the answer is found in the text, or what is around it', () => {
  const text = '{"where": {"a/b": {"gte": 5}}, "refs": ["x", "y"]}';
  const { places } = parseText(text);
  const at = (pointer) => {
    const { from, to } = placeOfPath(places, pointer);
    return text.slice(from, to);
  };
  assert.equal(at('/where/a~1b/gte'), '5');
  assert.equal(at('/refs/1'), '"y"');
  assert.equal(at('/refs/9'), '["x", "y"]');
  assert.equal(at('/nothing'), text);
});

test('the cursor knows what it is in', () => {
  const at = (text) => contextAt(text.replace('|', ''), text.indexOf('|'));
  assert.deepEqual(at('{"ty|'), { path: [], at: 'key', from: 1, typed: 'ty', isQuoted: true, known: [] });
  assert.equal(at('{|').at, 'key');
  assert.deepEqual(at('{"type": "Re|"').path, ['type']);
  assert.deepEqual(at('{"a": 1, "include": ["record", "|').path, ['include', 1]);
  assert.deepEqual(at('{"where": {"score": {"l|').path, ['where', 'score']);
  assert.deepEqual(at('{"where": {"x": 1}, |}').known, ['where']);
  assert.equal(at('{"a": 1|').typed, '1');
  assert.equal(at('{"a": 1 |').at, '');
});

test('completion offers the names, enumerators and fields of the description', () => {
  const offered = (method, text) => {
    const { offers } = completionsAt(methods, method, text.replace('|', ''), text.indexOf('|'));
    return offers.map((offer) => offer.text);
  };
  assert.deepEqual(offered('node.find', '{|').slice(0, 1), ['type'], 'what is required comes first');
  assert.ok(!offered('node.find', '{"type": "Answer", |').includes('type'));
  assert.deepEqual(offered('node.find', '{"type": "Retr|"'), ['RetrievedChunk']);
  assert.deepEqual(offered('node.find', '{"include": ["re|'), ['record']);
  assert.ok(offered('node.find', '{"type": "Response", "where": {"|').includes('agent'));
  assert.deepEqual(offered('node.find', '{"type": "Response", "where": {"agent": {"pre|'), ['prefix']);
  assert.deepEqual(offered('lineage.path', '{"kind": |'), ['strongest', 'shortest', 'all']);
  assert.deepEqual(offered('lineage.graph', '{"reduced": |'), ['true', 'false']);
  assert.deepEqual(offered('no.method', '{|'), []);
});

test('params are judged by the description: good ones pass, mistakes are named', () => {
  const good = [
    ['node.find', { type: 'Response', where: { agent: { prefix: 'a' }, model: 'm' }, limit: 5 }],
    ['node.get', { refs: ['cu_a'], as_of: 3 }],
    ['node.get', { ref: 'cu_a', as_of: '2025-10-10T00:00:00Z' }],
    ['node.find', { cursor: 'x' }],
    ['records.write', { records: [{ $type$: 'Topic', id: 't' }] }],
    ['subscribe', { since: 'now' }],
  ];
  for (const [method, params] of good)
    assert.deepEqual(methods.problems(method, params), [], `${method} ${JSON.stringify(params)}`);
  for (const [method, params, path, message] of [
    ['node.find', {}, [], /lacks type/],
    ['node.find', { type: 'Reponse' }, ['type'], /one of ContextUnit/],
    ['node.find', { type: 'Answer', limit: '5' }, ['limit'], /whole number/],
    ['node.find', { type: 'Answer', limit: 0 }, ['limit'], /at least 1/],
    ['node.find', { type: 'Answer', colour: 1 }, ['colour'], /no colour/],
    ['node.find', { type: 'Answer', where: { x: { like: 1 } } }, ['where', 'x', 'like'], /no like/],
    ['impact.analyze', { refs: [] }, ['refs'], /at least 1 items/],
    ['node.find', [], [], /an object/],
  ]) {
    const [problem] = methods.problems(method, params);
    assert.deepEqual(problem?.path, path, JSON.stringify(params));
    assert.match(problem.message, message);
  }
});

test('what writes is known, and what belongs to the connection is not offered', () => {
  assert.ok(methods.writes('records.write') && methods.writes('records.purge') && methods.writes('admin.retention'));
  assert.ok(!methods.writes('node.find'));
  assert.ok(!methods.byName.has('session.hello'));
});

test('the rows of a query as a graph: nodes with what they say, relations, paths', async () => {
  const { rows } = await server.rpc('query', {
    cypher: `MATCH p = (u:ContextUnit)-[used:USED_IN]->(r:Response {id: 'resp_20251011_00126'})
      RETURN p, [{of: used}] AS listed, u.source AS text, {a: [u]} AS map`,
  });
  const { nodes, edges, ends } = graphOfRows(rows);
  assert.deepEqual(nodes.map(({ ref }) => ref).sort(), [
    'ContextUnit:cu_argo_appset_001',
    'ContextUnit:cu_values_yaml_005',
    'Response:resp_20251011_00126',
  ]);
  const unit = nodes.find(({ id }) => id === 'cu_values_yaml_005');
  assert.deepEqual([unit.type, unit.status, unit.record.$type$, unit.record.source], ['ContextUnit', 'active', 'ContextUnit', 'file:argocd/values.yaml']);
  assert.ok(!('ref' in unit.record) && !('status' in unit.record));
  assert.deepEqual(edges.map(({ type, weight }) => [type, weight]).sort(), [['USED_IN', 0.35], ['USED_IN', 0.65]]);
  assert.deepEqual(ends, []);
  const alone = await server.rpc('query', {
    cypher: "MATCH (:ContextUnit {id: 'cu_values_yaml_002'})-[x:INFLUENCES]->(:ContextUnit) RETURN x",
  });
  const graph = graphOfRows(alone.rows);
  assert.deepEqual(graph.edges.map(({ type, from, to }) => [type, from, to]), [
    ['DERIVED_FROM', 'ContextUnit:cu_values_yaml_005', 'ContextUnit:cu_values_yaml_002'],
  ]);
  assert.deepEqual(graph.ends.sort(), ['ContextUnit:cu_values_yaml_002', 'ContextUnit:cu_values_yaml_005']);
  assert.deepEqual(graphOfRows([[1, 'Response:x', null, { ref: 'Response:x' }]]), { nodes: [], edges: [], ends: [] });
});
