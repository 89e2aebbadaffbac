// The explorer's model of the graph without a browser: held against the server's own answers, and its filters by hand.
// Needs WHENCE and WHENCE_EXPLORER as the other tests do. Run with `node --test`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ratingsQuery, sumsQuery } from '../../tools/explorer/src/pages/answers_ask.js';
import { newestOf } from '../../tools/explorer/src/read/ask.js';
import { asNamed, asShown } from '../../tools/explorer/src/dom.js';
import { latencyText, roundedScore, scoreText } from '../../tools/explorer/src/form.js';
import { endOf, isoText, periodsOf, startOf } from '../../tools/explorer/src/pages/periods.js';
import { partsOf } from '../../tools/explorer/src/calls.js';
import { parseText } from '../../tools/explorer/src/console/json_text.js';
import { csvOf } from '../../tools/explorer/src/cypher/csv.js';
import { Written, laidOut, readIntegers, readJson, readMessage } from '../../tools/explorer/src/json.js';
import { failureOf, lineOf } from '../../tools/explorer/src/read/texts.js';
import { edgeWords } from '../../tools/explorer/src/picture/edge_words.js';
import { load } from '../../tools/explorer/src/server/load.js';
import { Model } from '../../tools/explorer/src/server/model.js';
import { DEFAULTS } from '../../tools/explorer/src/state.js';
import { TYPES, labelOf, runsAlong, typeOfRef, useVocabulary } from '../../tools/explorer/src/vocabulary.js';
import { Server } from './server.mjs';

let server;
let refs;

before(async () => {
  server = await Server.start();
  const described = await server.rpc('rpc.discover');
  useVocabulary(described['x-whence-types']);
  const { nodes } = await server.rpc('server.info');
  const pages = await Promise.all(Object.keys(nodes).map((type) => server.rpc('node.find', { type })));
  refs = pages.flatMap((page) => page.nodes.map((node) => node.ref));
});

after(() => server?.stop());

test('the words of a case are those that the server has', async () => {
  const kept = JSON.parse(readFileSync(new URL('../../tools/explorer/src/case/types.json', import.meta.url), 'utf8'));
  assert.deepEqual(kept, (await server.rpc('rpc.discover'))['x-whence-types']);
});

const sorted = (values) => [...values].sort();

async function modelAround(ref, depths) {
  const answer = await server.rpc('lineage.graph', { ref, ...depths, limit: 300 });
  const model = new Model(ref);
  model.merge(answer);
  return { model, answer };
}

test('every type of the server is in the vocabulary', async () => {
  const { nodes } = await server.rpc('server.info');
  assert.deepEqual(
    Object.keys(nodes).filter((type) => !(type in TYPES)),
    [],
  );
});

// Claim: the page reads the direction of influence of every edge as the server does. Method: what the model reaches from
// each node of the story is compared with lineage.ancestors and lineage.descendants, depths included.
test('ancestors and descendants are those of the server', async () => {
  assert.ok(refs.length > 30);
  for (const ref of refs) {
    const { model } = await modelAround(ref, { up: 20, down: 20 });
    for (const [side, method] of [
      ['causes', 'lineage.ancestors'],
      ['effects', 'lineage.descendants'],
    ]) {
      const { nodes } = await server.rpc(method, { ref });
      const reached = [...model.reach(ref, side)].map(([each, depth]) => `${each} ${depth}`);
      assert.deepEqual(
        sorted(reached),
        sorted(nodes.map((node) => `${node.ref} ${node.depth}`)),
        `${method} of ${ref}`,
      );
    }
  }
});

test('hidden neighbours are those of the frontier', async () => {
  for (const ref of refs) {
    const { model, answer } = await modelAround(ref, { up: 1, down: 1 });
    const frontier = new Map(answer.frontier.map((entry) => [entry.ref, entry]));
    for (const node of answer.nodes) {
      const { causes = 0, effects = 0 } = frontier.get(node.ref) ?? {};
      assert.deepEqual(
        [model.hidden(node.ref, 'causes'), model.hidden(node.ref, 'effects')],
        [causes, effects],
        node.ref,
      );
    }
  }
});

// Claim: the page places what a record belongs to before it, and its parts after it, as lineage.graph takes them.
test('a relation leads from the whole to its part', async () => {
  const topic = refs.find((ref) => typeOfRef(ref) === 'Topic');
  const answer = await server.rpc('lineage.graph', { ref: topic, up: 0, down: 2, relations: true });
  const model = new Model(topic);
  model.merge(answer);
  const kinds = new Set([...model.reach(topic, 'effects').keys()].map(typeOfRef));
  for (const kind of ['Message', 'XMLMessageAttachment', 'Subject', 'Keyword', 'Summary']) assert.ok(kinds.has(kind), kind);
  assert.equal(model.nodes.size - 1, model.reach(topic, 'effects').size);
  assert.ok([...model.edges.values()].some((edge) => edge.isRelation));
  assert.equal(model.hidden(topic, 'effects'), 0);
});

test('an edge that is drawn against its direction has words of its own', async () => {
  const { edges } = (await server.rpc('rpc.discover'))['x-whence-types'];
  const against = edges.map(({ name }) => ({ type: name, from: 'Response:a', to: 'Response:b' })).filter((edge) => !runsAlong(edge));
  assert.ok(against.length > 20);
  assert.deepEqual(against.map(edgeWords).filter((words) => words.startsWith('←')), []);
  assert.equal(edgeWords({ type: 'OF_PERSON', from: 'Response:a', to: 'Person:p' }), 'person of');
});

// Two patterns that meet in the answers are walked from every answer, which takes tens of seconds where one takes a tenth.
test('the ratings of all answers are one pattern', () => {
  const { cypher } = ratingsQuery(DEFAULTS, 'day');
  assert.deepEqual(cypher.match(/MATCH .*?(?= WITH| RETURN)/g), ['MATCH (f:FeedbackRecord)-[:EVALUATES]->(r:Response)']);
  // A step between keeps the server from summing in batches: it is there where messages may find an answer twice.
  const isStepped = (state) => [sumsQuery, ratingsQuery].map((query) => / WITH DISTINCT /.test(query({ ...DEFAULTS, ...state }, 'day').cypher));
  assert.deepEqual([{}, { split: 'agent' }, { split: 'topic' }, { topic: 't' }].map(isStepped), [[false, false], [false, false], [true, true], [true, true]]);
});

// Claim: where a picture cannot have all, it has the sources, and ratings as far as there is room.
test('influence is loaded before ratings', async () => {
  const timestamp = '2025-10-15T10:00:00Z';
  const units = Array.from({ length: 40 }, (_, i) => ({ type: 'External', source: `file:${i}`, content: `Passage ${i}`, weight: 1 / 40 }));
  await server.write({ $type$: 'Response', id: 'resp_disputed', timestamp, agent: 'a', model: 'm', content: 'c', context_units: units });
  const ratings = Array.from({ length: 400 }, (_, i) => ({ $type$: 'FeedbackRecord', id: `fb_disputed_${i}`, response_id: 'resp_disputed', timestamp, score: 0.5 }));
  await server.write(...ratings);
  const state = { ...DEFAULTS, ref: 'Response:resp_disputed', up: 1, down: 1 };
  const { model } = await load({ call: (method, params) => server.rpc(method, params) }, state);
  const counts = {};
  for (const { type } of model.nodes.values()) counts[type] = (counts[type] ?? 0) + 1;
  assert.deepEqual(counts, { Response: 1, ContextUnit: 40, FeedbackRecord: 259 });
  assert.deepEqual([model.hidden(state.ref, 'causes'), model.hidden(state.ref, 'effects')], [0, 141]);
});

/** a -0.9-> r1 <-0.1- b, r1 -> c (a version), c -0.2-> r2, d -0.8-> r2 */
function smallModel() {
  const model = new Model('Response:r1');
  const ids = ['ContextUnit:a', 'ContextUnit:b', 'ContextUnit:c', 'ContextUnit:d', 'Response:r1', 'Response:r2'];
  ids.forEach((ref) => model.addNode({ ref, type: typeOfRef(ref) }));
  const use = (from, to, weight) => model.addEdge({ from, to, type: 'USED_IN', weight });
  use('ContextUnit:a', 'Response:r1', 0.9);
  use('ContextUnit:b', 'Response:r1', 0.1);
  use('ContextUnit:c', 'Response:r2', 0.2);
  use('ContextUnit:d', 'Response:r2', 0.8);
  model.addEdge({ from: 'ContextUnit:c', to: 'Response:r1', type: 'UPDATED_BY' });
  return model;
}

const refsOf = ({ nodes }) => sorted(nodes.map((node) => node.ref.split(':')[1])).join(' ');

test('least weight hides thin edges and all that hangs on them only', () => {
  const model = smallModel();
  assert.equal(refsOf(model.visible({ weight: 0 })), 'a b c d r1 r2');
  assert.equal(refsOf(model.visible({ weight: 0.15 })), 'a c d r1 r2');
  assert.equal(refsOf(model.visible({ weight: 0.5 })), 'a c r1', 'd is thick enough but hangs on r2, which is gone');
});

test('focus leaves ancestors and descendants, along edges that are shown', () => {
  const model = smallModel();
  assert.equal(refsOf(model.visible({ focus: 'ContextUnit:a' })), 'a c r1 r2');
  assert.equal(refsOf(model.visible({ focus: 'ContextUnit:a', weight: 0.5 })), 'a c r1');
  assert.equal(refsOf(model.visible({ focus: 'ContextUnit:never' })), 'a b c d r1 r2');
});

test('edges without both ends are left out, relations are marked', () => {
  const model = smallModel();
  const count = model.edges.size;
  model.addEdge({ from: 'FeedbackRecord:f', to: 'Response:r1', type: 'EVALUATES', score: 1 });
  model.addNode({ ref: 'FeedbackRecord:f', type: 'FeedbackRecord' });
  model.addEdge({ from: 'FeedbackRecord:f', to: 'Response:r1', type: 'EVALUATES', score: 1 });
  model.addEdge({ from: 'ContextUnit:a', to: 'Response:never', type: 'USED_IN', weight: 1 });
  model.addEdge({ from: 'ContextUnit:a', to: 'Response:r1', type: 'USED_IN', weight: 0.9 });
  assert.equal(model.edges.size, count + 1);
  const relations = [...model.edges.values()].filter((edge) => edge.isRelation);
  assert.deepEqual(
    relations.map(({ cause, effect }) => [cause, effect]),
    [['Response:r1', 'FeedbackRecord:f']],
  );
});

test('depths have a sign', () => {
  const depths = smallModel().depths();
  assert.deepEqual(
    ['ContextUnit:a', 'Response:r1', 'ContextUnit:c', 'Response:r2', 'ContextUnit:d'].map((ref) => depths.get(ref)),
    [-1, 0, 1, 2, undefined],
  );
});

test('a long list is read to its end, and its newest entries stay', async () => {
  const all = Array.from({ length: 25_500 }, (_, i) => i);
  const optional = async (_, { limit, cursor = '0' }) => {
    const to = Number(cursor) + limit;
    return { events: all.slice(Number(cursor), to), ...(to < all.length && { cursor: String(to) }) };
  };
  const found = await newestOf({ optional }, 'history.get', { ref: 'Topic:t' }, 'events');
  assert.deepEqual([found.events.length, found.events[0], found.events.at(-1), found.left], [1000, 24_500, 25_499, 24_500]);
  const few = await newestOf({ optional: async () => ({ events: [1, 2] }) }, 'history.get', {}, 'events');
  assert.deepEqual([few.events, few.left], [[1, 2], 0]);
});

test('calls of tools are read as telemetry and as the AI SDK write them; other JSON stays JSON', () => {
  const telemetry = '{"type":"tool_call","id":"call_1","name":"weather","arguments":{"town":"Bern"}}';
  const sdk = '[{"toolCallId":"call_1","toolName":"weather","input":"{\\"town\\":\\"Bern\\"}"}]';
  for (const text of [telemetry, sdk]) {
    const [{ call }, ...rest] = partsOf(text);
    assert.deepEqual([call.id, call.name, call.arguments, rest], ['call_1', 'weather', { town: 'Bern' }, []]);
    assert.equal(lineOf(text), 'weather(town: Bern)');
  }
  assert.equal(lineOf(`Looking.\n${telemetry}`), 'Looking. weather(town: Bern)');
  assert.equal(lineOf('[{"toolName":"weather"}]'), '1 entry');
  assert.deepEqual(partsOf('[]'), [{ value: [] }]);
  assert.deepEqual(partsOf('{"toolCallId":1,"toolName":"weather","input":"as text"}'), [{ call: { id: 1, name: 'weather', arguments: 'as text' } }]);
});

test('numbers of JSON texts stay as they were written, laid out and in a line', () => {
  const text = '{"user":1234567890123456789,"price":1.10,"rate":1E400,"2":{"b":-0.0},"1":[],"1":[ 1234567890123456789 ],"n":null,"__proto__":7}';
  const laid = laidOut(readJson(text));
  assert.equal(laid.replace(/\s/g, ''), text.replace(/\s/g, ''));
  assert.match(laid, /^\{\n {2}"user": 1234567890123456789,\n {2}"price": 1\.10,/);
  assert.equal(lineOf('{"user":1234567890123456789,"prices":[1.10,2]}'), 'user: 1234567890123456789, prices: 1.10, 2');
  const [{ call }] = partsOf('{"type":"tool_call","id":"c","name":"ban","arguments":"{\\"user\\":1234567890123456789}"}');
  assert.equal(laidOut(call.arguments), '{\n  "user": 1234567890123456789\n}');
  assert.equal(laidOut(readJson('["\\u00e4\\"", true]')), '[\n  "ä\\"",\n  true\n]');
});

test('JSON is read as JSON.parse reads it, or is none in both', () => {
  const plain = (value) => (value instanceof Written ? Number(value) : Array.isArray(value) ? value.map(plain) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])) : value);
  const signs = ['{', '}', '[', ']', ',', ':', '"', '\\', 'a', '1', '0', '-', '.', 'e', '+', ' ', '\n', 'true', 'null', '"a"', '"a":1'];
  const attempt = (read, text) => {
    try {
      return JSON.stringify(plain(read(text)));
    } catch {
      return 'none';
    }
  };
  for (let i = 0, seed = 1; i < 40_000; i++) {
    const text = Array.from({ length: 1 + (i % 9) }, () => signs[(seed = (seed * 1103515245 + 12345) % 2147483648) % signs.length]).join('');
    const expected = attempt(JSON.parse, text);
    for (const read of [readJson, readIntegers, readMessage]) assert.equal(attempt(read, text), expected, text);
    if (expected !== 'none') assert.equal(attempt((each) => JSON.parse(laidOut(readJson(each))), text), expected, text);
  }
});

test('integers of 64 bits come from the server as they are, and go into cells and files so', () => {
  const { rows, small } = readMessage('{"rows":[[9007199254740993,-1234567890123456789,{"n":1790000000000000007},1.5]],"small":[4,1234567890123456]}');
  assert.deepEqual(small, [4, 1234567890123456]);
  assert.equal(String(rows[0][0]), '9007199254740993');
  assert.equal(csvOf(['a', 'b'], [rows[0].slice(0, 2)]), 'a,b\r\n9007199254740993,-1234567890123456789\r\n');
  assert.equal(Math.round(rows[0][0]), 9007199254740992);
  assert.equal(String(readMessage(`${'['.repeat(300)}1234567890123456789${']'.repeat(300)}`).flat(Infinity)[0]), '1234567890123456800', 'too deep to read by hand');
  assert.equal(String(parseText('{"id": 1234567890123456789}').value.id), '1234567890123456789');
});

test('calls of tools and what they gave are read in the forms of those who record them', () => {
  const given = { call: { id: 'c1', name: 'book', arguments: { to: 'BLR' } } };
  const forms = [
    { type: 'tool_call', id: 'c1', name: 'book', arguments: { to: 'BLR' } },
    { type: 'tool_call', id: 'c1', name: 'book', args: { to: 'BLR' } },
    { type: 'tool_use', id: 'c1', name: 'book', input: { to: 'BLR' } },
    { type: 'function', id: 'c1', function: { name: 'book', arguments: '{"to":"BLR"}' } },
    { toolCallId: 'c1', toolName: 'book', input: '{"to":"BLR"}' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'book', args: { to: 'BLR' } },
    { toolUse: { toolUseId: 'c1', name: 'book', input: { to: 'BLR' } } },
    { functionCall: { id: 'c1', name: 'book', args: { to: 'BLR' } } },
    { function_call: { id: 'c1', name: 'book', args: { to: 'BLR' } } },
  ];
  for (const form of forms) {
    const json = JSON.stringify(form);
    for (const text of [json, `[${json}]`]) assert.deepEqual(partsOf(text), [given], text);
    for (const gap of [' ', '\n', '\n\n'])
      for (const calls of [json, `[${json}]`]) assert.equal(lineOf(`Let me [see].${gap}${calls}`).replace(/\s+/g, ' '), 'Let me [see]. book(to: BLR)', calls);
    assert.deepEqual(partsOf(JSON.stringify([{ text: 'So.' }, form, form])), [{ text: 'So.' }, given, given]);
  }
  const results = [
    [{ toolResult: { toolUseId: 'c1', status: 'success', content: [{ text: 'Booked LX 1.' }] } }, { id: 'c1', name: undefined, value: 'Booked LX 1.' }],
    [{ toolResult: { toolUseId: 'c1', content: [{ json: { seat: 4 } }] } }, { id: 'c1', name: undefined, value: { seat: 4 } }],
    [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }, { id: 'c1', name: undefined, value: ['a', 'b'] }],
    [{ type: 'tool-result', toolCallId: 'c1', toolName: 'book', output: { type: 'json', value: { seat: 4 } } }, { id: 'c1', name: 'book', value: { seat: 4 } }],
    [{ functionResponse: { name: 'book', response: { seat: 4 } } }, { id: undefined, name: 'book', value: { seat: 4 } }],
    [{ type: 'tool_call_response', id: 'c1', response: '{"seat":4}' }, { id: 'c1', name: undefined, value: { seat: 4 } }],
  ];
  for (const [form, result] of results) assert.deepEqual(partsOf(JSON.stringify([form])), [{ result }], JSON.stringify(form));
  const id = 'c1';
  const rests = [
    [{ type: 'tool_result', tool_use_id: id, is_error: true, content: 'no seat' }, { result: { id, name: undefined, value: 'no seat' }, rest: { is_error: true } }],
    [{ toolResult: { toolUseId: id, status: 'error', content: [{ text: 'no seat' }] } }, { result: { id, name: undefined, value: 'no seat' }, rest: { status: 'error' } }],
    [{ type: 'tool-result', toolCallId: id, toolName: 'book', output: { type: 'error-text', value: 'no' } }, { result: { id, name: 'book', value: { type: 'error-text', value: 'no' } } }],
    [{ type: 'tool_use', id, name: 'book', input: {}, cache_control: { type: 'ephemeral' } }, { call: { id, name: 'book', arguments: {} }, rest: { cache_control: { type: 'ephemeral' } } }],
    [{ type: 'function', id, index: 2, function: { name: 'book', arguments: '{}' } }, { call: { id, name: 'book', arguments: {} }, rest: { index: 2 } }],
    [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'image', source: 'a.png' }] }, { result: { id, name: undefined, value: [{ type: 'image', source: 'a.png' }] } }],
    [{ type: 'tool_call', id, name: 'book', arguments: {}, args: { a: 1 } }, { call: { id, name: 'book', arguments: {} }, rest: { args: { a: 1 } } }],
  ];
  for (const [form, part] of rests) assert.deepEqual(partsOf(JSON.stringify([form])), [part], JSON.stringify(form));
  const text = { type: 'output_text', text: 'So.', annotations: ['a'] };
  assert.deepEqual(partsOf(JSON.stringify([text, rests[0][0]])), [{ text: 'So.', rest: { annotations: ['a'] } }, rests[0][1]]);
  for (const text of ['[{"type":"function","function":{"name":"book","parameters":{}}}]', '[{"text":"a"}]', '{"type":"constructor"}', '{"toolUse":1}', '{"a":1}'])
    assert.deepEqual(partsOf(text), [{ value: JSON.parse(text) }], text);
  assert.deepEqual(partsOf('See [{"a":1}]'), [{ text: 'See [{"a":1}]' }]);
});

test('small ratings and times are not nothing', () => {
  assert.deepEqual([-0.004, 0.004, -0.006, 0.126, 0, -1].map(scoreText), ['−0.004', '+0.004', '−0.01', '+0.13', '0', '−1']);
  assert.deepEqual([-0.004, 0.5, 0].map(roundedScore), [-0.004, 0.5, 0]);
  assert.deepEqual([0.4, 0, 0.6, 12.3, 1500].map(latencyText), ['0.4 ms', '0 ms', '1 ms', '12 ms', '1.5 s']);
});

test('periods of the years 1 to 99 are of these years, and of too many periods the newest stay', () => {
  const at = Date.parse('0050-06-15T10:00:00Z');
  for (const [period, from, to] of [['year', '0050-01-01', '0051-01-01'], ['month', '0050-06-01', '0050-07-01'], ['week', '0050-06-13', '0050-06-20'], ['day', '0050-06-15', '0050-06-16']]) {
    const start = startOf(at, period);
    assert.deepEqual([isoText(start), isoText(endOf(start, period))], [`${from}T00:00:00Z`, `${to}T00:00:00Z`], period);
  }
  const newest = Date.parse('2026-01-01T00:00:00Z');
  assert.deepEqual(periodsOf([startOf(at, 'day'), newest], 'day'), [startOf(at, 'day'), newest]);
  assert.equal(periodsOf([Date.parse('2025-12-30T00:00:00Z'), newest], 'day').length, 3);
});

test('letters that are not seen are shown in names, but for those of their script', () => {
  const names = { 'a\u200bb': 'a⟨U+200B⟩b', 'pay\u2066pal\u2069': 'pay⟨U+2066⟩pal⟨U+2069⟩', 'x\u00ady\ufeff': 'x⟨U+00AD⟩y⟨U+FEFF⟩', 'a\u200d': 'a⟨U+200D⟩', 'a\u200e': 'a⟨U+200E⟩', 'a\u202eb': 'a⟨U+202E⟩b' };
  for (const [name, shown] of Object.entries(names)) assert.equal(asNamed(name), shown);
  for (const name of ['می\u200cخواهم', '\u{1f469}\u200d\u{1f52c}', '\u{1f469}\u{1f3fd}\u200d\u{1f52c}', '\u2764\ufe0f\u200d\u{1f525}', 'क्\u200dष', '\u05d0 (x)\u200f']) assert.equal(asNamed(name), name);
  assert.equal(asShown('a\u200bb\u202ec'), 'a\u200bb⟨U+202E⟩c', 'a text keeps them, but for such as turn it');
});

test('a record whose words are not seen is called by its id', () => {
  assert.equal(labelOf({ ref: 'ContextUnit:cu_x', type: 'ContextUnit', id: 'cu_x', record: { summary: '\u200b', content: '\u200b', source: '\u00ad' } }), 'cu_x');
});

test('why a call failed, as telemetry or a client of ours says; of others nothing', () => {
  const status = { 'otel.status_code': 'ERROR' };
  for (const [record, why] of [
    [undefined, ''],
    [{}, ''],
    [{ attributes: { 'otel.status_code': 'OK', 'otel.status_description': 'fine' } }, ''],
    [{ attributes: { 'otel.status_description': 'fine' } }, ''],
    [{ attributes: status }, 'without a reason'],
    [{ attributes: { ...status, 'otel.status_description': '429' } }, '429'],
    [{ attributes: { ...status, 'otel.status_description': ' ', 'error.type': 'timeout' } }, 'timeout'],
    [{ attributes: { 'exception.type': 'KeyError', 'exception.message': "'x'" } }, "'x'"],
    [{ attributes: { error: 'refused' } }, 'refused'],
    [{ attributes: { error: 'refused' }, content: 'Yes.' }, ''],
    [{ attributes: { error: false } }, ''],
    [{ attributes: { 'error.type': 500 } }, '500'],
  ])
    assert.equal(failureOf(record), why, JSON.stringify(record));
});

test('older ratings than the newest thousand are read where they are asked for', async () => {
  const all = Array.from({ length: 2500 }, (_, i) => ({ i }));
  const ask = { optional: (method, { cursor = 0, limit }) => Promise.resolve({ records: all.slice(cursor, cursor + limit), cursor: cursor + limit < all.length ? cursor + limit : undefined }) };
  for (const kept of [1000, 1300, 2499, 2500, 30_000]) {
    const { records, left } = await newestOf(ask, 'feedback.list', {}, 'records', kept);
    assert.deepEqual([records.length, records[0].i, records.at(-1).i, left], [Math.min(kept, 2500), Math.max(0, 2500 - kept), 2499, Math.max(0, 2500 - kept)]);
  }
});
