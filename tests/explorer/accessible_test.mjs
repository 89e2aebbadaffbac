// Every view of the page under axe-core's rules: nothing serious or critical, light and dark, wide and narrow.
import { before, test } from 'node:test';
import assert from 'node:assert/strict';
import { accessible, look, openPage, ready } from './browser.mjs';
import { writeHot } from './stories/picture_records.mjs';
import { browser, server } from './site.mjs';

const RESPONSE = 'Response:resp_20251011_00126';
const STALE = 'ContextUnit:cu_values_yaml_002';

before(async () => {
  await writeHot(server, 40);
});

const press = (key, selector) => async (page) => {
  await page.keyboard.press(key);
  await page.waitForSelector(selector);
};

const click = (button, selector) => async (page) => {
  await page.click(button);
  await page.waitForSelector(selector);
};

/** Name, hash, and what a reader does before the look. */
const VIEWS = [
  ['start', ''],
  [
    'answers',
    '#view=answers&split=agent',
    (page) => page.waitForFunction(() => document.querySelector('#answers').dataset.charts === '3'),
  ],
  ['console', '#view=console'],
  ['cypher', '#view=cypher', (page) => page.waitForSelector('#cypher-run')],
  ['search', '#view=search&q=Helm'],
  ['picture', `#ref=${RESPONSE}&up=3&down=2`],
  [
    'group',
    '#ref=ContextUnit:cu_hot&sel=group%20effects%20ContextUnit:cu_hot&by=agent',
    (page) => page.waitForSelector('.group-row'),
  ],
  [
    'path',
    `#ref=${RESPONSE}&up=3&sel=${STALE}&path=${RESPONSE}`,
    (page) => page.waitForSelector('#banner:not([hidden])'),
  ],
  ['impact', `#ref=${STALE}&view=impact`],
  ['difference', `#ref=${RESPONSE}&with=resp_20251010_00124`],
  ['table', `#ref=${RESPONSE}&table=1`],
  [
    'results',
    '',
    async (page) => {
      await page.fill('#search', 'values');
      await page.waitForSelector('#results li');
      await page.waitForFunction(() => !/Searching/.test(document.getElementById('results-note').textContent));
    },
  ],
  ['help', '', press('?', '#help-dialog[open]')],
  ['about', '', press('a', '#about-dialog[open] dd')],
  ['compare', `#ref=${RESPONSE}`, click('#compare-button', '#compare-dialog[open]')],
  ['export', `#ref=${RESPONSE}`, click('#export-button', '#export-dialog[open]')],
];

for (const [kind, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 360, height: 740 }, hasTouch: true }],
]) {
  test(`axe-core finds nothing serious: ${kind}`, async (t) => {
    const page = await openPage(browser, server.url, options);
    for (const [name, hash, act] of VIEWS) {
      await t.test(name, async () => {
        await page.goto(`${server.url}/${hash}`);
        await page.reload(); // another hash alone loads nothing anew
        await ready(page);
        await act?.(page);
        await look(page, `view-${name}-${kind}`);
        await accessible(page);
        const { scrolled, wide } = await page.evaluate(() => ({
          scrolled: document.documentElement.scrollWidth,
          wide: innerWidth,
        }));
        assert.ok(scrolled <= wide, `${scrolled} px in ${wide}`);
      });
    }
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}
