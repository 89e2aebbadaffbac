// The client with several addresses, against scripted servers: where it goes on, what is sent twice, and what is not.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { connect, ConnectionLost } from '../../tools/javascript/index.js';
import { Nodes } from '../../tools/javascript/nodes.js';

const BUSY = { code: -32051, message: 'the server is shutting down', data: { retry_after_ms: 1 } };
const EPOCH = 'epoch-1';

/** A server whose `answer(request, connection)` gives `{result}`, `{error}` or nothing, which cuts the connection. */
class FakeNode {
  static async start(answer, { epoch = EPOCH, tx = 5, watched = [] } = {}) {
    const node = new FakeNode();
    Object.assign(node, { answer, epoch, tx, watched, seen: [] });
    node.http = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const given = node.reply(JSON.parse(body));
      response.setHeader('Connection', 'close');
      if (given) response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...given }));
      else request.socket.destroy();
    });
    node.sockets = new WebSocketServer({ server: node.http });
    node.sockets.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('message', (data) => node.take(socket, JSON.parse(data)));
    });
    await new Promise((resolve) => node.http.listen(0, '127.0.0.1', resolve));
    node.url = `http://127.0.0.1:${node.http.address().port}`;
    return node;
  }

  reply({ method, params }) {
    if (method === 'server.info') return { result: { epoch: this.epoch, tx: this.tx } };
    this.seen.push({ method, params });
    return this.answer({ method, params });
  }

  /** A message of a watch: the n-th subscription is answered with the n-th list of notifications, and then cut if it ends so. */
  take(socket, { id, method, params }) {
    const send = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    if (method === 'session.hello') return send({ id, result: { epoch: this.epoch, tx: this.tx } });
    if (method !== '$/credit') this.seen.push({ method, params });
    if (method === 'node.count') return send({ id, result: { tx: 0, count: 0 } });
    if (method !== 'subscribe') return;
    const { from_tx, events, cut, error } = this.watched.shift() ?? {};
    if (error) return send({ id, error });
    send({ id, result: { sub: 's', from_tx } });
    for (const each of events ?? []) send({ method: 'event', params: { sub: 's', events: each } });
    if (cut) setImmediate(() => socket.terminate());
  }

  sent(method) {
    return this.seen.filter((each) => each.method === method).map((each) => each.params);
  }

  stop() {
    for (const socket of this.sockets.clients) socket.terminate();
    this.http.closeAllConnections();
    return new Promise((resolve) => this.http.close(resolve));
  }
}

const ok = () => ({ result: { tx: 6, nodes: [] } });
const cut = () => undefined;
const busy = () => ({ error: BUSY });
const inDoubt = () => ({ error: { code: BUSY.code, message: 'not confirmed', data: { outcome: 'unknown', retry_after_ms: 1 } } });
const event = (tx, prev, ref = 'Topic:t') => ({ tx, prev, ref, op: 'put' });

async function withNodes(act, ...given) {
  const nodes = [];
  try {
    for (const each of given) nodes.push(await FakeNode.start(...[each].flat()));
    await act(nodes, nodes.map((node) => node.url));
  } finally {
    for (const node of nodes) await node.stop();
  }
}

test('addresses are a text, a text with commas, or a list', () => {
  for (const given of ['http://a:1, http://b:2/,', ['http://a:1/', 'http://b:2', 'http://a:1']]) {
    assert.deepEqual(new Nodes(given).urls, ['http://a:1', 'http://b:2']);
  }
  assert.throws(() => connect([]), /no address/);
});

test('a read whose node is gone goes on at the next, and stays there', () =>
  withNodes(async ([a, b], urls) => {
    const db = connect(urls);
    await db.node.find('Response');
    await db.node.find('Response');
    assert.deepEqual([a.seen.length, b.seen.length], [1, 2]);
    assert.equal(db.url, b.url);
  }, cut, ok));

test('a write goes on under its key', () =>
  withNodes(async ([a, b], urls) => {
    await connect(urls).records.write([{ $type$: 'Topic', id: 't' }]);
    assert.deepEqual(a.sent('records.write'), b.sent('records.write'));
    assert.ok(b.sent('records.write')[0].idempotency_key);
  }, cut, ok));

test('the queue goes on under its key', () =>
  withNodes(async ([a, b], urls) => {
    const db = connect(urls.join(','));
    db.record({ content: 'x' });
    assert.equal((await db.close()).written, 1);
    assert.deepEqual(a.sent('records.write'), b.sent('records.write'));
  }, busy, ok));

test('a write without a key is not sent twice', async () => {
  for (const script of [cut, busy]) {
    await withNodes(async ([, b], urls) => {
      const db = connect(urls);
      await assert.rejects(db.records.delete(['cu_1']), /records.delete may have been carried out/);
      assert.equal(b.seen.length, 0);
      await db.records.delete(['cu_1']);
      assert.equal(b.seen.length, 1);
    }, script, ok);
  }
});

test('with one address too, where it may have been carried out', () =>
  withNodes(async ([a], urls) => {
    const db = connect(urls[0]);
    await assert.rejects(db.records.delete(['cu_1']), /not confirmed; records.delete may have been carried out/);
    assert.equal(a.seen.length, 1);
    await assert.rejects(db.records.write([]), /not confirmed/);
    assert.equal(a.seen.length, 5); // under one key
  }, inDoubt));

test('a write without a key goes on where no node can have it', () =>
  withNodes(async ([a, b], urls) => {
    const db = connect(urls);
    await db.node.count('Topic');
    await a.stop();
    await db.records.delete(['cu_1']);
    assert.equal(b.seen.length, 1);
  }, ok, ok));

test('busy everywhere is raised after three more rounds, with what each said', () =>
  withNodes(async ([a, b], urls) => {
    await assert.rejects(connect(urls).node.count('Topic'), { code: -32051, message: new RegExp(`${a.url}: the server is .*${b.url}: `) });
    assert.deepEqual([a.seen.length, b.seen.length], [4, 4]);
  }, busy, busy));

test('all away is tried until the timeout', () =>
  withNodes(async ([a, b], urls) => {
    const db = connect(urls, { timeout: 300 });
    await Promise.all([a.stop(), b.stop()]);
    await assert.rejects(db.node.count('Topic'), (error) => error instanceof ConnectionLost && error.message.includes(a.url) && error.message.includes(b.url));
  }, ok, ok));

test('a node of another graph is passed over', () =>
  withNodes(async ([, b], urls) => {
    const db = connect(urls, { timeout: 300 });
    await assert.rejects(db.node.count('Topic'), new RegExp(`${b.url} has another graph`));
    assert.equal(b.seen.length, 0);
  }, cut, [ok, { epoch: 'other' }]));

test('reads carry what was written; one address sends nothing', () =>
  withNodes(async ([a], urls) => {
    const write = async (db) => {
      await db.records.write([{ $type$: 'Topic', id: 't' }]);
      await db.node.count('Topic');
      await db.node.count('Topic', { min_tx: 3 });
      return a.sent('node.count').splice(0).map((params) => params.min_tx);
    };
    assert.deepEqual(await write(connect(urls)), [6, 3]);
    a.seen = [];
    assert.deepEqual(await write(connect(a.url)), [undefined, 3]);
  }, ok, ok));

test('what takes no min_tx waits for the node', () =>
  withNodes(async ([, b], urls) => {
    const db = connect(urls);
    await db.records.write([{ $type$: 'Topic', id: 't' }]);
    await db.xml.instructions();
    assert.deepEqual(b.seen.map(({ method, params }) => [method, params.min_tx]), [['node.count', 17], ['xml.instructions', undefined]]);
  }, ({ method }) => (method === 'records.write' ? { result: { tx: 17 } } : undefined), ok));

test('a watch resumes at the next node after the last whole transaction', () =>
  withNodes(async ([a, b], urls) => {
    const seen = [];
    for await (const { tx, ref } of connect(urls, { WebSocket }).watch()) {
      seen.push([tx, ref]);
      if (tx === 9) break;
    }
    assert.deepEqual(seen, [[6, 'Topic:t'], [6, 'Topic:u'], [8, 'Topic:t'], [9, 'Topic:t']]);
    assert.deepEqual(a.sent('subscribe').map(({ since }) => since), ['now']);
    assert.deepEqual(b.seen.map(({ method }) => method), ['node.count', 'subscribe']);
    assert.deepEqual(b.sent('subscribe').map(({ since, epoch }) => [since, epoch]), [[8, EPOCH]]);
  },
  [ok, { watched: [{ from_tx: 5, events: [[event(6, 0), event(6, 0, 'Topic:u'), event(8, 6)]], cut: true }] }],
  [ok, { watched: [{ from_tx: 5, events: [[event(6, 0), event(8, 6)], [event(9, 8)]] }] }]));

test('a node that is behind is no end of a watch; a transaction that none has is', () => {
  const behind = { error: { code: -32061, message: 'ahead of the log', data: { epoch: EPOCH, tx: 5 } } };
  return withNodes(async ([a, b, c], urls) => {
    const first = connect([a.url, b.url], { WebSocket }).watch({ since: 8 });
    for await (const { tx } of first) {
      assert.equal(tx, 9);
      break;
    }
    const never = connect([a.url, c.url], { WebSocket }).watch({ since: 800 })[Symbol.asyncIterator]();
    await assert.rejects(never.next(), { code: -32061 });
    assert.equal(urls.length, 3);
  },
  [ok, { watched: [behind, behind] }],
  [ok, { tx: 9, watched: [{ from_tx: 8, events: [[event(9, 0)]] }] }],
  [ok, { watched: [behind] }]);
});
