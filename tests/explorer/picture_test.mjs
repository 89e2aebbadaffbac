// The picture as it is drawn, by its geometry: no line passes through a card it does not belong to, no card covers another,
// no label or count covers a text; and what a reader does with it: groups, paths, pins, types, undo.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clickInPicture, launch, look, openPage, placeOf, ready, refsInTable, untilNodes } from './browser.mjs';
import { faultsOf } from './geometry.mjs';
import { Server } from './server.mjs';

const RESPONSE = 'Response:resp_20251011_00126';
const STALE = 'ContextUnit:cu_values_yaml_002';

let server;
let browser;

before(async () => {
  server = await Server.start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A test with a page of its own at a hash; it fails on whatever the page complains of. */
function pageTest(name, hash, run, options = {}) {
  test(name, async () => {
    const page = await openPage(browser, `${server.url}/${hash}`, options);
    try {
      await ready(page);
      await run(page);
      assert.deepEqual(page.faults, []);
    } catch (error) {
      await look(page, `failed-${name.replace(/\W+/g, '-')}`);
      throw error;
    } finally {
      await page.context().close();
    }
  });
}

const hashOf = (page) => decodeURIComponent(new URL(page.url()).hash);

/** Every kind of view of one node. */
const VIEWS = [
  (ref) => `#ref=${ref}`,
  (ref) => `#ref=${ref}&up=10&down=10`,
  (ref) => `#ref=${ref}&up=10&down=10&all=300`,
  (ref) => `#ref=${ref}&view=impact`,
  (ref) => `#ref=${ref}&with=tx:2`,
];

// Claim: in every view of every node of the demo no line passes through a foreign card. Method: see geometry.mjs.
for (const [kind, options] of [
  ['wide', {}],
  ['narrow', { viewport: { width: 360, height: 740 }, hasTouch: true }],
]) {
  test(`the geometry of every view of the demo is true: ${kind}`, async () => {
    const { nodes } = await server.rpc('server.info');
    const pages = await Promise.all(Object.keys(nodes).map((type) => server.rpc('node.find', { type })));
    const refs = pages.flatMap((found) => found.nodes.map(({ ref }) => ref));
    assert.ok(refs.length > 30);
    const page = await openPage(browser, server.url, options);
    let drawn = 0;
    for (const [i, ref] of refs.entries())
      for (const view of kind === 'wide' ? VIEWS : [VIEWS[i % VIEWS.length]]) {
        await page.goto(`${server.url}/${view(encodeURIComponent(ref))}`);
        await page.waitForFunction(
          (hash) => location.hash !== hash || document.body.dataset.state !== 'loading',
          '',
        );
        await page.waitForFunction(() => document.body.dataset.state !== 'loading');
        const { faults, cards, lines } = await faultsOf(page);
        assert.deepEqual(faults, [], view(ref));
        drawn += cards + lines;
      }
    assert.ok(drawn > 1000, `${drawn} cards and lines`);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}
