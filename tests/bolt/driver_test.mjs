// Neo4j's driver, unchanged, over TCP: sessions, transactions, values, streams, cancelling, tokens, bookmarks.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { Server } from './server.mjs';

const numbers = 'UNWIND range(1, $n) AS i RETURN i';
const ROWS = Number(process.env.WHENCE_BOLT_ROWS ?? 50_000);

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  describe(name, () => {
    let server;
    let driver;

    before(async () => {
      server = await Server.start();
      driver = neo4j.driver(server.bolt, neo4j.auth.none(), { disableLosslessIntegers: true });
    });
    after(async () => {
      await driver.close();
      await server.stop();
    });

    /** What `$x` comes back as. */
    async function echo(x, options = {}) {
      const { records } = await driver.executeQuery('RETURN $x', { x }, options);
      return records[0].get('$x');
    }

    test('says who it is', async () => {
      const info = await driver.getServerInfo();
      assert.match(info.agent, /Whence/);
      assert.equal(String(info.protocolVersion.minor ?? info.protocolVersion).slice(-1), '4');
      assert.equal(await driver.supportsMultiDb(), true);
    });

    test('parameters of every type come back as they were', async () => {
      const values = [
        null, true, false, 0, 1, -16, -17, 127, 128, -128, -129, 32767, 32768, -32769, 2147483647, 2147483648,
        -2147483649, Number.MAX_SAFE_INTEGER, 0.5, -1e300, '', 'text', 'ä€😀'.repeat(5000), 'a'.repeat(70000),
        [], [1, 'two', [3.5, null]], {}, { a: 1, b: { c: [true] } }, Array.from({ length: 300 }, (_, i) => i),
        Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key${i}`, `value ${i}`])),
      ];
      for (const value of values) {
        const sent = Number.isSafeInteger(value) ? neo4j.int(value) : value;
        assert.deepEqual(await echo(sent), value);
      }
      assert.deepEqual(await echo(new Int8Array([1, -2, 3])), new Int8Array([1, -2, 3]));
      const nan = await echo(NaN);
      assert.ok(Number.isNaN(nan));
    });

    test('integers of 64 bits come back as they were', async () => {
      const exact = neo4j.driver(server.bolt, neo4j.auth.none());
      for (const text of ['9223372036854775807', '-9223372036854775808']) {
        const { records } = await exact.executeQuery('RETURN $x', { x: neo4j.int(text) });
        assert.equal(records[0].get('$x').toString(), text);
      }
      await exact.close();
    });

    test('dates, times and durations come back as they were', async () => {
      const { types } = neo4j;
      const values = [
        new types.Date(2024, 2, 29),
        new types.LocalTime(23, 59, 58, 999999999),
        new types.Time(12, 30, 0, 1, -7200),
        new types.LocalDateTime(1969, 12, 31, 23, 59, 59, 5),
        new types.DateTime(2024, 7, 1, 12, 0, 0, 7, 7200),
        new types.DateTime(2024, 7, 1, 12, 0, 0, 7, null, 'Europe/Berlin'),
        new types.Duration(14, 3, 5, 6),
      ];
      for (const value of values) {
        const back = await echo(value);
        assert.equal(back.constructor, value.constructor);
        // The driver adds the offset to a date and time that came with the name of its zone.
        const shown = back.toString();
        assert.equal(value.timeZoneId ? shown.replace('+02:00', '') : shown, value.toString());
      }
    });

    test('points are refused, and the connection goes on', async () => {
      await assert.rejects(echo(new neo4j.types.Point(7203, 1, 2)), { code: 'Neo.ClientError.Statement.TypeError' });
      assert.equal(await echo('again'), 'again');
    });

    test('paths, nodes and relationships have element ids', async () => {
      const { records } = await driver.executeQuery('MATCH p RETURN p');
      const path = records[0].get('p');
      assert.equal(path.length, 1);
      assert.deepEqual(path.start.labels, ['Response']);
      assert.equal(path.start.elementId, 'Response:resp_7');
      assert.equal(path.end.properties.id, 'resp_8');
      const { relationship } = path.segments[0];
      assert.equal(relationship.type, 'USED_IN');
      assert.equal(relationship.properties.weight, 0.5);
      assert.equal(relationship.startNodeElementId, 'Response:resp_8');
    });

    test('errors have the standard codes, and the session goes on', async () => {
      const session = driver.session();
      for (const [text, code] of [
        ['NONSENSE', 'Neo.ClientError.Statement.SyntaxError'],
        ['RETURN $missing', 'Neo.ClientError.Statement.ParameterMissing'],
        ['CREATE (n)', 'Neo.ClientError.Statement.AccessMode'],
      ]) {
        await assert.rejects(session.run(text), { code });
      }
      assert.equal((await session.run('RETURN $x', { x: 1 })).records[0].get(0), 1);
      await session.close();
      await assert.rejects(driver.executeQuery('RETURN $x', { x: 1 }, { database: 'nowhere' }), {
        code: 'Neo.ClientError.Database.DatabaseNotFound',
      });
      assert.equal(await echo(5, { database: 'neo4j' }), 5);
      await assert.rejects(echo(5, { impersonatedUser: 'somebody' }), {
        code: 'Neo.ClientError.Security.Forbidden',
      });
    });

    test('a transaction reads one moment, with several results open', async () => {
      const session = driver.session();
      const tx = await session.beginTransaction();
      const first = (await tx.run('RETURN tx()')).records[0].get(0);
      const [a, b] = [tx.run(numbers, { n: neo4j.int(3000) }), tx.run(numbers, { n: neo4j.int(2000) })];
      await server.write();
      assert.equal((await b).records.length, 2000);
      assert.equal((await a).records.length, 3000);
      assert.equal((await tx.run('RETURN tx()')).records[0].get(0), first);
      await tx.commit();
      assert.equal(session.lastBookmarks().length, 1);
      assert.ok((await session.run('RETURN tx()')).records[0].get(0) > first);
      const undone = await session.beginTransaction();
      await undone.run('RETURN $x', { x: 1 });
      await undone.rollback();
      const broken = await session.beginTransaction();
      await assert.rejects(broken.run('NONSENSE'));
      await broken.close();
      const held = await session.executeRead(async (each) => (await each.run('RETURN $x', { x: 7 })).records[0].get(0));
      assert.equal(held, 7);
      await session.close();
    });

    test('a moment of the past is asked about by metadata', async () => {
      const session = driver.session();
      const asked = { metadata: { as_of: neo4j.int(1) } };
      assert.equal((await session.run('RETURN tx()', {}, asked)).records[0].get(0), 1);
      const time = { metadata: { as_of: '2025-10-09T00:00:00Z' } };
      assert.equal((await session.run('RETURN tx()', {}, time)).records[0].get(0), '2025-10-09T00:00:00Z');
      await session.close();
    });

    test('a bookmark waits for its transaction', async () => {
      const session = driver.session();
      await session.run('RETURN $x', { x: 1 });
      const [bookmark] = session.lastBookmarks();
      await session.close();
      const at = bookmark.lastIndexOf(':');
      const next = Number(bookmark.slice(at + 1)) + 1;
      const later = driver.session({ bookmarks: [`${bookmark.slice(0, at)}:${next}`] });
      const waiting = later.run('RETURN tx()');
      assert.equal(await server.write(), next);
      assert.equal((await waiting).records[0].get(0), next);
      await later.close();
      const never = driver.session({ bookmarks: [`${bookmark.slice(0, at)}:${next + 100}`] });
      await assert.rejects(never.run('RETURN $x', { x: 1 }, { timeout: 50 }), {
        code: 'Neo.TransientError.Transaction.BookmarkTimeout',
      });
      await never.close();
      const foreign = driver.session({ bookmarks: ['FB:other'] });
      await assert.rejects(foreign.run('RETURN $x', { x: 1 }), {
        code: 'Neo.ClientError.Transaction.InvalidBookmark',
      });
      await foreign.close();
    });

    test('many rows are streamed as they are taken', async () => {
      const session = driver.session({ fetchSize: 1000 });
      const result = session.run(numbers, { n: neo4j.int(ROWS) });
      let sum = 0;
      let rows = 0;
      for await (const record of result) {
        sum += record.get('i');
        rows += 1;
      }
      assert.equal(rows, ROWS);
      assert.equal(sum, (ROWS * (ROWS + 1)) / 2);
      await session.close();
    });

    test('a result that is left is discarded, and the connection is used again', async () => {
      const session = driver.session({ fetchSize: 10 });
      const result = session.run(numbers, { n: neo4j.int(1_000_000_000) });
      let rows = 0;
      for await (const record of result) {
        rows = record.get('i');
        if (rows === 25) break;
      }
      assert.equal(rows, 25);
      assert.equal((await session.run('RETURN $x', { x: 2 })).records[0].get(0), 2);
      await session.close();
    });

    test('all rows at once, of more than memory would hold, until the session closes', async () => {
      const single = neo4j.driver(server.bolt, neo4j.auth.none(), { disableLosslessIntegers: true });
      const session = single.session({ fetchSize: -1 });
      const seen = new Promise((resolve, reject) => {
        session.run(numbers, { n: neo4j.int(1_000_000_000_000) }).subscribe({
          onNext: resolve,
          onError: reject,
        });
      });
      assert.equal((await seen).get(0), 1);
      await single.close(); // the connection goes, and with it the statement
      assert.equal(await echo('others go on'), 'others go on');
    });

    test('a statement that takes too long ends, by its own time or by RESET', async () => {
      const session = driver.session();
      await assert.rejects(session.run('WAIT', {}, { timeout: 100 }), {
        code: 'Neo.ClientError.Transaction.TransactionTimedOut',
      });
      const began = performance.now();
      let isRunning = true;
      const ended = assert.rejects(Promise.resolve(session.run('WAIT'))).finally(() => (isRunning = false));
      const connection = await session._writeConnectionHolder.getConnection();
      // RESET may overtake the statement, which the driver sends when it has a connection too: then it comes again.
      while (isRunning) {
        await connection.resetAndFlush();
        await setTimeout(20);
      }
      await ended;
      assert.ok(performance.now() - began < 10_000);
      await session.close();
      assert.equal(await echo('free'), 'free');
    });

    test('many sessions at once', async () => {
      const sums = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const { records } = await driver.executeQuery(numbers, { n: neo4j.int(i) });
          return records.length;
        }),
      );
      assert.deepEqual(sums, Array.from({ length: 50 }, (_, i) => i));
    });

    test('a routing table names this server', async () => {
      const routed = neo4j.driver(server.bolt.replace('bolt:', 'neo4j:'), neo4j.auth.none());
      for (const defaultAccessMode of [neo4j.session.READ, neo4j.session.WRITE]) {
        const session = routed.session({ defaultAccessMode });
        assert.equal((await session.run('RETURN $x', { x: 'r' })).records[0].get(0), 'r');
        await session.close();
      }
      await routed.close();
    });
  });

  describe(`${name}, with tokens`, () => {
    let server;
    before(async () => {
      server = await Server.start({ token: 'secret of the test' });
    });
    after(() => server.stop());

    test('the token enters as password or as bearer, a wrong one does not', async () => {
      for (const auth of [neo4j.auth.basic('anybody', 'secret of the test'), neo4j.auth.bearer('secret of the test')]) {
        const driver = neo4j.driver(server.bolt, auth);
        assert.equal((await driver.executeQuery('RETURN $x', { x: 'in' })).records[0].get(0), 'in');
        await driver.close();
      }
      for (const auth of [
        neo4j.auth.basic('anybody', 'wrong'),
        neo4j.auth.bearer(''),
        neo4j.auth.none(),
        neo4j.auth.kerberos('ticket'),
      ]) {
        const driver = neo4j.driver(server.bolt, auth);
        await assert.rejects(driver.executeQuery('RETURN $x', { x: 'out' }), {
          code: 'Neo.ClientError.Security.Unauthorized',
        });
        await driver.close();
      }
    });
  });
}
