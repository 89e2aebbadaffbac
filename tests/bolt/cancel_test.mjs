// What is broken off: nothing of it is left on the server, which its metrics say.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { Program, skip, waitUntil } from './program.mjs';
import { RawClient } from './raw.mjs';

const MANY = 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS i RETURN i'; // ten thousand million rows
const ENDS_MS = 1_000; // of net/bolt/README.md: what is interrupted ends within this time
const SLACK_MS = 10_000; // of a machine that does other things too, and of the rows that are on their way
/** Statements that take minutes, each at another work. */
const LONG = {
  'rows that are thrown away': 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a WHERE a < 0 RETURN a',
  'a count': 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)',
  groups: 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN a % 10 AS g, sum(b) AS s',
  'an expression': 'UNWIND range(1, 100000) AS b RETURN reduce(s = 0, x IN range(1, 100000) | s + x % 7) AS s ORDER BY s',
  'a product of nodes': 'MATCH (a), (b), (c), (d), (e), (f), (g) RETURN count(*)',
};

let program;
before(async () => {
  if (!skip) program = await Program.start({ demo: true });
});
after(() => program?.stop());

/** Until a statement runs. */
const running = () => waitUntil(async () => (await program.metric('whence_bolt_results')) > 0, 'a statement to run');

/** That nothing runs soon after `began`. How long it takes to ask when nothing runs says how busy the machine is. */
async function ends(began) {
  await program.idle();
  const ms = performance.now() - began;
  const asked = await program.idle();
  assert.ok(ms < ENDS_MS + Math.max(SLACK_MS, 20 * asked), `it took ${ms} ms to end, ${asked} ms to ask`);
}

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  describe(name, { skip }, () => {
    let driver;
    before(() => {
      driver = neo4j.driver(program.bolt, neo4j.auth.none(), { disableLosslessIntegers: true });
    });
    after(() => driver.close());

    test('a session that closes in the middle of its rows', async () => {
      const session = driver.session({ fetchSize: 10 });
      const rows = session.run(MANY)[Symbol.asyncIterator]();
      for (let i = 1; i <= 25; i++) assert.equal((await rows.next()).value.get('i'), i);
      assert.equal(await program.metric('whence_bolt_results'), 1);
      const began = performance.now();
      await rows.return(); // what `break` does in a loop: DISCARD
      await ends(began);
      await session.close();
      assert.equal((await driver.executeQuery('RETURN 1 AS one')).records[0].get('one'), 1);
    });

    test('a session that closes without a word about its rows: the next one on that connection ends them', async () => {
      const session = driver.session({ fetchSize: 10 });
      await session.run(MANY)[Symbol.asyncIterator]().next();
      await session.close();
      assert.equal((await driver.executeQuery('RETURN 1 AS one')).records[0].get('one'), 1);
      await program.idle();
    });

    test('a session that closes while rows come without end', async () => {
      const session = driver.session({ fetchSize: -1 });
      let rows = 0;
      const over = new Promise((resolve) =>
        session.run(MANY).subscribe({ onNext: () => (rows += 1), onCompleted: resolve, onError: resolve }),
      );
      await waitUntil(() => rows > 0, 'rows');
      const began = performance.now();
      await session.close();
      await ends(began);
      await over;
    });

    test('a session that closes while its statement runs, which is RESET', async () => {
      const session = driver.session();
      const ended = assert.rejects(Promise.resolve(session.run(LONG['a count'])));
      await running();
      const began = performance.now();
      await session.close();
      await ends(began);
      await ended;
    });

    test('a session that closes with a transaction and its results open', async () => {
      const session = driver.session({ fetchSize: 10 });
      const tx = await session.beginTransaction();
      const [a, b] = [tx.run(MANY), tx.run(MANY)].map((result) => result[Symbol.asyncIterator]());
      await a.next();
      await b.next();
      assert.equal(await program.metric('whence_bolt_results'), 2);
      assert.equal(await program.metric('whence_bolt_transactions'), 1);
      const began = performance.now();
      await session.close();
      await ends(began);
    });

    test('the time of a transaction is over', async () => {
      const session = driver.session();
      const began = performance.now();
      const tx = await session.beginTransaction({ timeout: 150 });
      await assert.rejects(tx.run(LONG.groups), { code: 'Neo.ClientError.Transaction.TransactionTimedOut' });
      await ends(began + 150);
      await session.close();
    });
  });
}

describe('a socket', { skip }, () => {
  for (const [work, statement] of Object.entries(LONG)) {
    test(`is cut, and RESET comes, during ${work}`, async () => {
      const cut = await RawClient.enter(program.authority);
      const reset = await RawClient.enter(program.authority);
      for (const client of [cut, reset]) {
        client.send('run', statement, {}, {});
        client.send('pull', { n: -1 });
      }
      await waitUntil(async () => (await program.metric('whence_bolt_results')) === 2, 'two statements to run');
      const began = performance.now();
      cut.socket.resetAndDestroy();
      reset.send('reset');
      await ends(began);
      // Both are answered, then RESET is.
      const tags = [await reset.answer(), await reset.answer(), await reset.answer()].map(({ tag }) => tag);
      assert.equal(tags.at(-1), 0x70);
      assert.ok(tags.includes(0x7e), `RESET interrupts nothing: ${tags}`);
      reset.socket.end();
    });
  }

  test('is cut while rows are on their way', async () => {
    const connections = await program.metric('whence_connections');
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.enter(program.authority)));
    for (const client of clients) {
      client.send('run', MANY, {}, {});
      client.send('pull', { n: -1 });
      client.socket.once('data', () => client.socket.pause());
    }
    await waitUntil(async () => (await program.metric('whence_bolt_results')) === 20, 'all to have rows');
    const began = performance.now();
    for (const client of clients) client.socket.resetAndDestroy();
    await ends(began);
    await waitUntil(async () => (await program.metric('whence_connections')) <= connections, 'their connections to end');
  });

  test('a bookmark that is waited for', async () => {
    const epoch = (await program.rpc('server.info')).epoch;
    const client = await RawClient.enter(program.authority);
    client.send('run', 'RETURN 1', {}, { bookmarks: [`whence:${epoch}:999999`] });
    await waitUntil(async () => (await program.metric('whence_bolt_transactions')) === 1, 'it to wait');
    const began = performance.now();
    client.send('reset');
    await ends(began);
    client.socket.destroy();
  });
});
