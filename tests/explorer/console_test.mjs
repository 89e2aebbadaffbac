// The console as a reader uses it: completion, mistakes, the answer in three forms, history, streams, and what writes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { accessible, look, shownNodes } from './browser.mjs';
import { pageTest, server } from './site.mjs';

function consoleTest(name, run, options = {}) {
  pageTest(
    name,
    '#view=console',
    async (page) => {
      await page.waitForSelector('#console-params');
      await run(page);
    },
    options,
  );
}

/** Writes a call into the console. */
async function write(page, method, params) {
  await page.fill('#console-method', method);
  await page.fill('#console-params', typeof params === 'string' ? params : JSON.stringify(params, null, 2));
}

async function send(page, method, params) {
  await write(page, method, params);
  await page.click('#console-send');
  await answered(page);
}

const answered = (page) =>
  page.waitForFunction(() => /\d ms/.test(document.getElementById('console-status').textContent));

const output = (page) => page.textContent('#console-output');

consoleTest('a call by keyboard alone: completion, sending, the answer', async (page) => {
  await page.focus('#console-method');
  await page.fill('#console-method', 'node.count');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{"ty');
  await page.waitForSelector('#console-offers:not([hidden]) li');
  await page.keyboard.press('Tab');
  await page.waitForSelector('#console-offers:not([hidden]) li');
  await look(page, 'console-offers');
  await page.keyboard.type('Respo');
  await page.keyboard.press('Enter');
  await page.keyboard.type('}');
  assert.equal(await page.inputValue('#console-params'), '{"type": "Response"}');
  await page.keyboard.press('Control+Enter');
  await answered(page);
  assert.match(await output(page), /count: 6/);
});

consoleTest('the description of the params is shown, a click writes one', async (page) => {
  await write(page, 'lineage.path', '{}');
  assert.match(await page.textContent('#console-docs'), /from.*required/s);
  await page.click('#console-docs button:text-is("kind")');
  assert.deepEqual(JSON.parse(await page.inputValue('#console-params')), { kind: 'strongest' });
});

consoleTest('mistakes are named with their place before anything is sent', async (page) => {
  await write(page, 'node.find', '{\n  "type": "Reponse"\n}');
  assert.match(await page.textContent('#console-problems'), /Line 2, column 11: \/type must be one of/);
  await page.click('#console-send');
  assert.equal(await page.textContent('#console-status'), '');
  assert.equal(
    await page.$eval('#console-params', (area) => area.value.slice(area.selectionStart, area.selectionEnd)),
    '"Reponse"',
  );
  await write(page, 'node.find', '{"type": Response}');
  assert.match(await page.textContent('#console-problems'), /Line 1, column 10: .*quotation marks/);
});

consoleTest('mistakes that the server finds are marked in the text', async (page) => {
  await write(page, 'node.find', '{\n  "type": "Response",\n  "where": {"colour": "red"}\n}');
  await page.click('#console-send');
  await page.waitForFunction(() => /colour/.test(document.getElementById('console-problems').textContent));
  assert.match(await page.textContent('#console-problems'), /^Line 3, column \d+/);
});

consoleTest('the answer as table, tree and picture', async (page) => {
  await send(page, 'lineage.ancestors', { ref: 'resp_20251011_00126', include: ['record'], form: 'graph' });
  const { nodes } = await server.rpc('lineage.ancestors', { ref: 'resp_20251011_00126' });
  await page.click('[data-form=table]');
  assert.equal(await page.locator('#console-output tbody tr').count(), nodes.length);
  assert.match(await page.getAttribute('#console-output tbody a', 'href'), /view=page/);
  await look(page, 'console-table');
  await page.click('[data-form=tree]');
  await page.click('#console-output summary:has-text("edges")');
  await look(page, 'console-tree');
  await accessible(page);
  await page.click('[data-form=picture]');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
  assert.equal(await shownNodes(page), nodes.length + 1, 'the ends of the edges are drawn, too');
  await look(page, 'console-picture');
  await page.click('#cypher-button');
  await page.waitForSelector('#console:not([hidden])');
  assert.match(await page.inputValue('#console-params'), /resp_20251011_00126/);
});

consoleTest('a query: its rows under its columns, and the nodes of its rows as a picture', async (page) => {
  const cypher = `MATCH p = (u:ContextUnit)-[used:USED_IN]->(r:Response {id: 'resp_20251011_00126'})
    RETURN u, used.weight AS weight, used, p, [u] AS list, null AS nil ORDER BY weight DESC`;
  await send(page, 'query', { cypher });
  assert.match(await page.textContent('#console-status'), /2 rows/);
  await page.click('[data-form=table]');
  const texts = (selector) => page.locator(`#console-output ${selector}`).allTextContents();
  assert.deepEqual(await texts('th'), ['u', 'weight', 'used', 'p', 'list', 'nil']);
  assert.deepEqual(await texts('tbody tr:first-child td'), [
    'ContextUnit:cu_values_yaml_005',
    '0.65',
    '-[USED_IN 0.65]->',
    'ContextUnit:cu_values_yaml_005 -[USED_IN 0.65]-> Response:resp_20251011_00126',
    'ContextUnit:cu_values_yaml_005',
    '',
  ]);
  assert.match(await page.getAttribute('#console-output tbody a', 'href'), /view=page/);
  await look(page, 'console-query-table');
  await accessible(page);
  await page.click('[data-form=picture]');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
  assert.equal(await shownNodes(page), 3, 'the nodes of the rows and no others');
  assert.equal(await page.locator('#stage .edge').count(), 2, 'the relations of the rows');
  await look(page, 'console-query-picture');
});

consoleTest('a query of the past is drawn as it was', async (page) => {
  const cypher = "MATCH (u:ContextUnit {id: 'cu_values_yaml_002'}) AT TX 1 RETURN u";
  await send(page, 'query', { cypher });
  await page.click('[data-form=picture]');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
  assert.equal(await shownNodes(page), 1);
  assert.doesNotMatch(await page.textContent('#stage'), /deprecated/);
});

consoleTest('a query as a stream, with more nodes in a cell than are shown', async (page) => {
  const cypher = 'MATCH (u:ContextUnit) UNWIND range(1, 10) AS i RETURN collect(u) AS list';
  await write(page, 'query', { cypher });
  await page.check('#console-stream');
  await page.click('#console-send');
  await answered(page);
  await page.click('[data-form=table]');
  const nodes = (await server.rpc('server.info')).nodes.ContextUnit * 10;
  assert.equal(await page.locator('#console-output th').textContent(), 'list');
  assert.ok((await output(page)).endsWith(` and ${nodes - 50} more`));
});

consoleTest('a query without rows has columns, one that fails says where', async (page) => {
  await send(page, 'query', { cypher: 'MATCH (n:Nothing) RETURN n.a AS first, n.b AS second' });
  await page.click('[data-form=table]');
  assert.equal(await output(page), 'No rows.firstsecond');
  assert.match(await page.textContent('#console-status'), /no node can have the label `Nothing`/);
  await write(page, 'query', { cypher: 'MATCH (n RETURN n' });
  await page.click('#console-send');
  await page.waitForFunction(() => /line 1, column 10/.test(document.getElementById('console-status').textContent));
});

consoleTest('what was sent is remembered without tokens, and can be forgotten', async (page) => {
  await send(page, 'node.count', { type: 'Topic' });
  await send(page, 'node.count', { type: 'Answer' });
  await page.reload();
  await page.waitForSelector('#console-params');
  assert.match(await page.inputValue('#console-params'), /Answer/);
  await page.selectOption('#console-past', '1');
  assert.match(await page.inputValue('#console-params'), /Topic/);
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes('token')), false);
  await page.click('button:text-is("Forget")');
  assert.equal(await page.locator('#console-past option').count(), 1);
});

consoleTest('a stream comes in parts, and is complete', async (page) => {
  await write(page, 'node.find', { type: 'ContextUnit' });
  await page.check('#console-stream');
  await page.click('#console-send');
  await answered(page);
  await page.click('[data-form=table]');
  assert.equal(
    await page.locator('#console-output tbody tr').count(),
    (await server.rpc('server.info')).nodes.ContextUnit,
  );
});

consoleTest('what writes is marked and asked for; events of a subscription come until it is ended', async (page) => {
  const head = async () => (await server.rpc('server.info')).tx;
  await write(page, 'records.write', { records: [{ $type$: 'Topic', id: 'console-topic', name: 'Written here' }] });
  assert.equal(await page.textContent('#console-send'), 'Send (writes)');
  const before = await head();
  await page.click('#console-send');
  await page.waitForSelector('#console-dialog[open]');
  await accessible(page);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.getElementById('console-dialog').open);
  assert.equal(await head(), before, 'not sending is what Enter does');
  await page.click('#console-send');
  await page.click('#console-confirm');
  await page.waitForFunction(() => /refs/.test(document.getElementById('console-output').textContent));
  assert.equal(await head(), before + 1);

  await write(page, 'subscribe', { since: 'now' });
  await page.click('#console-send');
  await page.waitForFunction(() => /sub:/.test(document.getElementById('console-output').textContent));
  await server.write({
    $type$: 'ContextUnit',
    id: 'cu_console_event',
    type: 'User',
    source: 'memory:console',
    timestamp: '2025-10-15T10:00:00Z',
    version: 1,
  });
  await page.waitForFunction(() => /cu_console_event/.test(document.getElementById('console-output').textContent));
  await page.click('#console-cancel');
  await page.waitForFunction(() => /ended/.test(document.getElementById('console-status').textContent));
});

consoleTest('a call is copied as curl that does the same', async (page) => {
  await write(page, 'node.count', { type: 'Topic' });
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text) => (document.body.dataset.copied = text) },
    });
  });
  const copied = async (language) => {
    await page.click(`[aria-label="Copy as ${language}"]`);
    return page.evaluate(() => document.body.dataset.copied);
  };
  const topics = (await server.rpc('server.info')).nodes.Topic;
  const curl = await copied('curl');
  assert.match(execFileSync('sh', ['-c', `${curl.trim()} -s`]).toString(), new RegExp(`"count":${topics}`));
  assert.match(await copied('Python'), /db\.rpc\("node\.count", \*\*\{"type": "Topic"\}\)/);
  assert.match(await copied('JavaScript'), /db\.call\("node\.count"/);
});

consoleTest('hostile texts of an answer are text, long ones are cut', async (page) => {
  const hostile = `<img src=x onerror="alert(1)">\u202e${'w'.repeat(200_000)}`;
  await server.write({
    $type$: 'ContextUnit',
    id: 'cu_hostile',
    type: 'User',
    source: '</td><script>',
    timestamp: '2025-10-15T10:00:00Z',
    content: hostile,
    version: 1,
  });
  page.on('dialog', () => page.faults.push('a script of a record ran'));
  const cypher = `MATCH (u:ContextUnit {id: 'cu_hostile'})
    RETURN u.content AS \`<img src=x>\`, [u.source] AS list, u, {a: u.source} AS map`;
  for (const [method, params] of [
    ['node.get', { ref: 'cu_hostile', include: ['record'] }],
    ['query', { cypher }],
  ]) {
    await send(page, method, params);
    for (const form of ['table', 'tree']) {
      await page.click(`[data-form=${form}]`);
      assert.equal(await page.locator('#console-output img, #console-output script').count(), 0);
      assert.ok((await output(page)).length < 3000);
    }
  }
});

consoleTest(
  '360 px: no horizontal scrolling, nothing serious for axe-core, dark',
  async (page) => {
    await send(page, 'node.find', { type: 'Response', include: ['record'] });
    await page.click('[data-form=table]');
    await look(page, 'narrow-console');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await accessible(page);
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme: 'dark' },
);
