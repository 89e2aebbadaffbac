// Three nodes of one replicated log: `neo4j://` finds all of them, reads from each, outlives one, and bookmarks hold on all.
// Left out where `nats-server` is not installed.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { Program, skip as noProgram, waitUntil } from './program.mjs';
import { RawClient } from './raw.mjs';

const PATH = `${process.env.PATH}:/usr/sbin`;

function noNats() {
  try {
    execFileSync('nats-server', ['--version'], { env: { PATH }, stdio: 'ignore' });
    return false;
  } catch {
    return 'no nats-server';
  }
}

const skip = noProgram || noNats();
const isLong = Boolean(process.env.WHENCE_BOLT_LONG);
const READS = isLong ? 300 : 12; // while a node dies; the driver waits a second before each other attempt
let folder;
let nats;
let nodes = [];

/** A port that nobody listens on now. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts NATS, at another port where somebody else has taken the first; the port. */
async function startNats() {
  for (let left = 5; left > 0; left--) {
    const port = await freePort();
    nats = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    const isReady = await new Promise((resolve) => {
      let said = '';
      nats.stderr.on('data', (part) => {
        said += part;
        if (said.includes('Server is ready')) resolve(true);
      });
      nats.on('exit', () => resolve(false));
    });
    if (isReady) return port;
  }
  throw new Error('NATS does not start');
}

/** The addresses of each role, as a node tells them. */
async function table(node) {
  const client = await RawClient.enter(node.authority);
  client.send('route', { address: node.authority }, [], {});
  const { rt } = await client.success();
  client.socket.destroy();
  return Object.fromEntries(rt.servers.map(({ role, addresses }) => [role, addresses.sort()]));
}

/** Until every node that runs names `count` nodes. */
const known = (count) =>
  waitUntil(async () => {
    const tables = await Promise.all(nodes.filter((node) => node.process.exitCode === null && !node.process.killed).map(table));
    return tables.every(({ READ }) => READ.length === count);
  }, `all nodes to name ${count}`);

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'whence-bolt-nats-'));
  const port = await startNats();
  for (let i = 0; i < 3; i++) nodes.push(await Program.start({ flags: ['--log', `nats://127.0.0.1:${port}/graph`] }));
  await known(3);
});

after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  nats?.kill('SIGKILL');
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A driver that begins at the first node, and asks the others where that one is gone. */
function routed(neo4j, first = nodes[0]) {
  return neo4j.driver(`neo4j://${first.authority}`, neo4j.auth.none(), {
    disableLosslessIntegers: true,
    resolver: () => nodes.map((node) => node.authority),
    maxTransactionRetryTime: 20_000,
  });
}

/** The addresses that answered so many reads. */
async function answering(neo4j, driver, reads) {
  const seen = new Set();
  for (let i = 0; i < reads; i++) {
    const { summary } = await driver.executeQuery('RETURN 1 AS one', {}, { routing: neo4j.routing.READ });
    seen.add(summary.server.address);
  }
  return [...seen].sort();
}

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  describe(name, { skip }, () => {
    let driver;
    before(() => {
      driver = routed(neo4j);
    });
    after(() => driver.close());

    test('every node has a table of all, and all of them are read from', async () => {
      const all = nodes.map((node) => node.authority).sort();
      for (const node of nodes) assert.deepEqual(await table(node), { ROUTE: all, READ: all, WRITE: all });
      await driver.verifyConnectivity();
      assert.deepEqual(await answering(neo4j, driver, 12), all);
    });

    test('what one node took is read with its bookmark at each other', async () => {
      const [first, ...others] = nodes;
      const tx = await first.writeTopic(`bookmarks of ${name}`);
      const direct = neo4j.driver(`bolt://${first.authority}`, neo4j.auth.none());
      const session = direct.session();
      await session.run('RETURN 1');
      const bookmarks = session.lastBookmarks();
      assert.match(String(bookmarks[0]), new RegExp(`:${tx}$`));
      for (const other of others) {
        const there = neo4j.driver(`bolt://${other.authority}`, neo4j.auth.none(), { disableLosslessIntegers: true });
        const reading = there.session({ bookmarks });
        const found = await reading.run('MATCH (t:Topic {name: $name}) RETURN count(t) AS n', { name: `bookmarks of ${name}` });
        assert.equal(found.records[0].get('n'), 1);
        await there.close();
      }
      await direct.close();
    });

    test('a bookmark waits at another node until the transaction is there', async () => {
      const head = (await nodes[1].rpc('server.info')).tx;
      const { epoch } = await nodes[0].rpc('server.info');
      const there = neo4j.driver(`bolt://${nodes[1].authority}`, neo4j.auth.none(), { disableLosslessIntegers: true });
      const later = there.session({ bookmarks: [`whence:${epoch}:${head + 1}`] });
      const waiting = later.run('MATCH (t:Topic {name: $name}) RETURN count(t) AS n', { name: `later by ${name}` });
      await waitUntil(async () => (await nodes[1].metric('whence_bolt_transactions')) > 0, 'the statement to wait');
      assert.equal(await nodes[2].writeTopic(`later by ${name}`), head + 1);
      assert.equal((await waiting).records[0].get('n'), 1);
      await there.close();
    });

    test('a statement that writes is refused by name, once', async () => {
      const session = driver.session();
      let tries = 0;
      const write = (tx) => (tries++, tx.run('CREATE (t:Topic)'));
      await assert.rejects(session.executeWrite(write), (error) => {
        assert.equal(error.code, 'Neo.ClientError.Statement.AccessMode');
        assert.match(error.message, /CREATE/);
        return true;
      });
      assert.equal(tries, 1);
      await session.close();
    });
  });
}

test('reads go on when a node dies; it is used again when it is back', { skip }, async () => {
  const [gone, ...left] = nodes;
  const all = nodes.map((node) => node.authority).sort();
  const drivers = [neo4j5, neo4j6].map((neo4j) => [neo4j, routed(neo4j)]);
  const reading = drivers.map(async ([neo4j, driver]) => {
    const session = driver.session({ defaultAccessMode: neo4j.session.READ });
    for (let i = 0; i < READS; i++) {
      if (i === 5) await gone.end('SIGKILL');
      const one = await session.executeRead(async (tx) => (await tx.run('RETURN 1 AS one')).records[0].get('one'));
      assert.equal(one, 1);
    }
    await session.close();
  });
  await Promise.all(reading);
  if (isLong) {
    // A node is in the tables for 10 s after it was heard of last.
    const isForgotten = async () => (await Promise.all(left.map(table))).every(({ READ }) => READ.length === 2);
    await waitUntil(isForgotten, 'the tables to lack it');
    for (const [neo4j, driver] of drivers) assert.ok(!(await answering(neo4j, driver, 8)).includes(gone.authority));
    await gone.begin();
    await known(3);
    for (const [neo4j] of drivers) {
      const again = routed(neo4j, gone);
      assert.deepEqual(await answering(neo4j, again, 12), all);
      await again.close();
    }
  }
  for (const [, driver] of drivers) await driver.close();
});
