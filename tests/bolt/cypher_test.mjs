// The program itself: Neo4j's driver asks the demo's graph in openCypher, over TCP and in a cluster of one.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import neo4j from 'neo4j-driver';

const program = process.env.WHENCE;
const skip = program ? false : 'no program';
const ROWS = Number(process.env.WHENCE_BOLT_ROWS ?? 50_000);
const token = 'reader-of-the-demo-0123456789';
let folder;
let server;
let http;
let driver;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'whence-bolt-'));
  const db = join(folder, 'db');
  execFileSync(program, ['demo', '--db', db], { stdio: 'ignore' });
  writeFileSync(join(folder, 'tokens'), `sha256:${createHash('sha256').update(token).digest('hex')} role=read\n`, { mode: 0o600 });
  const flags = ['--db', db, '--listen', '127.0.0.1:0', '--bolt', '127.0.0.1:0', '--tokens', join(folder, 'tokens')];
  server = spawn(program, ['serve', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  const said = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      const match = /speaking Bolt on (bolt:\S+)\nlistening on (http:\S+)\n/.exec(text);
      if (match) resolve(match);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  http = said[2];
  driver = neo4j.driver(said[1], neo4j.auth.basic('anybody', token), { disableLosslessIntegers: true });
});

after(async () => {
  await driver?.close();
  if (server) {
    const ended = new Promise((resolve) => server.on('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function rpc(method, params) {
  const answer = await fetch(`${http}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return answer.json();
}

test('nodes have their refs, types and members', { skip }, async () => {
  const { records } = await driver.executeQuery('MATCH (u:ContextUnit {id: $id}) RETURN u', { id: 'cu_values_yaml_002' });
  assert.equal(records.length, 1);
  const unit = records[0].get('u');
  assert.equal(unit.elementId, 'ContextUnit:cu_values_yaml_002');
  assert.ok(unit.labels.includes('ContextUnit'));
  assert.equal(unit.properties.source, 'file:argocd/values.yaml');
});

test('paths and relations of the demo', { skip }, async () => {
  const { records } = await driver.executeQuery(
    'MATCH p = (r:Response {id: $id})-[u]-(c:ContextUnit) RETURN p, u ORDER BY u.weight DESC',
    { id: 'resp_20251011_00126' },
  );
  assert.ok(records.length >= 2, `${records.length} rows`);
  const path = records[0].get('p');
  assert.equal(path.length, 1);
  assert.equal(path.start.elementId, 'Response:resp_20251011_00126');
  const used = records[0].get('u');
  assert.equal(path.segments[0].relationship.type, used.type);
  assert.ok([used.startNodeElementId, used.endNodeElementId].includes('Response:resp_20251011_00126'));
});

test('the past is asked about by the metadata of a transaction', { skip }, async () => {
  const session = driver.session();
  const count = 'MATCH (n) RETURN count(n) AS n';
  const now = (await session.run(count)).records[0].get('n');
  const empty = (await session.run(count, {}, { metadata: { as_of: neo4j.int(0) } })).records[0].get('n');
  assert.ok(now > 10);
  assert.equal(empty, 0);
  await assert.rejects(session.run(count, {}, { metadata: { as_of: neo4j.int(1_000_000) } }), {
    code: 'Neo.ClientError.Statement.ArgumentError',
  });
  await session.close();
});

test('errors of the language have their codes and places', { skip }, async () => {
  for (const [text, code, message] of [
    ['MATCH (n RETURN n', 'Neo.ClientError.Statement.SyntaxError', /line 1, column \d+/],
    ['RETURN $missing', 'Neo.ClientError.Statement.ParameterMissing', /missing/],
    ['CREATE (n:Response)', 'Neo.ClientError.Statement.AccessMode', /CREATE/],
  ]) {
    await assert.rejects(driver.executeQuery(text), (error) => {
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  }
});

test('plans come with EXPLAIN and PROFILE', { skip }, async () => {
  const explained = await driver.executeQuery('EXPLAIN MATCH (n:Response) RETURN n');
  assert.ok(explained.summary.plan.operatorType);
  assert.equal(explained.records.length, 0);
  const profiled = await driver.executeQuery('PROFILE MATCH (n:Response) RETURN n.id');
  assert.ok(profiled.summary.profile.operatorType);
  assert.ok(profiled.records.length > 0);
});

test('procedures: what tools ask first, and the methods of the protocol', { skip }, async () => {
  const labels = await driver.executeQuery('CALL db.labels() YIELD label RETURN collect(label) AS labels');
  assert.ok(labels.records[0].get('labels').includes('Response'));
  assert.equal((await driver.executeQuery('CALL dbms.components()')).records[0].get('name'), 'Whence');
  assert.ok((await driver.executeQuery('SHOW PROCEDURES')).records.some((row) => row.get('name') === 'whence.search'));
  const { records } = await driver.executeQuery(
    'CALL whence.lineage.path($from, $to) YIELD nodes, relations, weight RETURN nodes, relations, weight',
    { from: 'cu_docs_mcp_003', to: 'resp_20251011_00126' },
  );
  assert.equal(records[0].get('nodes')[0].elementId, 'ContextUnit:cu_docs_mcp_003');
  assert.equal(records[0].get('relations')[0].type, 'USED_IN');
  const session = driver.session();
  const past = await session.executeRead(
    (tx) => tx.run("CALL whence.node.count('Response') YIELD count RETURN count"),
    { metadata: { as_of: neo4j.int(1) } },
  );
  await session.close();
  assert.equal(past.records[0].get('count'), 1);
  await assert.rejects(driver.executeQuery('CALL whence.records.write([])'), (error) => {
    assert.match(error.message, /'whence.records.write' writes/);
    return error.code.startsWith('Neo.ClientError.');
  });
});

test('values of every type come back as they were', { skip }, async () => {
  const { types } = neo4j;
  const x = {
    list: [1, 2.5, 'three', null, true, [{}]],
    date: new types.Date(2024, 2, 29),
    time: new types.Time(12, 30, 0, 1, -7200),
    local: new types.LocalDateTime(1969, 12, 31, 23, 59, 59, 5),
    moment: new types.DateTime(2024, 7, 1, 12, 0, 0, 7, 7200),
    zoned: new types.DateTime(2024, 7, 1, 12, 0, 0, 7, null, 'Europe/Berlin'),
    span: new types.Duration(14, 3, 5, 6),
  };
  const { records } = await driver.executeQuery('RETURN $x AS x, $x.moment = $x.zoned AS same', { x });
  const back = records[0].get('x');
  for (const [key, value] of Object.entries(x)) {
    if (key === 'list') assert.deepEqual(back[key], [1, 2.5, 'three', null, true, [{}]]);
    else assert.equal(back[key].toString().replace('+02:00[', '['), value.toString());
  }
});

test('many rows, and a result that is left', { skip }, async () => {
  const session = driver.session();
  let rows = 0;
  for await (const record of session.run('UNWIND range(1, $n) AS i RETURN i', { n: neo4j.int(ROWS) })) rows = record.get('i');
  assert.equal(rows, ROWS);
  for await (const record of session.run('UNWIND range(1, 1000000) AS i RETURN i')) {
    if (record.get('i') === 10) break;
  }
  assert.equal((await session.run('RETURN 1 AS one')).records[0].get('one'), 1);
  await session.close();
});

test('a query that takes too long ends in its time', { skip }, async () => {
  const session = driver.session();
  const long = 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a WHERE a < 0 RETURN a';
  await assert.rejects(session.run(long, {}, { timeout: 200 }), {
    code: 'Neo.ClientError.Transaction.TransactionTimedOut',
  });
  await session.close();
});

test('the method `query` gives the same rows as JSON', { skip }, async () => {
  const { result } = await rpc('query', {
    cypher: 'MATCH (u:ContextUnit {id: $id}) RETURN u, u.source AS source, date("2024-02-29") AS day, 1.5 AS half',
    params: { id: 'cu_values_yaml_002' },
  });
  assert.deepEqual(result.columns, ['u', 'source', 'day', 'half']);
  const [[unit, source, day, half]] = result.rows;
  assert.equal(unit.ref, 'ContextUnit:cu_values_yaml_002');
  assert.equal(unit.properties.source, source);
  assert.deepEqual([day, half], ['2024-02-29', 1.5]);
  const first = await rpc('query', { cypher: 'UNWIND range(1, 10) AS i RETURN i', limit: 4 });
  assert.deepEqual(first.result.rows, [[1], [2], [3], [4]]);
  assert.equal(first.result.complete, false);
  const second = await rpc('query', { cypher: 'UNWIND range(1, 10) AS i RETURN i', limit: 10, cursor: first.result.cursor });
  assert.deepEqual(second.result.rows, [[5], [6], [7], [8], [9], [10]]);
  assert.equal(second.result.complete, true);
  const wrong = await rpc('query', { cypher: 'MATCH (n RETURN n' });
  assert.equal(wrong.error.code, -32602);
  assert.match(wrong.error.message, /line 1, column/);
  const shape = await rpc('query', { cypher: 'RETURN 1', params: [1] });
  assert.equal(shape.error.code, -32602);
});

test('names that the schema lacks are notifications, which a client may turn off', { skip }, async () => {
  const text = 'MATCH (r:Respons)\nRETURN r.modle';
  const { summary } = await driver.executeQuery(text);
  const told = summary.notifications.map(({ code, position, severity }) => ({ code, position, severity }));
  assert.deepEqual(told, [
    {
      code: 'Neo.ClientNotification.Statement.UnknownLabelWarning',
      position: { offset: 6, line: 1, column: 7 },
      severity: 'WARNING',
    },
    {
      code: 'Neo.ClientNotification.Statement.UnknownPropertyKeyWarning',
      position: { offset: 26, line: 2, column: 9 },
      severity: 'WARNING',
    },
  ]);
  assert.match(summary.notifications[0].description, /did you mean `Response`\?/);
  const known = await driver.executeQuery('MATCH (r:Response) RETURN r.model');
  assert.deepEqual(known.summary.notifications, []);
  const session = driver.session({ notificationFilter: { minimumSeverityLevel: 'OFF' } });
  try {
    const quiet = await session.run(text);
    assert.deepEqual(quiet.summary.notifications, []);
  } finally {
    await session.close();
  }
});

test('an element id is what elementId() gives, and finds its node', { skip }, async () => {
  const { records } = await driver.executeQuery("MATCH (r:Response {id: 'resp_20251011_00126'}) RETURN r, elementId(r) AS e");
  const node = records[0].get('r');
  assert.equal(node.elementId, records[0].get('e'));
  const count = async (text, params) => (await driver.executeQuery(`${text} RETURN count(*) AS n`, params)).records[0].get('n');
  assert.equal(await count('MATCH (n) WHERE elementId(n) = $e', { e: node.elementId }), 1);
  assert.ok((await count('MATCH (a)--(b) WHERE elementId(a) = $e', { e: node.elementId })) > 0);
  assert.equal(await count('MATCH (n) WHERE id(n) = $i', { i: node.identity }), 1);
});

test('times of records are DateTime, and compare with every form of one', { skip }, async () => {
  const { records } = await driver.executeQuery("MATCH (r:Response {id: 'resp_20251011_00126'}) RETURN r, r.timestamp AS at");
  const at = records[0].get('at');
  assert.ok(neo4j.isDateTime(at) && neo4j.isDateTime(records[0].get('r').properties.timestamp));
  const date = at.toStandardDate();
  const zoned = new neo4j.types.DateTime(2025, 10, 1, 12, 0, 0, 0, null, 'Europe/Berlin');
  const offset = new neo4j.types.DateTime(2025, 10, 1, 12, 0, 0, 0, 7_200);
  const found = async (text, params) => (await driver.executeQuery(text, params)).records.map((row) => row.get(0));
  const converted = neo4j.types.DateTime.fromStandardDate(date); // the driver packs a Date of JavaScript as an empty map
  for (const time of [converted, at, date.toISOString()]) {
    assert.deepEqual(await found('MATCH (r:Response) WHERE r.timestamp = $time RETURN r.id', { time }), ['resp_20251011_00126']);
    const text = "CALL whence.node.find('Response', {where: {timestamp: {eq: $time}}}) YIELD node RETURN node.id";
    assert.deepEqual(await found(text, { time }), ['resp_20251011_00126']);
  }
  for (const time of [zoned, offset]) {
    const text = "CALL whence.node.find('Response', {where: {timestamp: {gt: $time}}, limit: 1}) YIELD node RETURN node.id";
    assert.equal((await found(text, { time })).length, 1);
  }
});

test('as_of of the metadata is a number, a text or a time', { skip }, async () => {
  const count = async (as_of) => {
    const session = driver.session();
    try {
      return (await session.run('MATCH (n) RETURN count(n) AS n', {}, { metadata: { as_of } })).records[0].get('n');
    } finally {
      await session.close();
    }
  };
  const { result } = await rpc('history.get', { ref: 'Response:resp_20251011_00126' });
  const { at, tx } = result.events[0];
  const then = await count(neo4j.int(tx));
  assert.ok(then > 0);
  assert.equal(await count(tx), then); // a float
  assert.equal(await count(at), then);
  assert.equal(await count(null), await count(neo4j.types.DateTime.fromStandardDate(new Date(Date.now() + 1_000))));
  const before = new Date('2000-01-01T00:00:00Z');
  const times = [neo4j.types.DateTime.fromStandardDate(before), new neo4j.types.Date(2000, 1, 1), new neo4j.types.LocalDateTime(2000, 1, 1, 0, 0, 0, 0)];
  for (const time of [...times, new neo4j.types.DateTime(2000, 1, 1, 0, 0, 0, 0, null, 'Europe/Berlin'), 0]) assert.equal(await count(time), 0);
  for (const wrong of [0.5, -1, true, [1], 'soon']) await assert.rejects(count(wrong), { code: 'Neo.ClientError.Statement.ArgumentError' });
});

test('what Neo4j Browser and NeoDash ask at their start, also on the database system', { skip }, async () => {
  for (const database of [undefined, 'system']) {
    const ask = async (text) => (await driver.executeQuery(text, {}, { database })).records.map((row) => row.toObject());
    const [one, ...others] = await ask('SHOW DATABASES');
    assert.deepEqual([one.name, one.default, one.home, one.currentStatus, one.access, others], ['whence', true, true, 'online', 'read-only', []]);
    const columns = 'name type aliases access address role writer requestedStatus currentStatus statusMessage default home constituents';
    assert.deepEqual(Object.keys(one), columns.split(' '));
    assert.deepEqual(await ask("SHOW DATABASES YIELD name, currentStatus WHERE currentStatus = 'online' RETURN name"), [{ name: 'whence' }]);
    assert.deepEqual(await ask('SHOW DATABASE whence YIELD name'), [{ name: 'whence' }]);
    assert.deepEqual(await ask('SHOW HOME DATABASE YIELD name'), [{ name: 'whence' }]);
    assert.deepEqual(await ask('SHOW DATABASE nosuch YIELD name'), []);
    assert.equal((await ask('SHOW DATABASES YIELD *'))[0].lastCommittedTxn, null);
    const [user] = await ask('SHOW CURRENT USER');
    assert.deepEqual(user, { user: null, roles: ['read'], passwordChangeRequired: false, suspended: false, home: 'whence' });
    assert.deepEqual(await ask('CALL dbms.showCurrentUser() YIELD username, roles RETURN roles'), [{ roles: ['read'] }]);
    assert.ok((await ask('CALL dbms.clientConfig()')).every((row) => row.name && row.value));
    assert.deepEqual(await ask('CALL db.ping()'), [{ success: true }]);
    assert.equal((await ask('CALL dbms.components() YIELD name, versions, edition UNWIND versions AS version RETURN name, version, edition')).length, 1);
    assert.ok((await ask('SHOW PROCEDURES YIELD name, description, signature')).length > 10);
    assert.ok((await ask('SHOW FUNCTIONS YIELD name, description, signature')).every((row) => row.description));
    const meta = await ask(`CALL db.labels() YIELD label RETURN {name: 'labels', data: COLLECT(label)[..1000]} AS result
      UNION ALL CALL db.relationshipTypes() YIELD relationshipType RETURN {name: 'types', data: COLLECT(relationshipType)[..1000]} AS result
      UNION ALL CALL db.propertyKeys() YIELD propertyKey RETURN {name: 'keys', data: COLLECT(propertyKey)[..1000]} AS result
      UNION ALL CALL dbms.functions() YIELD name, signature, description
        RETURN {name: 'functions', data: collect({name: name, signature: signature, description: description})} AS result
      UNION ALL CALL dbms.procedures() YIELD name, signature, description
        RETURN {name: 'procedures', data: collect({name: name, signature: signature, description: description})} AS result
      UNION ALL MATCH () RETURN {name: 'nodes', data: count(*)} AS result
      UNION ALL MATCH ()-[]->() RETURN {name: 'relationships', data: count(*)} AS result`);
    assert.deepEqual(meta.map((row) => row.result.name), ['labels', 'types', 'keys', 'functions', 'procedures', 'nodes', 'relationships']);
    assert.deepEqual(await ask('RETURN true AS connected'), [{ connected: true }]);
  }
});
