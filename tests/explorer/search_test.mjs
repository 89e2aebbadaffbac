// Search as a reader uses it: snippets with marks, filters, more, and the old way where the server has no index. The index of
// these tests is a scripted one: what the server's own finds is compared elsewhere.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { accessible, look, openPage, ready } from './browser.mjs';
import { browser, hashOf, server, testOn } from './site.mjs';

const METHOD_NOT_FOUND = { code: -32601, message: 'There is no such method.', data: { name: 'method_not_found' } };

let records;

before(async () => {
  const { nodes } = await server.rpc('server.info');
  records = [];
  for (const type of Object.keys(nodes).filter((each) => nodes[each]))
    records.push(...(await server.rpc('node.find', { type, include: ['record', 'status'] })).nodes);
});

/** An index that reads everything: all words somewhere in a text; the first text that has one is the snippet. */
function scripted({ text, types, limit = 10, cursor }) {
  const at = cursor ? JSON.parse(cursor) : { text, types, from: 0 };
  const words = at.text.toLowerCase().split(/\s+/);
  const found = records.filter(({ type, record }) => {
    const all = JSON.stringify(record).toLowerCase();
    return (!at.types || at.types.includes(type)) && words.every((word) => all.includes(word));
  });
  const nodes = found
    .slice(at.from, at.from + limit)
    .map((node) => ({ ...node, score: 1, snippets: snippetsOf(node, words[0]) }));
  const to = at.from + nodes.length;
  return {
    tx: 12,
    complete: to >= found.length,
    ...(to < found.length ? { reason: 'limit', cursor: JSON.stringify({ ...at, from: to }) } : {}),
    nodes,
    total: found.length,
    total_is_at_least: found.length > 30,
  };
}

function snippetsOf({ record }, word) {
  for (const [name, value] of Object.entries(record)) {
    const place = typeof value === 'string' ? value.toLowerCase().indexOf(word) : -1;
    if (place < 0) continue;
    const [before, hit, rest] = [
      value.slice(0, place),
      value.slice(place, place + word.length),
      value.slice(place + word.length),
    ];
    return [{ path: `/${name}`, parts: [{ text: before }, { text: hit, match: true }, { text: rest }] }];
  }
  return [];
}

/** A page whose questions of the method `search` are answered by `answer`, which may give `{error}`. */
async function searchPage(hash, answer, options = {}) {
  const page = await openPage(browser, `${server.url}/`, options);
  page.searches = [];
  await page.routeWebSocket(/\/ws$/, (ofPage) => {
    const ofServer = ofPage.connectToServer();
    ofPage.onMessage((text) => {
      const { id, method, params } = JSON.parse(text);
      if (method !== 'search') {
        ofServer.send(text);
        return;
      }
      page.searches.push(params);
      const found = answer(params);
      ofPage.send(JSON.stringify({ jsonrpc: '2.0', id, ...(found.error ? found : { result: found }) }));
    });
    ofServer.onMessage((text) => ofPage.send(text));
  });
  await page.goto(`${server.url}/${hash}`);
  await page.reload();
  await ready(page);
  return page;
}

function searchTest(name, hash, run, { answer = scripted, ...options } = {}) {
  testOn(name, () => searchPage(hash, answer, options), run);
}

const found = (page) =>
  page.waitForFunction(
    () =>
      !document.getElementById('results-box').hidden &&
      /Enter opens the page$/.test(document.getElementById('results-note').textContent),
  );

searchTest('the box shows snippets with marks; Enter and a press open the page', '', async (page) => {
  await page.keyboard.press('/');
  await page.keyboard.type('helm');
  await found(page);
  assert.equal((await page.textContent('#results mark')).toLowerCase(), 'helm');
  await look(page, 'search-box');
  await accessible(page);
  const ref = await page.getAttribute('#results li[aria-selected=true]', 'data-ref');
  await page.keyboard.press('Enter');
  await page.waitForFunction((at) => decodeURIComponent(location.hash).includes(`view=page&ref=${at}`), ref);
  await page.keyboard.press('/');
  await page.keyboard.type('helm');
  await found(page);
  const second = await page.getAttribute('#results li:nth-child(2)', 'data-ref');
  await page.click('#results li:nth-child(2)');
  await page.waitForFunction((at) => decodeURIComponent(location.hash).includes(`view=page&ref=${at}`), second);
});

searchTest('all results are on a page, with filters and their counts, walked by arrows', '', async (page) => {
  await page.fill('#search', 'family');
  await found(page);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#found .result');
  assert.match(hashOf(page), /view=search&q=family/);
  const { total } = scripted({ text: 'family' });
  assert.equal(await page.locator('.result').count(), total);
  await page.waitForSelector('.filters .count');
  await look(page, 'results');
  await accessible(page);
  const ofType = scripted({ text: 'family', types: ['ContextUnit'] }).total;
  assert.equal(await page.textContent('[data-type=ContextUnit] .count'), String(ofType));
  await page.click('[data-type=ContextUnit]');
  await page.waitForFunction((n) => document.querySelectorAll('.result').length === n, ofType);
  assert.match(hashOf(page), /types=ContextUnit/);
  await page.focus('.result .title');
  await page.keyboard.press('ArrowDown');
  const at = await page.evaluate(() =>
    [...document.querySelectorAll('.result .title')].indexOf(document.activeElement),
  );
  assert.equal(at, Math.min(1, ofType - 1));
  await page.click('.result .to-picture');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
});

searchTest('more than a page comes on demand, and the count is said', '#view=search&q=2', async (page) => {
  const { total } = scripted({ text: '2' });
  assert.ok(total > 25, `${total}`);
  assert.match(await page.textContent('#found [role=status]'), new RegExp(`25 of (at least )?${total}`));
  await page.click('#found .inner > button');
  await page.waitForFunction((n) => document.querySelectorAll('.result').length === n, Math.min(50, total));
});

searchTest('nothing found is said; the box then tries beginnings', '#view=search&q=nosuchthing', async (page) => {
  assert.match(await page.textContent('#found [role=status]'), /^Nothing has this word\.$/);
  assert.ok(await page.isHidden('#found .filters'), 'there is nothing to filter');
  await page.fill('#search', 'nosuchthing');
  await page.waitForFunction(() => document.getElementById('results-note').textContent.startsWith('Nothing found'));
});

searchTest(
  'where nothing is found, what finds something is a link',
  '#view=search&q=helmm',
  async (page) => {
    assert.match(await page.textContent('#found'), /Nothing has this word\.This finds something: helm/);
    await accessible(page);
    await page.click('#found .offer');
    await page.waitForSelector('#found .result');
    assert.match(hashOf(page), /q=helm$/);
    // So in the box, where it is a key away.
    await page.fill('#search', 'helmm');
    await page.waitForFunction(() => document.querySelector('#results li.all')?.textContent === 'This finds something: helm');
    await page.waitForFunction(() => document.getElementById('results-note').textContent === 'Nothing found: no record has all of these words.');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#results li[data-ref]');
    assert.equal(await page.inputValue('#search'), 'helm');
  },
  { answer: (params) => ({ ...scripted(params), ...(params.text === 'helmm' ? { suggestions: ['helm'] } : {}) }) },
);

test("the server's own index: accents and beginnings, filters with counts, all results on a page", async () => {
  const page = await openPage(browser, `${server.url}/`);
  try {
    await ready(page);
    await page.keyboard.press('/');
    await page.keyboard.type('HÉLM val');
    await found(page);
    const marks = await page.locator('#results mark').allTextContents();
    assert.ok(marks.includes('Helm') && marks.includes('values'), `${marks}`);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#found .result[data-ref="ContextUnit:cu_values_yaml_002"]');
    await page.waitForFunction(() => document.querySelector('[data-type=ContextUnit] .count')?.textContent === '2');
    assert.match(await page.textContent('#found [role=status]'), /2 records/);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
  }
});

test('persons are found by their ids, words of them, and as a ref; a page that is opened empties the box', async () => {
  const page = await openPage(browser, `${server.url}/`);
  try {
    await ready(page);
    for (const [text, ref] of [['Person:da', 'Person:dana'], ['person: ANA', 'Person:dana'], ['dana', 'Person:dana']]) {
      await page.fill('#search', text);
      await page.waitForSelector(`#results li[data-ref="${ref}"]`);
    }
    await page.keyboard.press('Enter');
    await page.waitForSelector('#read h1');
    await page.goto(`${server.url}/#view=search&q=dana&types=Person`);
    await page.waitForSelector('#found .result[data-ref="Person:dana"]');
    assert.match(await page.textContent('#found [role=status]'), /^1 record$/);
    assert.equal(await page.inputValue('#search'), 'dana');
    await page.click('#found .result .title');
    await page.waitForSelector('#read h1');
    assert.equal(await page.inputValue('#search'), '');
    await page.goto(`${server.url}/#view=search&q=canteen`);
    await page.waitForSelector('#found .result[data-ref="FeedbackRecord:fb_20251015_00128"]');
    assert.equal(await page.textContent('#found .where'), 'remark', 'no member is named');
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
  }
});

searchTest(
  'a server without an index is searched the old way, asked once',
  '#view=search&q=Helm',
  async (page) => {
    await page.waitForSelector('.result[data-ref="ContextUnit:cu_values_yaml_002"]');
    assert.match(await page.textContent('#found'), /no index of words/);
    await page.fill('#search', 'Helm values');
    await page.waitForSelector('#results li[data-ref="ContextUnit:cu_values_yaml_005"]');
    assert.equal(page.searches.length, 1);
  },
  { answer: () => ({ error: METHOD_NOT_FOUND }) },
);

searchTest(
  'hostile snippets are text; 360 px, dark',
  '#view=search&q=x',
  async (page) => {
    page.on('dialog', () => page.faults.push('a script of a record ran'));
    assert.equal(await page.locator('#found img').count(), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.ok((await page.textContent('#found')).length < 4000);
    await look(page, 'narrow-results');
    await accessible(page);
  },
  {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    colorScheme: 'dark',
    answer: () => ({
      tx: 12,
      complete: true,
      total: 1,
      nodes: [
        {
          ref: 'ContextUnit:cu_values_yaml_002',
          type: 'ContextUnit',
          id: 'cu_values_yaml_002',
          score: 1,
          snippets: [
            {
              path: '/attributes/<img src=x onerror="alert(1)">',
              parts: [
                { text: `<img src=x onerror="alert(1)">\u202e${'w'.repeat(100_000)}` },
                { text: 'x', match: true },
              ],
            },
          ],
        },
      ],
    }),
  },
);
