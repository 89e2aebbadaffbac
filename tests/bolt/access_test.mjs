// Who may enter the program, and which databases there are: roles, tokens, namespaces, what comes before a token.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { Program, skip, waitUntil } from './program.mjs';
import { RawClient } from './raw.mjs';

const TOKENS = { read: 'token-that-reads-0123456789', write: 'token-that-writes-0123456789', admin: 'token-of-an-admin-0123456789' };
const SHOP = 'token-of-the-shop-0123456789';
const LAB = 'token-of-the-lab-0123456789';
const BOTH = 'token-of-both-0123456789';
const unauthorized = { code: 'Neo.ClientError.Security.Unauthorized' };

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  describe(`${name}, one store`, { skip }, () => {
    let program;
    before(async () => {
      const tokens = Object.entries(TOKENS).map(([role, token]) => `${role} ${token}\n`);
      program = await Program.start({ tokens: tokens.join('') });
    });
    after(() => program.stop());

    test('every role reads, by password and as bearer', async () => {
      for (const token of Object.values(TOKENS)) {
        for (const auth of [neo4j.auth.basic('anybody', token), neo4j.auth.basic('', token, 'realm'), neo4j.auth.bearer(token)]) {
          const driver = neo4j.driver(program.bolt, auth);
          await driver.verifyConnectivity();
          assert.match((await driver.getServerInfo()).address, /:\d+$/);
          assert.equal(await driver.verifyAuthentication(), true);
          assert.equal((await driver.executeQuery('RETURN 1 AS one')).records.length, 1);
          await driver.close();
        }
      }
    });

    test('no role writes', async () => {
      const driver = neo4j.driver(program.bolt, neo4j.auth.bearer(TOKENS.admin));
      for (const [text, clause] of [
        ['CREATE (n:Topic {name: "x"})', /CREATE/],
        ['MATCH (n) SET n.name = "x"', /SET/],
        ['MATCH (n) DETACH DELETE n', /DELETE/],
        ['MERGE (n:Topic)', /MERGE/],
        ['MATCH (n) REMOVE n.name', /REMOVE/],
      ]) {
        await assert.rejects(driver.executeQuery(text), (error) => {
          assert.equal(error.code, 'Neo.ClientError.Statement.AccessMode');
          assert.match(error.message, clause);
          return true;
        });
      }
      await driver.close();
    });

    test('what is no token does not enter', async () => {
      const wrong = [
        neo4j.auth.none(),
        neo4j.auth.basic('anybody', ''),
        neo4j.auth.basic(TOKENS.read, 'wrong'),
        neo4j.auth.bearer('wrong'),
        neo4j.auth.bearer(TOKENS.read.slice(0, -1)),
        neo4j.auth.kerberos('ticket'),
        neo4j.auth.custom('anybody', TOKENS.read, '', 'a scheme'),
      ];
      for (const auth of wrong) {
        const driver = neo4j.driver(program.bolt, auth);
        await assert.rejects(driver.verifyConnectivity(), unauthorized);
        assert.equal(await driver.verifyAuthentication(), false);
        await driver.close();
      }
    });

    test('one session may have a token of its own', async () => {
      const driver = neo4j.driver(program.bolt, neo4j.auth.bearer(TOKENS.read));
      assert.equal(await driver.supportsSessionAuth(), true);
      const other = driver.session({ auth: neo4j.auth.bearer(TOKENS.admin) });
      assert.equal((await other.run('RETURN 1')).records.length, 1);
      await other.close();
      const wrong = driver.session({ auth: neo4j.auth.bearer('wrong') });
      await assert.rejects(wrong.run('RETURN 1'), /the token is not known/);
      await wrong.close();
      // The connection that had the wrong one is not used again.
      assert.equal((await driver.executeQuery('RETURN 1')).records.length, 1);
      await driver.close();
    });
  });

  describe(`${name}, namespaces`, { skip }, () => {
    let program;
    const open = (token) => neo4j.driver(program.bolt, neo4j.auth.bearer(token), { disableLosslessIntegers: true });
    before(async () => {
      program = await Program.start({
        namespaces: { shop: `write ${SHOP}\nread ${BOTH}\n`, lab: `write ${LAB}\nread ${BOTH}\n` },
      });
      await program.writeTopic('goods', { path: '/ns/shop', token: SHOP });
      await program.writeTopic('trials', { path: '/ns/lab', token: LAB });
    });
    after(() => program.stop());

    const names = 'MATCH (t:Topic) RETURN t.name AS name';

    test('a database is a namespace', async () => {
      const driver = open(BOTH);
      for (const [database, name] of [['shop', 'goods'], ['lab', 'trials']]) {
        const session = driver.session({ database });
        const { records, summary } = await session.run(names);
        assert.deepEqual(records.map((record) => record.get('name')), [name]);
        assert.equal(summary.database.name, database);
        await session.close();
        const routed = neo4j.driver(program.bolt.replace('bolt:', 'neo4j:'), neo4j.auth.bearer(BOTH));
        assert.equal((await routed.executeQuery(names, {}, { database })).records[0].get('name'), name);
        await routed.close();
      }
      await assert.rejects(driver.executeQuery('RETURN 1'), /several databases/);
      await driver.close();
    });

    test('a token of one has that one as its home, and no other', async () => {
      const driver = open(SHOP);
      assert.deepEqual((await driver.executeQuery(names)).records.map((record) => record.get('name')), ['goods']);
      await assert.rejects(driver.executeQuery(names, {}, { database: 'lab' }), {
        code: 'Neo.ClientError.Database.DatabaseNotFound',
      });
      await driver.close();
    });

    test('a bookmark of one is none of another', async () => {
      const driver = open(BOTH);
      const shop = driver.session({ database: 'shop' });
      await shop.run('RETURN 1');
      const lab = driver.session({ database: 'lab', bookmarks: shop.lastBookmarks() });
      await assert.rejects(lab.run('RETURN 1'), { code: 'Neo.ClientError.Transaction.InvalidBookmark' });
      await driver.close();
    });
  });
}

describe('before a token', { skip }, () => {
  let program;
  before(async () => {
    program = await Program.start({ tokens: `read ${TOKENS.read}\n` });
  });
  after(() => program.stop());

  test('a message has 64 KiB at most, whatever it claims', async () => {
    const client = await RawClient.open(program.authority);
    client.send('hello', { user_agent: 'x'.repeat(70_000) });
    const { tag, metadata } = await client.answer();
    assert.equal(tag, 0x7f);
    assert.equal(metadata.code, 'Neo.ClientError.Request.Invalid');
    await client.ended;
  });

  test('no statement is taken, and the connection ends', async () => {
    for (const kind of ['run', 'pull', 'route', 'reset']) {
      const client = await RawClient.open(program.authority);
      const fields = { run: ['RETURN 1', {}, {}], pull: [{ n: 1 }], route: [{}, [], {}], reset: [] };
      client.send(kind, ...fields[kind]);
      assert.equal((await client.answer()).metadata.code, 'Neo.ClientError.Request.Invalid');
      await client.ended;
    }
    assert.equal(await count(), 0);
  });

  test('a hundred wrong tokens leave no connection', async () => {
    const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.open(program.authority)));
    for (const client of clients) {
      client.send('hello', { user_agent: 'raw' });
      client.send('logon', { scheme: 'bearer', credentials: 'wrong' });
    }
    await Promise.all(clients.map((client) => client.ended));
    await waitUntil(async () => (await count('whence_connections')) <= 2, 'their connections to end');
  });

  /** A metric, which needs a token here. */
  async function count(name = 'whence_bolt_statements_total') {
    const headers = { authorization: `Bearer ${TOKENS.read}` };
    const text = await (await fetch(`${program.http}/metrics`, { headers })).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)[1]);
  }
});
