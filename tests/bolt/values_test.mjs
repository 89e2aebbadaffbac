// Values, failures and retries of the program as drivers see them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { Program, skip } from './program.mjs';

/** `levels` lists, one in the other. */
const nested = (levels) => (levels ? [nested(levels - 1)] : []);

let program;
before(async () => {
  if (!skip) program = await Program.start({ demo: true });
});
after(() => program?.stop());

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  describe(name, { skip }, () => {
    let driver;
    before(() => {
      driver = neo4j.driver(program.bolt, neo4j.auth.none());
    });
    after(() => driver.close());

    const isRetryable = neo4j.isRetryableError ?? neo4j.isRetriableError;
    const one = async (text, params) => (await driver.executeQuery(text, params)).records[0].get(0);

    test('parameters come back as they were', async () => {
      const { types, int } = neo4j;
      const values = [
        null, true, false, int(0), int(-1), int('9223372036854775807'), int('-9223372036854775808'), 0.1, -1e300, '', 'ä€😀\u0000',
        'a'.repeat(100_000), [], [int(1), 'two', [3.5, null]], {}, { a: { b: [{ c: true }] } }, nested(50),
        Array.from({ length: 5_000 }, (_, i) => int(i)), Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, `${i}`])),
      ];
      const temporal = [
        new types.Date(1, 1, 1), new types.Date(9999, 12, 31), new types.LocalTime(23, 59, 59, 999_999_999), new types.Time(0, 0, 0, 0, 64_800),
        new types.LocalDateTime(1969, 12, 31, 23, 59, 59, 5), new types.DateTime(2024, 7, 1, 12, 0, 0, 7, -3_600),
        new types.Duration(-14, 3, 5, 6),
      ];
      for (const value of values) {
        const back = await one('RETURN $x', { x: value });
        assert.deepEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(value))); // maps have no order
      }
      for (const value of temporal) {
        const back = await one('RETURN $x', { x: value });
        assert.equal(back.constructor, value.constructor);
        assert.equal(`${back}`, `${value}`);
      }
      assert.equal(`${await one('RETURN $x', { x: Infinity })}`, 'Infinity');
      assert.ok(Number.isNaN(await one('RETURN $x', { x: NaN })));
      const zoned = await one('RETURN $x', { x: new types.DateTime(2024, 7, 1, 12, 0, 0, 7, null, 'Europe/Berlin') });
      assert.equal(zoned.timeZoneId, 'Europe/Berlin');
    });

    test('parameters of types that openCypher lacks are refused, and the session goes on', async () => {
      const session = driver.session();
      const refused = { code: 'Neo.ClientError.Statement.TypeError' };
      for (const x of [new neo4j.types.Point(7203, 1, 2), new neo4j.types.Point(9157, 1, 2, 3), new Int8Array([1, 2]), { a: [new Int8Array(1)] }]) {
        await assert.rejects(session.run('RETURN $x', { x }), refused);
        assert.equal((await session.run('RETURN 1 AS one')).records[0].get('one').toNumber(), 1);
      }
      await session.close();
    });

    test('results of every type', async () => {
      const { records } = await driver.executeQuery(
        `MATCH p = (c:ContextUnit)-[u:USED_IN]->(r:Response {id: 'resp_20251011_00126'})
         RETURN c, u, p, [c, u] AS list, {node: r, more: [p]} AS map, nodes(p) AS nodes, date('2024-02-29') AS date,
           localtime('12:00') AS localtime, time('12:00+01:00') AS time, localdatetime('2024-01-01T00:00') AS local,
           datetime('2024-01-01T00:00Z') AS moment, duration('P1DT2S') AS span, 1 AS integer, 0.5 AS float, null AS nothing, r.tx AS tx
         ORDER BY u.weight DESC LIMIT 1`,
      );
      const row = records[0].toObject();
      assert.ok(neo4j.isNode(row.c) && neo4j.isRelationship(row.u) && neo4j.isPath(row.p));
      assert.equal(row.u.startNodeElementId, row.c.elementId);
      assert.equal(row.p.segments[0].relationship.elementId, row.u.elementId);
      assert.equal(row.list[0].elementId, row.c.elementId);
      assert.equal(row.map.more[0].end.elementId, row.map.node.elementId);
      assert.deepEqual(row.nodes.map((node) => node.elementId), [row.c.elementId, row.map.node.elementId]);
      assert.ok(neo4j.isDate(row.date) && neo4j.isLocalTime(row.localtime) && neo4j.isTime(row.time));
      assert.ok(neo4j.isLocalDateTime(row.local) && neo4j.isDateTime(row.moment) && neo4j.isDuration(row.span));
      assert.ok(neo4j.isInt(row.integer) && neo4j.isInt(row.tx));
      assert.deepEqual([row.float, row.nothing], [0.5, null]);
      assert.deepEqual(row.c.labels.sort(), ['ContextUnit', 'Node']);
    });

    test('failures have their codes, and the driver knows which are worth another attempt', async () => {
      const failures = [
        ['RETURN 1 / 0', {}, 'Neo.ClientError.Statement.ArithmeticError'],
        ['MATCH (n', {}, 'Neo.ClientError.Statement.SyntaxError'],
        ['RETURN n', {}, 'Neo.ClientError.Statement.SyntaxError'],
        ['RETURN $x', {}, 'Neo.ClientError.Statement.ParameterMissing'],
        ['RETURN 1 + date()', {}, 'Neo.ClientError.Statement.TypeError'],
        ['CALL no.such() YIELD x RETURN x', {}, /Neo\.ClientError\.(Procedure|Statement)\./],
        ['MATCH (n) AT TX 1000000 RETURN n', {}, /Neo\.ClientError\.Statement\./],
        // Refused before it is made: a statement that has to fill memory first may be out of time on a busy machine.
        ['RETURN range(1, 1000000000) AS list', {}, 'Neo.ClientError.General.ResourceExhausted'],
      ];
      for (const [text, params, code] of failures) {
        await assert.rejects(driver.executeQuery(text, params), (error) => {
          assert.match(error.code, code instanceof RegExp ? code : new RegExp(`^${code}$`), text);
          assert.equal(isRetryable(error), false, text);
          assert.ok(error.message.length > 10, text);
          return true;
        });
      }
    });

    test('what may succeed later is tried again by the driver', async () => {
      const { epoch, tx } = await program.rpc('server.info');
      const session = driver.session({ bookmarks: [`whence:${epoch}:${tx + 1}`] });
      let tries = 0;
      const reading = session.executeRead(
        async (each) => {
          tries += 1;
          if (tries === 2) await program.writeTopic(`tries of ${name}`);
          return (await each.run('MATCH (t:Topic {name: $name}) RETURN count(t) AS n', { name: `tries of ${name}` })).records[0].get('n');
        },
        { timeout: 100 },
      );
      // The transaction begins with its first statement: each attempt waits for the bookmark, in vain until there is a write.
      const written = setTimeout(() => program.writeTopic(`tries of ${name}`), 400);
      assert.equal((await reading).toNumber() >= 1, true);
      clearTimeout(written);
      assert.equal(session.lastBookmarks().length, 1);
      await session.close();
    });

    test('what the driver asks of a server', async () => {
      const info = await driver.getServerInfo();
      assert.match(info.agent, /^Neo4j\/5.*Whence\//);
      assert.equal(await driver.supportsMultiDb(), true);
      assert.equal(await driver.supportsTransactionConfig(), true);
      assert.equal(await driver.supportsUserImpersonation(), true); // of the version; a user is refused by name
      const { records, summary, keys } = await driver.executeQuery('UNWIND [1, 2] AS x RETURN x, x * 2 AS y');
      assert.deepEqual([keys, records.length, summary.queryType, summary.database.name], [['x', 'y'], 2, 'r', 'whence']);
      assert.equal(summary.counters.containsUpdates(), false);
      const eager = await driver.executeQuery('UNWIND [1, 2] AS x RETURN x', {}, { resultTransformer: neo4j.resultTransformers.mapped
        ? neo4j.resultTransformers.mapped({ map: (record) => record.get('x').toNumber() })
        : undefined });
      assert.equal(eager.records.length, 2);
    });

    test('bookmarks of several sessions are handed on', async () => {
      const manager = neo4j.bookmarkManager();
      const a = driver.session({ bookmarkManager: manager });
      await a.executeRead((tx) => tx.run('RETURN 1'));
      assert.equal((await manager.getBookmarks()).length, 1);
      const b = driver.session({ bookmarkManager: manager });
      const tx = await program.writeTopic(`handed on by ${name}`);
      await b.executeRead((each) => each.run('RETURN 1'));
      assert.match(b.lastBookmarks()[0], new RegExp(`:${tx}$`));
      await a.close();
      await b.close();
    });
  });
}
