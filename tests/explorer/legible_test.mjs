// Claim: no text is lower than 11 pixels on the screen, in any view, at the sizes that people have. Method: each text that is seen is
// measured by its font size and, in a picture, by how large the picture is drawn.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { look, openPage, ready } from './browser.mjs';
import { writeHot } from './picture_records.mjs';
import { browser, pageTest, server } from './site.mjs';

const RESPONSE = 'Response:resp_20251011_00126';
const STALE = 'ContextUnit:cu_values_yaml_002';
const LEAST = 11;

before(() => writeHot(server, 40));

/** Texts below the least size: what is drawn, with its size. */
const tooSmall = (page) =>
  page.evaluate((least) => {
    const found = [];
    const walk = (root) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        if (node.shadowRoot) walk(node.shadowRoot);
        if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
        const element = node.parentElement;
        if (element.closest('.unseen, title, option, script, style') || !element.checkVisibility({ visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const { width, height } = range.getBoundingClientRect();
        if (!width || !height) continue;
        const drawn = element.closest('svg') && element.getScreenCTM?.();
        const size = parseFloat(getComputedStyle(element).fontSize) * (drawn ? Math.hypot(drawn.a, drawn.b) : 1);
        if (size < least - 0.05) found.push(`${size.toFixed(1)} px: ${node.data.trim().slice(0, 40)}`);
      }
    };
    walk(document.body);
    return found;
  }, LEAST);

const VIEWS = [
  ['start', ''],
  ['answers', '#view=answers&split=agent', () => document.getElementById('answers').dataset.charts === '3'],
  ['cypher', '#view=cypher', () => document.getElementById('cypher-run')],
  ['methods', '#view=console'],
  ['search', '#view=search&q=Helm'],
  ['a page', `#view=page&ref=${RESPONSE}`],
  ['the page of a unit', `#view=page&ref=${STALE}`],
  ['a picture', `#ref=${RESPONSE}&up=3&down=2`],
  ['a picture with details', `#ref=${RESPONSE}&up=3&down=2&details=1`],
  ['a unit of many uses', '#ref=ContextUnit:cu_hot'],
  ['many cards', '#ref=ContextUnit:cu_hot&all=300'],
  ['impact', `#ref=${STALE}&view=impact`],
  ['a difference', `#ref=${RESPONSE}&with=tx:2`],
];

for (const [width, height] of [
  [1440, 900],
  [1280, 800],
  [390, 844],
])
  test(`texts can be read at ${width} by ${height}`, async (t) => {
    const page = await openPage(browser, server.url, { viewport: { width, height } });
    for (const [name, hash, isThere] of VIEWS)
      await t.test(name, async () => {
        await page.goto(`${server.url}/${hash}`);
        await page.reload();
        await ready(page);
        if (isThere) await page.waitForFunction(isThere);
        await look(page, `legible-${name.replaceAll(' ', '-')}-${width}`);
        assert.deepEqual(await tooSmall(page), []);
      });
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

pageTest('the picture has all the room until details are asked for', `#ref=${RESPONSE}`, async (page) => {
  assert.ok(await page.isHidden('#panel'));
  await page.click('#details-button');
  await page.waitForSelector(`#panel[data-ref="${RESPONSE}"]:not([hidden])`);
  await page.reload();
  await page.waitForSelector(`#panel[data-ref="${RESPONSE}"]:not([hidden])`);
  await page.keyboard.press('e');
  await page.waitForSelector('#panel', { state: 'hidden' });
});

pageTest('a chain that is longer than the screen is drawn from the top down', `#ref=${RESPONSE}&up=5&down=2`, async (page) => {
  const places = await page.$$eval('#picture .card', (cards) => cards.map((card) => card.getBoundingClientRect().top));
  assert.ok(new Set(places.map(Math.round)).size >= 4, 'a row for each step');
  assert.ok(await page.locator('#picture text.line').first().isVisible(), 'its texts are drawn');
});

pageTest('a step of several columns is one block with its number', '#ref=ContextUnit:cu_hot&up=0&down=1&all=300', async (page) => {
  const words = await page.$$eval('#picture .step text', (all) => all.map((each) => each.textContent));
  assert.deepEqual(words, ['40 in one step']);
});

pageTest('a path is the strongest that the server knows, also beyond what is drawn', `#ref=${RESPONSE}&up=1&down=0`, async (page) => {
  const from = 'ContextUnit:cu_docs_mcp_003';
  const { paths } = await server.rpc('lineage.path', { from, to: RESPONSE, kind: 'strongest' });
  await page.goto(`${server.url}/#ref=${RESPONSE}&up=1&down=0&x=node%20${from}&path=${from}`);
  await page.reload();
  await page.waitForFunction(() => /strongest path/.test(document.getElementById('banner').textContent));
  assert.match(await page.textContent('#banner'), /3 steps on the strongest path, its weights multiply to 0\.39/);
  for (const ref of paths[0].refs) assert.ok(await page.locator(`#picture .card[data-id="${ref}"]`).count(), ref);
});

pageTest('around a node influence has heads, and what belongs to it none', `#view=page&ref=${RESPONSE}`, async (page) => {
  await page.waitForSelector('.around-picture');
  const lines = await page.$$eval('.around-picture .wires', (all) => all.map((each) => [each.classList.contains('relation'), each.querySelectorAll('.head').length]));
  const { nodes, edges } = await server.rpc('lineage.graph', { ref: RESPONSE, up: 1, down: 1, relations: true });
  assert.equal(lines.length, nodes.length - 1);
  assert.equal(lines.filter(([isRelation]) => isRelation).length, edges.filter(({ type }) => type === 'EVALUATES').length);
  for (const [isRelation, heads] of lines) assert.equal(heads, isRelation ? 0 : 1);
});
