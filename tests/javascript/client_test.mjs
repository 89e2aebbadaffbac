// The client against a real server.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { generate } from '../../tools/javascript/generate.mjs';
import { connect, ConnectionLost, WhenceError } from '../../tools/javascript/index.js';
import { textOf } from '../../tools/javascript/wire.js';
import { Server } from './server.mjs';

async function withServer(act, ...flags) {
  const server = await Server.start(...flags);
  try {
    await act(server);
  } finally {
    await server.stop();
  }
}

test('the generated files are those of the server', () =>
  withServer(async ({ url }) => {
    const { js, types } = generate(await connect(url).rpc.discover());
    const committed = (name) => readFileSync(new URL(`../../tools/javascript/${name}`, import.meta.url), 'utf8');
    assert.equal(committed('methods.js'), js);
    assert.equal(committed('methods.d.ts'), types);
  }));

test('methods by namespace, and errors', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const unit = { $type$: 'ContextUnit', type: 'External', source: 'file:a', content: 'text' };
    const { refs } = await db.records.write([unit], { mode: 'capture' });
    const id = db.record({ agent: 'bot', model: 'm', prompt: 'why?', content: 'so', context_units: [refs[0].slice('ContextUnit:'.length)] });
    assert.deepEqual(await db.flush(), { written: 1, dropped: 0, rejected: 0, pending: 0 });
    const { nodes } = await db.lineage.ancestors(id);
    assert.deepEqual(nodes.map((node) => node.ref), refs);
    assert.equal((await db.node.get({ ref: id, include: ['record'] })).nodes[0].record.prompt, 'why?');
    await assert.rejects(db.node.get('cu_nobody'), (error) => error instanceof WhenceError && error.code === -32020 && error.data.path === '/ref');
    await assert.rejects(db.call('no.such'), { code: -32601 });
    await assert.rejects(connect('http://127.0.0.1:1').server.info(), ConnectionLost);
  }));

test('the questions have the names that they have everywhere', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const unit = (name) => ({ $type$: 'ContextUnit', id: `cu_${name}`, type: 'External', source: 'file:a', content: name });
    await db.records.write([unit('a'), unit('b')], { mode: 'capture' });
    const uses = (...names) => names.map((name) => ({ context_unit_id: `cu_${name}`, weight: 1 / names.length }));
    const response = (name, ...units) => ({ $type$: 'Response', id: `resp_${name}`, timestamp: '2026-01-01T00:00:00Z', agent: 'a', model: 'm', context_units: uses(...units) });
    await db.records.write([response('1', 'a'), response('2', 'a', 'b')]);
    assert.deepEqual((await db.why('resp_2')).nodes.map((node) => node.id), ['cu_a', 'cu_b']);
    assert.deepEqual(await db.impact('cu_a'), await db.impact.analyze(['cu_a']));
    assert.deepEqual(await db.impact(['cu_a', 'cu_b'], { limit: 1 }), await db.impact.analyze({ refs: ['cu_a', 'cu_b'], limit: 1 }));
    assert.deepEqual(await db.blame(), await db.impact.blame());
    assert.deepEqual((await db.without('cu_a')).counts, (await db.impact.without(['cu_a'])).counts);
    assert.deepEqual(await db.diff('resp_1', 'resp_2'), await db.lineage.diff({ a: 'resp_1', b: 'resp_2' }));
    assert.deepEqual(await db.stale('cu_a'), await db.lineage.stale('cu_a'));
    assert.deepEqual((await db.stale()).sources, []);
  }));

test('a list is whole where it is iterated over, of one moment, and a page where it is awaited', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const topics = Array.from({ length: 1_499 }, (_, i) => ({ $type$: 'Topic', id: `t${i}` }));
    await db.records.write(topics.slice(0, 1_000));
    await db.records.write(topics.slice(1_000));
    for (const params of [{}, { limit: 100 }, { limit: 100, stream: true }, { stream: { credit: 2 } }]) {
      const found = db.node.find('Topic', params);
      const page = await found;
      assert.equal(page.nodes.length, params.limit ?? 1_000);
      await db.records.write([{ $type$: 'Topic', id: `later${topics.length++}` }]);
      const ids = new Set();
      for await (const { id } of found) ids.add(id);
      assert.equal(ids.size, topics.length - 1, JSON.stringify(params)); // and nothing that came meanwhile
      assert.equal(await found.tx(), page.tx);
      assert.equal((await found.all()).length, ids.size);
    }
    await assert.rejects(db.node.find('Topic', { limt: 5 }), /did you mean `limit`/);
    await assert.rejects(db.node.find({ type: 'Topic', curser: 'x' }), /did you mean `cursor`/);
    await assert.rejects(db.node.count('Topic', { as_off: 1 }), /did you mean `as_of`/);
  }));

test('a watch has the state first where it is asked for, and refuses what it does not know', () =>
  withServer(async ({ url }) => {
    const db = connect(url, { WebSocket });
    await db.records.write([{ $type$: 'Topic', id: 'a' }, { $type$: 'Message', id: 'm', topicId: 'a' }]);
    await db.records.write([{ $type$: 'Topic', id: 'b' }]);
    const events = db.watch({ snapshot: true, types: ['Topic'] });
    const got = [];
    for await (const event of events) {
      got.push([event.ref, event.snapshot === true]);
      if (got.length === 2) {
        assert.equal(events.tx, undefined); // a part of a state is no point to go on from
        await db.records.write([{ $type$: 'Topic', id: 'c' }]);
      }
      if (got.length === 3) break;
    }
    assert.deepEqual(got, [['Topic:a', true], ['Topic:b', true], ['Topic:c', false]]);
    assert.equal(events.tx, 3);
    for (const unknown of ['tokenFile', 'timeoutMs']) assert.throws(() => connect(url, { [unknown]: 1 }), new RegExp(`connect has no option \`${unknown}\``));
    for (const unknown of ['type', 'asOf', 'snapshots']) assert.throws(() => db.watch({ [unknown]: [] }), new RegExp(`watch has no option \`${unknown}\``));
  }));

test('what JSON lacks is refused with its place', () =>
  withServer(async ({ url }) => {
    const db = connect(url, { WebSocket });
    const cycle = { a: [] };
    cycle.a.push(cycle);
    class Unit {
      id = 'cu_a';
    }
    const unwritten = { toJSON: () => null }; // as the dates of some libraries that are not valid
    const faults = [
      [new Date('31.6.2025'), /: not a valid date$/],
      [NaN, /: NaN is no number of JSON$/],
      [-Infinity, /: -Infinity is no number of JSON$/],
      [2n ** 64n, /: 18446744073709551616 has more than 64 bits$/],
      [-(2n ** 63n) - 1n, /: -9223372036854775809 has more than 64 bits$/],
      [() => 1, /: a function is no value of JSON$/],
      [Symbol('x'), /: a symbol is no value of JSON$/],
      [[1, undefined], /\[1\]: undefined is no value of JSON$/],
      [[1, , 2], /\[1\]: undefined is no value of JSON$/], // eslint-disable-line no-sparse-arrays
      [new Set(['a']), /: an object of class Set is no value of JSON; give a list$/],
      [new Map([[1, 2]]), /: a Map is an object where its keys are texts$/],
      [new Map([['a b', NaN]]), /\["a b"\]: NaN is no number of JSON$/],
      [new Unit(), /: an object of class Unit is no value of JSON; give a plain object$/],
      [Promise.resolve(1), /: an object of class Promise is no value of JSON/],
      [/x/, /: an object of class RegExp is no value of JSON/],
      [new Error('x'), /: an object of class Error is no value of JSON/],
      [new Uint8Array([1]), /: an object of class Uint8Array is no value of JSON/],
      [Buffer.from('x'), /: an object of class Buffer is no value of JSON/],
      [unwritten, /: an object of class Object that has no value$/],
      [cycle, /\.a\[0\]: an object that is within itself$/],
    ];
    for (const [value, told] of faults) {
      const at = (place) => (error) => error instanceof TypeError && error.message.startsWith(place) && told.test(error.message);
      await assert.rejects(db.node.find('Response', { where: { timestamp: { lt: value } } }), at('params.where.timestamp.lt'));
      await assert.rejects(db.node.count('Response', { as_of: value }), at('params.as_of'));
      await assert.rejects(db.query('RETURN $a AS a', { a: [value] }).all(), at('params.params.a[0]'));
      await assert.rejects(db.call('records.write', { records: [{ $type$: 'Topic', attributes: { 'a-b': value } }] }), at('params.records[0].attributes["a-b"]'));
      assert.throws(() => db.watch({ match: { types: [value] } }), at('watch.match.types[0]'));
    }
    assert.throws(() => db.watch({ since: new Date('x') }), { message: 'watch.since: not a valid date' });
    // Params in which nothing would be found.
    for (const none of [new Set(['x']), Promise.resolve({}), new Date(), new Unit()]) {
      assert.throws(() => db.blame(none), { name: 'TypeError', message: /^params: a plain object is meant, not an object of class / });
      assert.throws(() => db.node.find('Topic', none), TypeError);
      assert.throws(() => db.query('RETURN 1', {}, none), { message: /^options: a plain object is meant/ });
      await assert.rejects(db.call('node.count', none), TypeError);
    }
    const told = [];
    const quiet = connect(url, { onError: (error) => told.push(error.message) });
    quiet.record({ content: 'x', attributes: { share: NaN } });
    quiet.record(new Map([[1, 'x']]));
    quiet.enqueue([{ $type$: 'Topic', id: 'a' }, { $type$: 'Topic', id: 'b', createdAt: new Date('x') }]);
    assert.deepEqual(await quiet.close(), { written: 0, dropped: 0, rejected: 4, pending: 0 });
    assert.deepEqual(told, ['records[0].attributes.share: NaN is no number of JSON', 'members: a plain object is meant, not an object of class Map', 'records[1].createdAt: not a valid date']);
    assert.equal((await db.server.info()).tx, 0);
  }));

test('what JSON has is written as it is', () => {
  const inside = Object.assign(Object.create(null), { b: new Map([['c', [null, true, 'd"\u2028']]]), none: undefined });
  for (const [value, text] of [
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [2n ** 63n - 1n, '9223372036854775807'],
    [-(2n ** 63n), '-9223372036854775808'],
    [2n ** 64n - 1n, '18446744073709551615'],
    [new Float32Array([0.5, 2]), '[0.5,2]'],
    [new BigInt64Array([5n]), '[5]'],
    [[1e21, -0, 0.1], JSON.stringify([1e21, -0, 0.1])],
    [[1e19, -1e20, 2 ** 63], '[1e+19,-1e+20,9.223372036854776e+18]'],
    [inside, '{"b":{"c":[null,true,"d\\"\u2028"]}}'],
    [[inside.b, inside.b], '[{"c":[null,true,"d\\"\u2028"]},{"c":[null,true,"d\\"\u2028"]}]'], // twice is no circle
    [{ toJSON: () => ({ at: new Date(0) }) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [new URL('http://a/'), '"http://a/"'],
    [Object('x'), '"x"'],
  ])
    assert.equal(textOf(value), text);
  const wide = { nodes: Array.from({ length: 1_000 }, (_, i) => ({ i, at: [i / 3, `n${i}`, { deep: null }] })) };
  assert.equal(textOf(wide), JSON.stringify(wide));
});

test('dates, integers of 64 bits and Maps are values of queries', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const params = new Map([['t', new Date(Date.UTC(2025, 5, 1))], ['n', 2n ** 60n + 1n], ['m', new Map([['k', 1]])]]);
    assert.deepEqual(await db.query('RETURN $t AS t, toString($n) AS n, $m.k AS k', params).all(), [{ t: '2025-06-01T00:00:00.000Z', n: '1152921504606846977', k: 1 }]);
  }));

test('a Date is milliseconds where the protocol has those', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const at = new Date(Date.UTC(2025, 5, 1));
    const ms = at.getTime();
    const names = { userId: 'u', discussionId: 'd' };
    const round = { $type$: 'DiscussionRound', ...names, roundNumber: 1, timestamp: at, ...Object.fromEntries(['analyzer', 'solver', 'moderator'].map((who) => [`${who}Response`, { content: who, timestamp: at }])) };
    await db.records.write([{ $type$: 'Discussion', ...names, createdAt: at, updatedAt: { toJSON: () => '2025-06-01T02:00:00.0019+02:00' } }, round]);
    assert.equal(round.timestamp, at);
    const read = async (type, where, method = 'find') => (await db.node[method](type, { where, include: ['record'] }).all()).map(({ record }) => record);
    const [discussion] = await read('Discussion', { createdAt: { lte: at, gte: at } });
    assert.equal(discussion.createdAt, ms);
    const [{ timestamp, solverResponse }] = await read('DiscussionRound', new Map([['timestamp', new Map([['in', [at]]])]]));
    assert.deepEqual([timestamp, solverResponse.timestamp], [ms, ms]);
    assert.deepEqual(await read('Discussion', { createdAt: { lt: at } }), []);
    assert.equal((await db.node.count('Discussion', { where: { createdAt: at } })).count, 1);
    await db.discussion.open('u', { discussionId: 'e', topic: 'x' });
    await db.discussion.addResponse('u', { discussionId: 'e', roundNumber: 1, persona: 'Analyzer AI', content: 'x', timestamp: at });
    assert.equal((await read('DiscussionRound', { discussionId: 'e' }))[0].analyzerResponse.timestamp, ms);
    db.enqueue([{ $type$: 'Topic', id: 't', createdAt: at }]);
    assert.equal((await db.flush()).rejected, 0);
    assert.equal((await read('Topic', { createdAt: at }))[0].createdAt, ms);
    await assert.rejects(db.node.find('Topic', { where: { createdAt: { lt: new Date('x') } } }), { message: 'params.where.createdAt.lt: not a valid date' });
    // A text where the protocol has texts, and in a query.
    await db.records.write([{ $type$: 'ContextUnit', id: 'cu_a', type: 'External', source: 's', timestamp: at, version: 1, attributes: { createdAt: at } }]);
    const [unit] = await read('ContextUnit', { timestamp: at });
    assert.deepEqual([unit.timestamp.slice(0, 19), unit.attributes.createdAt], ['2025-06-01T00:00:00', at.toISOString()]);
    assert.deepEqual(await db.query('RETURN $createdAt AS t', { createdAt: at }).all(), [{ t: at.toISOString() }]);
  }));

test('a list has what the answer has', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const unit = (name) => ({ $type$: 'ContextUnit', id: `cu_${name}`, type: 'External', source: 'file:a', content: name, timestamp: '2025-01-01T00:00:00Z', version: 1 });
    const response = (name, ...units) => ({ $type$: 'Response', id: `resp_${name}`, timestamp: '2026-01-01T00:00:00Z', agent: 'a', model: 'm', context_units: units.map((each) => ({ context_unit_id: `cu_${each}`, weight: 1 / units.length })) });
    await db.records.write([unit('a'), unit('b'), response('1', 'a'), response('2', 'a', 'b')]);
    await db.records.write([{ $type$: 'FeedbackRecord', response_id: 'resp_1', timestamp: '2026-01-02T00:00:00Z', score: -1 }]);
    assert.deepEqual((await db.blame({ of: 'models' }).all()).map(({ name, bad }) => [name, bad]), [['m', 1]]);
    assert.deepEqual(await db.node.neighbors('resp_2', { side: 'causes', group_by: 'type' }).all(), [{ value: 'ContextUnit', count: 2 }]);
    const edges = await db.why('resp_2', { form: 'edges' }).all();
    assert.deepEqual(edges.map(({ from, type }) => [from, type]).sort(), [['ContextUnit:cu_a', 'USED_IN'], ['ContextUnit:cu_b', 'USED_IN']]);
    assert.deepEqual((await db.why('resp_2', { form: 'graph' }).all()).map(({ ref }) => ref).sort(), ['ContextUnit:cu_a', 'ContextUnit:cu_b']);
    const { added, removed, reweighted, common } = await db.diff('resp_1', 'resp_2');
    const all = await db.diff('resp_1', 'resp_2').all();
    assert.ok(all.length > 1);
    assert.equal(all.length, [added, removed, reweighted, common].flatMap((each) => each ?? []).length);
    const moments = { ref: 'resp_2', as_of_a: 1, as_of_b: 2 };
    assert.deepEqual(await db.diff(moments), await db.lineage.diff(moments));
    const { tx, sources, answers } = await db.stale();
    assert.equal((await db.stale({ as_of: tx }).all()).length, sources.length + answers.length);
    assert.equal((await db.lineage.graph('resp_2').all()).length, (await db.lineage.graph('resp_2')).nodes.length);
    assert.throws(() => db.why('resp_2', 5), /^TypeError: params: a plain object is meant, not 5$/);
  }));

test('a watch that the server refuses is never ready', () =>
  withServer(async ({ url }) => {
    const db = connect(url, { WebSocket });
    for (const [options, path] of [
      [{ types: ['Topik'] }, '/match/types'],
      [{ since: 99_999 }, undefined],
      [{ downstream_of: 'cu_nobody' }, '/match/downstream_of'],
      [{ match: { typs: ['x'] } }, '/match/typs'],
    ]) {
      const events = db.watch(options);
      await assert.rejects(events.ready, (error) => error instanceof WhenceError && error.code < 0 && (error.data.path ?? '').startsWith(path ?? ''));
      await assert.rejects(events[Symbol.asyncIterator]().next(), WhenceError); // and who iterates is told, too
    }
    for (const [options, told] of [
      [{ snapshot: 'yes' }, /`snapshot` is true or false, not "yes"/],
      [{ snapshot: 1 }, /`snapshot` is true or false, not 1/],
      [{ silence: 'x' }, /`silence` is a number of milliseconds, not "x"/],
      [{ silence: NaN }, /`silence` .* not NaN/],
      [{ silence: 0 }, /`silence` .* not 0/],
      [new Map([['since', 0], [1, 2]]), /watch: a plain object is meant, not an object of class Map/],
    ])
      assert.throws(() => db.watch(options), told);
    for (const [options, told] of [[{ timeout: '5' }, /`timeout` is a number of milliseconds, not "5"/], [{ queueBytes: NaN }, /`queueBytes` .* not NaN/]])
      assert.throws(() => connect(url, options), told);
    const events = db.watch({});
    events.close();
    await assert.rejects(events.ready, /closed before/);
    const good = db.watch({ since: 0 });
    await good.ready;
    good.close();
    await good.ready;
  }));

test('without an address the environment names the server', () =>
  withServer(async ({ url }) => {
    process.env.WHENCE_URL = url;
    try {
      assert.equal((await connect().server.info()).tx, 0);
      assert.equal(connect('http://127.0.0.1:1').url, 'http://127.0.0.1:1');
    } finally {
      delete process.env.WHENCE_URL;
    }
  }));

test('the address of a namespace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whence-javascript-namespace-'));
  await withServer(async ({ url }) => {
    const [db, root] = [connect(`${url}/ns/a/`, { WebSocket }), connect(url)];
    const watch = db.watch({ since: 0 });
    const id = db.record({ agent: 'bot', model: 'm', content: 'so' });
    await db.flush();
    for await (const event of watch) {
      assert.equal(event.ref, `Response:${id}`);
      break;
    }
    const infos = await Promise.all([db.server.info(), root.server.info()]);
    assert.deepEqual(infos.map(({ tx, namespace }) => [tx, namespace]), [[1, 'a'], [0, undefined]]);
  }, '--namespace', `a=${folder}`).finally(() => rmSync(folder, { recursive: true }));
});

test('a wrong token', async () => {
  const file = join(tmpdir(), `whence-javascript-tokens-${process.pid}`);
  writeFileSync(file, `sha256:${createHash('sha256').update('right-token-0123456789').digest('hex')} role=admin\n`, { mode: 0o600 });
  await withServer(async ({ url }) => {
    await connect(url, { token: 'right-token-0123456789' }).server.info();
    const failures = [];
    const db = connect(url, { token: 'wrong', onError: (error) => failures.push(error.code) });
    await assert.rejects(db.server.info(), { code: -32010 });
    db.record({ content: 'x' });
    assert.equal((await db.close()).rejected, 1);
    assert.deepEqual(failures, [-32010]);
  }, '--tokens', file).finally(() => rmSync(file));
});

test('records made while the server is killed and away are there afterwards, once', () =>
  withServer(async (server) => {
    const db = connect(server.url);
    const ids = [];
    for (let i = 0; i < 300; i++) {
      ids.push(db.record({ agent: 'bot', model: 'm', content: `answer ${i}` }));
      if (i === 100) await server.end();
      if (i % 10 === 0) await new Promise(setImmediate);
    }
    assert.ok((await db.flush({ timeout: 300 })).pending > 0);
    await server.begin();
    assert.deepEqual(await db.flush(), { written: 300, dropped: 0, rejected: 0, pending: 0 });
    const { nodes } = await db.node.find('Response');
    assert.deepEqual(nodes.map((node) => node.id).sort(), ids.sort());
  }));

test('a full queue counts what it drops; what cannot be written is rejected alone', () =>
  withServer(async ({ url }) => {
    const db = connect(url, { queueBytes: 20_000 });
    for (let i = 0; i < 30; i++) db.record({ content: 'x'.repeat(1_000) });
    const { written, dropped } = await db.flush();
    assert.equal(written + dropped, 30);
    assert.ok(dropped > 0 && written > 0);

    const wide = connect(url);
    const cycle = {};
    cycle.self = cycle;
    wide.record({ content: 'x'.repeat(5 << 20) });
    wide.record({ attributes: cycle });
    wide.record({ content: 'y'.repeat(1 << 20) });
    wide.record(null);
    const counts = await wide.close();
    assert.equal(counts.pending, 0);
    assert.deepEqual([counts.written, counts.rejected], [1, 3]);
  }));

test('half a character at the end of a cut text costs itself alone', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    const cut = 'Well done \u{1f44d}'.slice(0, -1);
    const id = db.record({ content: `${cut} \udc00\\ud83d "\\`, attributes: { [cut]: '\ud83d\udc4d' } });
    assert.deepEqual(await db.flush(), { written: 1, dropped: 0, rejected: 0, pending: 0 });
    const [{ record }] = (await db.node.get(id, { include: ['record'] })).nodes;
    assert.equal(record.content, 'Well done \ufffd \ufffd\\ud83d "\\');
    assert.deepEqual(record.attributes, { 'Well done \ufffd': '\u{1f44d}' });
    await db.close();
  }));

test('a watch leaves a server that hangs, and goes on where it was', () =>
  withServer(async (server) => {
    const db = connect(server.url, { WebSocket, timeout: 2_000 });
    const events = db.watch({ since: 0, types: ['Response'], silence: 2_000 });
    const sockets = new Set();
    const seen = [];
    const reading = (async () => {
      for await (const event of events) {
        sockets.add(events.socket);
        seen.push(event.record.content);
        if (seen.length === 2) break;
      }
    })();
    const write = async (content) => {
      db.record({ content });
      await db.flush();
    };
    await write('before');
    while (seen.length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    const hung = events.socket;
    server.process.kill('SIGSTOP');
    while (events.socket === hung) await new Promise((resolve) => setTimeout(resolve, 100));
    server.process.kill('SIGCONT');
    await write('after');
    await reading;
    assert.deepEqual(seen, ['before', 'after']);
    assert.equal(sockets.size, 2);
  }, '--heartbeat', '1'));

test('a watch resumes after a lost server without loss or repetition', () =>
  withServer(async (server) => {
    const db = connect(server.url, { WebSocket });
    const events = db.watch({ since: 0, types: ['Response'] });
    const seen = [];
    const wanted = [];
    const reading = (async () => {
      for await (const event of events) {
        seen.push(event.record.content);
        if (seen.length === 40) break;
      }
    })();
    for (let i = 0; i < 40; i++) {
      if (i === 20) {
        await server.end();
        await server.begin();
      }
      wanted.push(`answer ${i}`);
      db.record({ content: `answer ${i}` });
      await db.flush();
    }
    await reading;
    assert.deepEqual(seen, wanted);
    assert.equal(events.tx, 40);
  }));

test('a query: all rows at one moment, its columns, its page', () =>
  withServer(async ({ url }) => {
    const db = connect(url);
    await db.records.write([{ $type$: 'Topic', name: 'first' }]);
    const numbers = db.query('UNWIND range(1, $n) AS i RETURN i, [i, {half: i / 2.0}] AS parts', { n: 25_000 }, { limit: 10_000 });
    assert.deepEqual(await numbers.columns(), ['i', 'parts']);
    await db.records.write([{ $type$: 'Topic', name: 'second' }]);
    let rows = 0;
    for await (const { i, parts } of numbers) {
      rows += 1;
      assert.equal(i, rows);
      if (rows % 9_999 === 0) assert.deepEqual(parts, [i, { half: i / 2 }]);
    }
    assert.equal(rows, 25_000);
    assert.equal(await numbers.tx(), 1);
    for await (const row of numbers.rows()) if (row[0] === 3) break;
    const names = 'MATCH (t:Topic) RETURN t.name AS name ORDER BY name';
    assert.deepEqual(await db.query(names).all(), [{ name: 'first' }, { name: 'second' }]);
    assert.deepEqual(await db.query(names, null, { as_of: 1 }).all(), [{ name: 'first' }]);
    const { complete, rows: page } = await db.query({ cypher: names, limit: 1 });
    assert.deepEqual([complete, page], [false, [['first']]]);
    const topic = (await db.query('MATCH (t:Topic {name: $name}) RETURN t', { name: 'first' }).all())[0].t;
    assert.deepEqual([topic.labels.sort(), topic.properties.name], [['Node', 'Topic'], 'first']);
    assert.equal((await db.query('EXPLAIN MATCH (n) RETURN n')).plan.includes('Scan'), true);
    await assert.rejects(db.query('MATCH (n').all(), (error) => error instanceof WhenceError && /line 1, column/.test(error.message));
    await assert.rejects(db.query('RETURN $missing').catch((error) => Promise.reject(error)), { code: -32602 });
    assert.throws(() => db.query('RETURN 1', {}, { asof: 1 }), /as_of/);
  }));
