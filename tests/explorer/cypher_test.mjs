// The page of queries as a reader uses it: the editor with its completion, the answer in its forms, examples, history, mistakes.
import assert from 'node:assert/strict';
import { accessible, look, ready, savedBy, shownNodes } from './browser.mjs';
import { hashOf, pageTest, server } from './site.mjs';

const text = (page) => page.evaluate(() => document.getElementById('cypher-editor').shadowRoot.querySelector('.cm-content').innerText.trim());

async function write(page, cypher) {
  await page.click('#cypher-text');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(cypher);
}

async function run(page, cypher) {
  await write(page, cypher);
  await page.keyboard.press('Control+Enter');
  await answered(page);
}

const answered = (page) => page.waitForFunction(() => /\d ms/.test(document.getElementById('cypher-status').textContent));
const cells = (page) => page.locator('#cypher-output tbody td').allTextContents();

function cypherTest(name, act, options) {
  pageTest(
    name,
    '#view=cypher',
    async (page) => {
      await page.waitForSelector('#cypher-run');
      await act(page);
    },
    options,
  );
}

cypherTest('a query by keyboard alone: completion of labels and properties, running, rows', async (page) => {
  await page.click('#cypher-text');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('MATCH (u:Cont');
  await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("ContextUnit")');
  await page.waitForTimeout(150); // a list takes no key in its first moments
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type(' WHERE u.sour');
  await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("source")');
  await look(page, 'cypher-completion');
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
  await page.keyboard.type(" STARTS WITH 'tool:'\nRETURN u.id AS id ORDER BY id");
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  await answered(page);
  const { rows } = await server.rpc('query', {
    cypher: "MATCH (u:ContextUnit) WHERE u.source STARTS WITH 'tool:' RETURN u.id AS id ORDER BY id",
  });
  assert.ok(rows.length > 1);
  assert.deepEqual(await cells(page), rows.flat());
  assert.equal((await text(page)).split('\n').length, 2, 'a query has several lines');
});

cypherTest('Tab leaves the editor, and letters in it are no shortcuts', async (page) => {
  await write(page, 'RETURN 1 AS dot');
  await page.keyboard.type('d');
  assert.equal(await page.getAttribute('html', 'data-theme').then((theme) => theme ?? 'light'), 'light');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'cypher-run');
});

cypherTest('every example runs, and is in the address', async (page) => {
  const examples = page.locator('.examples button');
  const count = await examples.count();
  assert.ok(count >= 23);
  for (let i = 0; i < count; i++) {
    await examples.nth(i).click();
    await page.waitForFunction(() => document.getElementById('cypher-cancel').hidden);
    assert.equal(await page.textContent('#cypher-problem'), '', await examples.nth(i).textContent());
  }
  await examples.first().click();
  await answered(page);
  assert.match(hashOf(page), /cypher=MATCH/);
  assert.equal(await page.locator('#cypher-output tbody tr').count(), 5);
  await look(page, 'cypher');
  await accessible(page);
  await page.reload();
  await page.waitForSelector('#cypher-run');
  assert.match(await text(page), /^MATCH \(cause\)/, 'a link restores the query');
});

cypherTest('rows as a picture, a plan and a file', async (page) => {
  await run(page, "MATCH (u:ContextUnit)-[e:USED_IN]->(r:Response {id: 'resp_20251011_00126'}) RETURN u, e, r");
  const csv = (await savedBy(page, '#cypher-csv')).toString();
  assert.match(csv, /^\ufeffu,e,r\r\nContextUnit:/);
  assert.equal(csv.trim().split('\r\n').length, 3);
  await page.click('#cypher [data-form=plan]');
  await page.waitForSelector('.plan');
  assert.match(await page.textContent('.plan'), /Expand|Seek/);
  await page.click('#cypher-output button');
  await page.waitForFunction(() => /rows/.test(document.querySelector('.plan').textContent));
  await page.click('#cypher [data-form=table]');
  assert.equal(await page.locator('#cypher-output tbody tr').count(), 2);
  await page.click('#cypher [data-form=picture]');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
  assert.equal(await shownNodes(page), 3);
  await page.keyboard.press('c');
  await page.waitForSelector('#cypher:not([hidden])');
  assert.equal(await page.locator('#cypher-output tbody tr').count(), 2, 'the answer is still there');
});

cypherTest('more rows than a page come on demand', async (page) => {
  await run(page, 'UNWIND range(1, 1200) AS i RETURN i');
  assert.match(await page.textContent('#cypher-status'), /500 rows, and more/);
  await page.click('#cypher-more');
  await page.waitForFunction(() => document.querySelectorAll('#cypher-output tbody tr').length === 1000);
  await page.click('#cypher-more');
  await page.waitForFunction(() => document.querySelectorAll('#cypher-output tbody tr').length === 1200);
  assert.equal(await page.locator('#cypher-more').count(), 0);
});

cypherTest('a mistake is said with its place, which a press shows', async (page) => {
  await write(page, 'MATCH (n)\nRETRN n');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => /line 2, column 1/.test(document.getElementById('cypher-problem').textContent));
  await page.click('#cypher-problem button');
  await page.keyboard.type('X');
  assert.equal(await text(page), 'MATCH (n)\nXRETRN n');
});

cypherTest('parameters are JSON, and asked for where a query has some', async (page) => {
  assert.ok(await page.isHidden('#cypher-params'));
  await write(page, 'MATCH (n) WHERE n.tx > $tx RETURN count(n) AS n');
  await page.fill('#cypher-params', '{"tx": ');
  await page.click('#cypher-run');
  assert.match(await page.textContent('#cypher-problem'), /no JSON/);
  await page.fill('#cypher-params', '{"tx": 9}');
  await page.click('#cypher-run');
  await answered(page);
  assert.deepEqual(await cells(page), ['7']);
});

cypherTest('numbers come and go as they are, with 64 bits', async (page) => {
  await write(page, 'RETURN 9007199254740993 AS big, $id AS id, [-1234567890123456789] AS list');
  await page.fill('#cypher-params', '{"id": 1234567890123456789}');
  await page.click('#cypher-run');
  await answered(page);
  assert.deepEqual(await cells(page), ['9007199254740993', '1234567890123456789', '[-1234567890123456789]']);
});

cypherTest('what was asked is remembered, and can be forgotten', async (page) => {
  await run(page, 'RETURN 1 AS one');
  await run(page, 'RETURN 2 AS two');
  await page.selectOption('#cypher-past', '1');
  assert.equal(await text(page), 'RETURN 1 AS one');
  await page.click('#cypher button:text-is("Forget")');
  assert.equal(await page.locator('#cypher-past option').count(), 1);
});

cypherTest('the past is asked as it was', async (page) => {
  await page.evaluate(() => (location.hash = '#view=cypher&as_of=1'));
  await ready(page);
  await run(page, 'MATCH (n) RETURN count(n) AS n');
  const { rows } = await server.rpc('query', { cypher: 'MATCH (n) RETURN count(n) AS n', as_of: 1 });
  assert.deepEqual(await cells(page), rows.flat().map(String));
});

cypherTest('methods and curl are behind a second tab', async (page) => {
  await page.click('#cypher .tabs a:text-is("Methods and curl")');
  await page.waitForSelector('#console-params');
  await page.click('#console .tabs a:text-is("Cypher")');
  await page.waitForSelector('#cypher-run');
});

pageTest('the editor is fetched only where it is wanted', '', async (page) => {
  const scripts = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /page-\w+\.js/.test(name)).length);
  assert.equal(await scripts(), 0);
  await page.keyboard.press('c');
  await page.waitForSelector('#cypher-run');
  assert.equal(await scripts(), 1);
});

cypherTest(
  '360 px: no horizontal scrolling, nothing serious for axe-core, dark',
  async (page) => {
    await run(page, 'MATCH (r:Response) RETURN r, r.agent AS agent, r.model AS model');
    await look(page, 'narrow-cypher');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await accessible(page);
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme: 'dark' },
);
