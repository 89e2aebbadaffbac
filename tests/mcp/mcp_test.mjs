// Claim: an agent asks by the Model Context Protocol where something came from, over standard input and output and over
// HTTP, with the packages that agents use. Method: the SDK's client and the inspector's command line against `whence mcp`
// and `POST /mcp` on the demo's story. Needs WHENCE. Run with `node --test`.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const program = process.env.WHENCE;
if (!program) throw new Error('WHENCE must name the whence program');

const LAST = 'Response:resp_20251011_00126';
const STALE = 'ContextUnit:cu_values_yaml_002';
const READ = 'r'.repeat(32);
const WRITE = 'w'.repeat(32);
const line = (role, token) => `sha256:${createHash('sha256').update(token).digest('hex')} role=${role}\n`;

let folder;
let server;
let url;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-mcp-'));
  const made = spawnSync(program, ['demo', '--db', join(folder, 'db')], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  writeFileSync(join(folder, 'tokens'), `${line('read', READ)}${line('write', WRITE)}`);
  chmodSync(join(folder, 'tokens'), 0o600);
  server = spawn(
    program,
    ['serve', '--db', join(folder, 'db'), '--listen', '127.0.0.1:0', '--tokens', join(folder, 'tokens')],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  url = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      const match = /listening on (http:\/\/\S+)/.exec(text);
      if (match) resolve(match[1]);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
});

after(async () => {
  const ended = new Promise((resolve) => server.on('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

const transports = {
  stdio: () =>
    new StdioClientTransport({ command: program, args: ['mcp', '--url', url], env: { WHENCE_TOKEN: WRITE } }),
  http: (token = WRITE) =>
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
};

/** A client that is closed when the test `t` ends. */
async function connected(t, transport) {
  const client = new Client({ name: 'test', version: '1' });
  t.after(() => client.close());
  await client.connect(transport);
  return client;
}

/** The data of a tool's answer, whose text and data together have at most `bytes`. */
async function ask(client, name, args, bytes = 60_000) {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(!answer.isError, answer.content[0].text);
  assert.ok(Buffer.byteLength(answer.content[0].text + JSON.stringify(answer.structuredContent)) <= bytes);
  return { text: answer.content[0].text, ...answer.structuredContent };
}

for (const name of ['stdio', 'http']) {
  test(`an agent explains an answer in four calls, over ${name}`, async (t) => {
    const client = await connected(t, transports[name]());
    assert.equal(client.getServerVersion().name, 'whence');
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), ['blame', 'cite', 'diff', 'impact', 'query', 'record', 'replay_plan', 'search', 'stale', 'why', 'without']);

    const found = await ask(client, 'search', { text: 'argocd', types: ['Response', 'ContextUnit'] });
    assert.ok(found.nodes.some((node) => node.ref === 'ContextUnit:cu_docs_mcp_003'), found.text);
    const why = await ask(client, 'why', { ref: LAST });
    assert.match(why.text, /^Response:resp_20251011_00126/);
    assert.ok(why.nodes.some((node) => node.ref === STALE), why.text);
    const cite = await ask(client, 'cite', { ref: LAST });
    assert.ok(cite.nodes.every((node) => node.share > 0 && node.share <= 1));
    const impact = await ask(client, 'impact', { refs: [STALE] });
    assert.ok(impact.nodes.some((node) => node.ref === LAST), impact.text);
  });

  test(`records, resources and prompts, over ${name}`, async (t) => {
    const client = await connected(t, transports[name]());
    const recorded = await ask(client, 'record', {
      content: 'Said by an agent.',
      sources: [{ ref: STALE, weight: 1 }, { ref: LAST }],
    });
    const why = await ask(client, 'why', { ref: recorded.ref });
    for (const ref of [STALE, LAST]) assert.ok(why.nodes.some((node) => node.ref === ref), why.text);
    const compared = await ask(client, 'diff', { ref: LAST, before: '6', after: String(recorded.tx) });
    assert.equal(typeof compared.complete, 'boolean');
    const asked = await ask(client, 'query', {
      cypher: 'MATCH (u:ContextUnit)-[:USED_IN]->(r:Response {id: $id}) RETURN u ORDER BY u.id',
      params: { id: 'resp_20251011_00126' },
    });
    assert.deepEqual(asked.rows, [['ContextUnit:cu_argo_appset_001'], ['ContextUnit:cu_values_yaml_005']]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const uri = resourceTemplates[0].uriTemplate.replace('{ref}', encodeURIComponent(recorded.ref));
    const { contents } = await client.readResource({ uri });
    assert.equal(JSON.parse(contents[0].text).record.content, 'Said by an agent.');
    const { prompts } = await client.listPrompts();
    const { messages } = await client.getPrompt({ name: prompts[0].name, arguments: { ref: LAST } });
    assert.ok(messages[0].content.text.includes(LAST));
    await assert.rejects(client.readResource({ uri: 'whence://record/Response:none' }), /none/);
  });
}

for (const name of ['stdio', 'http']) {
  test(`a client of revision 2026-07-28, and one that finds out, over ${name}`, async (t) => {
    for (const [mode, revision] of [[{ pin: '2026-07-28' }, '2026-07-28'], ['auto', '2026-07-28'], ['legacy', '2025-11-25']]) {
      const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      t.after(() => client.close());
      await client.connect(
        name === 'http'
          ? new NewHttp(new URL('/mcp', url), { requestInit: { headers: { Authorization: `Bearer ${WRITE}` } } })
          : new NewStdio({ command: program, args: ['mcp', '--url', url], env: { WHENCE_TOKEN: WRITE } }),
      );
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.equal(client.getServerVersion().name, 'whence');
      assert.equal((await client.listTools()).tools.length, 11);
      const why = await ask(client, 'why', { ref: LAST, as_of: 12 });
      assert.ok(why.nodes.some((node) => node.ref === STALE), why.text);
      const { contents } = await client.readResource({ uri: `whence://record/${encodeURIComponent(STALE)}` });
      assert.equal(JSON.parse(contents[0].text).ref, STALE);
      await assert.rejects(client.readResource({ uri: 'whence://record/Response:n\u00f6ne' }), { code: -32602 });
      assert.equal((await client.getPrompt({ name: 'explain_answer', arguments: { ref: LAST } })).messages.length, 1);
    }
  });
}

// Its other scenarios call tools and resources of a server made for it.
const offered = [
  ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'].map((name) => [name, '2025-11-25']),
  ...['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'caching', 'http-header-validation', 'sep-2164-resource-not-found'].map(
    (name) => [name, '2026-07-28'],
  ),
];
test('the conformance tests of what is offered', { skip: !('globSync' in fs) && 'the package needs node 22' }, async (t) => {
  const open = spawn(program, ['serve', '--db', join(folder, 'open'), '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => open.kill('SIGTERM'));
  const address = await new Promise((resolve) => {
    let text = '';
    open.stdout.on('data', (part) => {
      text += part;
      const match = /listening on (http:\/\/\S+)/.exec(text);
      if (match) resolve(match[1]);
    });
  });
  const conformance = fileURLToPath(new URL('node_modules/.bin/conformance', import.meta.url));
  for (const [scenario, revision] of offered) {
    const args = ['server', '--url', `${address}/mcp`, '--scenario', scenario, '--spec-version', revision];
    const { stdout } = await promisify(execFile)(conformance, args, { timeout: 60_000 });
    assert.doesNotMatch(stdout, /[1-9]\d* failed/, `${scenario}: ${stdout}`);
  }
});

test('wrong arguments and unknown refs are errors that a model can read', async (t) => {
  const client = await connected(t, transports.http());
  for (const [name, args, told] of [
    ['why', {}, '/ref: is required'],
    ['why', { ref: LAST, dept: 3 }, 'did you mean `depth`'],
    ['why', { ref: 'Response:none' }, 'none'],
    ['why', { ref: LAST, depth: 'x' }, 'integer'],
    ['impact', { refs: ['nothing'] }, 'a ref is Type:id'],
    ['search', { text: ' ' }, 'no word'],
    ['search', { text: 'x', types: ['Nothing'] }, '/types/0: is no record type'],
    ['diff', { ref: LAST, before: 'noon', after: '3' }, '/before: must be'],
    ['query', { cypher: 'MATCH (n RETURN n' }, 'line 1, column 10'],
    ['query', { cypher: 'CREATE (n)' }, 'WritingRefused'],
  ]) {
    const answer = await client.callTool({ name, arguments: args });
    assert.ok(answer.isError, JSON.stringify(answer));
    assert.ok(answer.content[0].text.toLowerCase().includes(told.toLowerCase()), answer.content[0].text);
  }
});

test('a long answer is cut and says how to go on', async (t) => {
  const client = await connected(t, transports.http());
  const refs = Array.from({ length: 300 }, (_, i) => ({ $type$: 'Response', id: `resp_${i}`, content: 'x'.repeat(180),
    agent: 'a', model: 'm', timestamp: '2025-10-12T18:00:00Z', context_units: [{ context_unit_id: STALE.slice('ContextUnit:'.length), weight: 1 }] }));
  const written = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${WRITE}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'records.write', params: { mode: 'capture', records: refs } }),
  });
  const { error } = await written.json();
  assert.equal(error, undefined, JSON.stringify(error));
  const cut = await ask(client, 'impact', { refs: [STALE], limit: 1000, max_bytes: 20_000 }, 20_000);
  assert.equal(cut.complete, false);
  assert.ok(cut.text.includes(cut.cursor));
  const seen = new Set(cut.nodes.map((node) => node.ref));
  for (let cursor = cut.cursor; cursor; ) {
    const more = await ask(client, 'impact', { refs: [STALE], cursor, max_bytes: 20_000 }, 20_000);
    for (const node of more.nodes) {
      assert.ok(!seen.has(node.ref));
      seen.add(node.ref);
    }
    cursor = more.cursor;
  }
  for (let i = 0; i < 300; ++i) assert.ok(seen.has(`Response:resp_${i}`));
});

test('HTTP as the protocol says', async (t) => {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const post = (body, more = { Authorization: `Bearer ${READ}` }) =>
    fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...more }, body });
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  assert.equal((await post(ping, {})).status, 401);
  assert.equal((await post(ping, { Authorization: `Bearer ${READ}`, Origin: 'http://evil.example' })).status, 403);
  assert.equal((await post(ping, { Authorization: `Bearer ${READ}`, 'MCP-Protocol-Version': '1999-01-01' })).status, 400);
  assert.equal((await post(ping, { Authorization: `Bearer ${READ}`, Accept: 'text/html' })).status, 406);
  assert.equal((await post(ping, { Authorization: `Bearer ${READ}`, 'Content-Type': 'text/plain' })).status, 415);
  assert.equal((await post('x'.repeat((1 << 20) + 1))).status, 413);
  assert.equal((await fetch(`${url}/mcp`, { headers: { Authorization: `Bearer ${READ}` } })).status, 405);
  const notified = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  assert.equal(notified.status, 202);
  assert.equal(await notified.text(), '');
  const reader = await connected(t, transports.http(READ));
  const refused = await reader.callTool({ name: 'record', arguments: { content: 'x' } });
  assert.ok(refused.isError, JSON.stringify(refused));
});

test('any bytes get an answer of the protocol', async () => {
  const child = spawn(program, ['mcp', '--url', url], {
    env: { ...process.env, WHENCE_TOKEN: READ },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = [
    'x', '{', '[]', '[1]', '1', 'null', '"ping"', '{}', '{"id":1}', '{"id":{},"method":"ping"}', '{"id":1,"method":2}',
    '{"id":1,"method":"none"}', '{"id":1,"method":"ping","params":[]}', '{"id":1,"method":"tools/call"}',
    '{"id":1,"method":"tools/call","params":{"name":"why","arguments":[]}}', '{"id":1,"method":"prompts/get"}',
    '{"id":1,"method":"resources/read","params":{"uri":"whence://record/%zz"}}', '[' .repeat(3000), '\u0000', '\ud800',
    `{"id":1,"method":"${'m'.repeat(1 << 20)}"}`, `[${'{},'.repeat(200)}{}]`,
  ];
  child.stdin.end(`${lines.join('\n')}\n{"jsonrpc":"2.0","id":"last","method":"ping"}\n`);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
  const answers = text.trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(answers.pop(), { jsonrpc: '2.0', id: 'last', result: {} });
  assert.equal(answers.length, lines.length);
  for (const answer of answers.flat()) assert.equal(typeof answer.error.code, 'number', JSON.stringify(answer));
});

test('the inspector lists and calls every tool', async () => {
  const inspector = fileURLToPath(new URL('node_modules/.bin/mcp-inspector', import.meta.url));
  const inspect = async (...args) => {
    const target = ['--cli', program, 'mcp', '--db', join(folder, 'inspected')];
    const { stdout } = await promisify(execFile)(inspector, [...target, ...args], { timeout: 60_000 });
    return JSON.parse(stdout);
  };
  assert.equal(spawnSync(program, ['demo', '--db', join(folder, 'inspected')]).status, 0);
  const { tools } = await inspect('--method', 'tools/list');
  const given = {
    why: [`ref=${LAST}`],
    impact: [`refs=["${STALE}"]`],
    search: ['text=values'],
    query: ['cypher=RETURN 1 AS one'],
    cite: [`ref=${LAST}`],
    record: ['content=said'],
    diff: [`ref=${LAST}`, 'before=6', 'after=8'],
    blame: ['of=sources'],
    replay_plan: [`refs=["${STALE}"]`],
    without: [`refs=["${STALE}"]`],
    stale: [`ref=${LAST}`],
  };
  for (const { name } of tools) {
    const flags = given[name].flatMap((each) => ['--tool-arg', each]);
    const answer = await inspect('--method', 'tools/call', '--tool-name', name, ...flags);
    assert.ok(!answer.isError, `${name}: ${answer.content[0].text}`);
  }
});
