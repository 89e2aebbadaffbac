// The explorer as a reader uses it, in a real browser against a real server with the demo's story.
// Needs WHENCE (the program), WHENCE_EXPLORER (what tools/explorer/build made) and Chromium; WHENCE_SCREENSHOTS names
// the folder for pictures. Run with `node --test`.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  accessible,
  changeAnswers,
  clickInPicture,
  look,
  openPage,
  ready,
  refsInTable,
  savedBy,
  shownNodes,
  slide,
  untilMarked,
  untilNodes,
} from './browser.mjs';
import { Server } from './server.mjs';
import { browser, hashOf, pageTest, server } from './site.mjs';

const RESPONSE = 'Response:resp_20251011_00126';
const STALE = 'ContextUnit:cu_values_yaml_002';
/** Whom an answer was for and its session belong to it without influence: tests that count nodes are of the others. */
const OF_LINEAGE = 'hide=Person,Session';

pageTest('there is one search box, and it finds by beginnings of fields', '', async (page) => {
  assert.equal(await page.locator('input[type=search]').count(), 1);
  await page.keyboard.press('/');
  await page.keyboard.type('Helm');
  await page.waitForSelector('#results li:nth-child(2)');
  await look(page, 'search');
  await page.keyboard.press('ArrowDown');
  const ref = await page.getAttribute('#results li[aria-selected=true]', 'data-ref');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#read h1');
  assert.ok(hashOf(page).includes(`view=page&ref=${ref}`));
  await page.keyboard.press('r');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
  assert.ok((await refsInTable(page)).includes(ref));
});

pageTest('search finds pasted refs, bare ids, and words inside texts', '', async (page) => {
  for (const [text, ref] of [
    [STALE, STALE],
    ['resp_20251011_00126', RESPONSE],
    ['cluster retired', 'ContextUnit:cu_values_yaml_005'],
  ]) {
    await page.fill('#search', text);
    await page.waitForSelector(`#results li[data-ref="${ref}"]`);
  }
  await page.fill('#search', 'no such thing');
  await page.waitForFunction(() => document.getElementById('results-note').textContent.startsWith('Nothing found'));
});

pageTest(
  'neighbourhood shows what the server answers, in the table and the panel',
  `#ref=${RESPONSE}&up=3&down=2&details=1`,
  async (page) => {
    const { nodes } = await server.rpc('lineage.graph', { ref: RESPONSE, up: 3, down: 2, relations: true });
    assert.equal(await shownNodes(page), nodes.length);
    assert.deepEqual((await refsInTable(page)).sort(), nodes.map((node) => node.ref).sort());
    await page.waitForSelector('#panel:not([hidden])');
    assert.match(await page.textContent('#panel'), /claude-3\.5-sonnet/);
    await look(page, 'neighbourhood');
  },
);

pageTest(
  'a badge opens neighbours that are not shown, undo takes them back',
  `#ref=${RESPONSE}&up=1&down=0&${OF_LINEAGE}`,
  async (page) => {
    assert.equal(await shownNodes(page), 3);
    await clickInPicture(page, 'stub causes ContextUnit:cu_values_yaml_005');
    await untilNodes(page, 5);
    assert.match(hashOf(page), /x=causes/);
    const edges = await page.evaluate(() =>
      [...document.querySelectorAll('#picture .edge')].map((edge) => edge.dataset.id),
    );
    assert.ok(
      edges.includes(`USED_IN ${STALE} Response:resp_20251010_00125`),
      'edges among the new nodes are drawn, too',
    );
    await page.keyboard.press('Control+z');
    await untilNodes(page, 3);
    await page.keyboard.press('ArrowLeft');
  },
);

pageTest('depth sliders change the neighbourhood', `#ref=${RESPONSE}&up=1&down=0&${OF_LINEAGE}`, async (page) => {
  await slide(page, '#up', 3);
  await untilNodes(page, 6);
  assert.match(hashOf(page), /up=3/);
  await page.click('#undo-button');
  await untilNodes(page, 3);
});

pageTest('a click selects: two colours, panel, focus', `#ref=${RESPONSE}&up=3&down=2&${OF_LINEAGE}`, async (page) => {
  await clickInPicture(page, 'Response:resp_20251010_00125');
  await page.waitForSelector('#panel[data-ref="Response:resp_20251010_00125"]');
  await untilMarked(page, STALE, 'ancestor');
  await untilMarked(page, RESPONSE, 'descendant');
  await untilMarked(page, 'ContextUnit:cu_argo_appset_001', 'aside');
  await look(page, 'selected');
  await page.click('#focus-button');
  await untilNodes(page, 6); // the feedback on a response shown is related to it
  assert.ok((await refsInTable(page)).includes('FeedbackRecord:fb_20251011_00126'));
  assert.ok(!(await refsInTable(page)).includes('ContextUnit:cu_argo_appset_001'));
  await look(page, 'focus');
});

pageTest('least weight hides thin edges and what hangs on them', `#ref=${RESPONSE}&up=3&down=0`, async (page) => {
  await slide(page, '#weight', 0.5);
  await page.waitForFunction(() => !document.getElementById('table').textContent.includes('cu_argo_appset_001'));
  await ready(page);
  assert.ok((await refsInTable(page)).includes('ContextUnit:cu_values_yaml_005'));
});

pageTest('panel shows versions, feedback, history and leads on', `#ref=${STALE}&details=1`, async (page) => {
  await page.waitForSelector('#panel [data-name=Versions]');
  const text = await page.textContent('#panel');
  assert.match(text, /deprecated/);
  assert.match(text, /−0\.9[^\d]*Went to the retired cluster|−0\.9.*Went to the retired cluster/s);
  await page.click('#panel [data-name=History] summary');
  assert.match(await page.innerText('#panel [data-name=History]'), /recorded[\s\S]*became deprecated/);
  await page.click('#panel [data-name=Versions] [data-ref="ContextUnit:cu_values_yaml_005"]');
  await page.waitForSelector('#panel[data-ref="ContextUnit:cu_values_yaml_005"]');
});

pageTest('panel shows an attachment as text', '', async (page) => {
  const { records } = await server.rpc('attachment.list', { format: 'llm-response' });
  await page.goto(`${server.url}/#ref=XMLMessageAttachment:${records[0].hash}&details=1`);
  await page.waitForSelector('#panel pre.xml');
  assert.match(await page.textContent('#panel pre.xml'), /^<llmResponse>/);
  await look(page, 'attachment');
});

pageTest('impact as list and as picture', `#ref=${STALE}`, async (page) => {
  await page.click('#impact-button');
  await page.waitForSelector('#impact-list');
  assert.match(await page.textContent('#impact-list'), /4 affected/);
  assert.match(await page.textContent('#banner'), /4 responses rest on/);
  const line = page.locator('#impact-list li', { hasText: 'Which clusters does the rollout go to now?' });
  await line.locator('.badge.good').waitFor();
  assert.match(await line.innerText(), /\+0\.9[\s\S]*share 45\s% · 2 steps[\s\S]*through a newer version/);
  assert.equal(await page.locator('#impact-list li', { hasText: 'through a newer version' }).count(), 1);
  assert.equal(await shownNodes(page), 6);
  await page.waitForTimeout(300);
  await look(page, 'impact');
  await page.click('#banner-leave');
  await page.waitForSelector('#impact-list', { state: 'detached' });
});

pageTest('time slider shows the graph of then', `#ref=${STALE}&down=3&details=1`, async (page) => {
  const nodes = await shownNodes(page);
  await slide(page, '#moment', 2);
  await page.waitForFunction(
    (many) => Number(document.body.dataset.nodes) < many && document.body.dataset.state === 'ready',
    nodes,
  );
  assert.match(hashOf(page), /as_of=2/);
  await page.waitForFunction(() =>
    /transaction 2 · .*\d\d:\d\d/.test(document.getElementById('moment-value').textContent),
  );
  await page.waitForFunction(() => !/deprecated/.test(document.querySelector('#panel .chips').textContent));
  await look(page, 'then');
  await page.click('#moment-now');
  await untilNodes(page, nodes);
});

pageTest('what did not exist then is said in plain words', `#ref=${RESPONSE}`, async (page) => {
  await slide(page, '#moment', 1);
  await ready(page, 'error');
  await page.waitForSelector('#notice button:text("The first moment it existed")');
  assert.match(await page.textContent('#notice'), /It was not recorded here yet at this moment\. Its own date is Oct 11, 2025, .*; it was recorded here on /);
  await page.click('#notice button:text("Show it now")');
  await ready(page);
});

pageTest('a time before the first record is said to be one', '#as_of=2020-01-01T00:00:00Z', async (page) => {
  await page.waitForSelector('.nothing-then');
  assert.match(await page.textContent('.nothing-then'), /Nothing had been recorded by then/);
  await page.waitForFunction(() => document.getElementById('moment').value === '0');
  assert.equal(await page.textContent('#moment-value'), 'before the first transaction');
  assert.match(await page.inputValue('#moment-date'), /^20(19|20)-/, 'the time asked about stays');
  await page.click('.nothing-then button');
  await page.waitForFunction(() => /^now/.test(document.getElementById('moment-value').textContent));
});

pageTest('two moments compared', `#ref=${STALE}&down=3`, async (page) => {
  await page.click('#compare-button');
  await page.fill('#compare-tx', '2');
  await page.click('#compare-moment');
  await page.waitForSelector('#banner:not([hidden])');
  await ready(page);
  assert.match(await page.textContent('#banner'), /5 added/);
  assert.match(await page.textContent('#banner'), /Transaction 2 \(.+\d.+\) compared with transaction \d+ \(.+\d.+\)/);
  assert.match(await page.textContent('#banner'), /1 with another status/);
  assert.doesNotMatch(await page.textContent('#banner'), /\b0 /, 'what no node does is left out');
  await untilMarked(page, RESPONSE, 'added');
  assert.match(await page.textContent(`.card[data-id="${STALE}"]`), /now deprecated/);
  assert.match(await page.textContent('#legend'), /now …: had another status/);
  await page.waitForTimeout(300);
  await look(page, 'moments');
});

pageTest('two responses compared', `#ref=${RESPONSE}`, async (page) => {
  await page.click('#compare-button');
  await page.fill('#compare-ref', 'resp_20251010_00124');
  await page.click('#compare-nodes');
  await page.waitForSelector('#difference-list');
  assert.match(await page.textContent('#difference-list'), /0\.65 → 0\.8/);
  assert.match(await page.textContent('#banner'), /Which clusters does the rollout go to now\? compared with Which clusters .* in which order\?.*4 only behind the first/);
  const flags = await page.$$eval('#picture .card text.kind', (all) => all.map((each) => each.textContent));
  assert.ok(flags.some((text) => /− first/.test(text)) && !flags.some((text) => /added|removed|·\s*…/.test(text)), `${flags}`);
  const weights = (await page.$$eval('#difference-list li', (all) => all.map((each) => each.textContent))).map((line) => /^−.*weight ([\d.]+)/.exec(line)?.[1]).filter(Boolean);
  assert.ok(weights.length > 2);
  assert.deepEqual(weights, [...weights].sort((a, b) => b - a), 'the strongest first');
  const [side, end] = await Promise.all(['#banner-read', '#banner-leave'].map((id) => page.locator(id).boundingBox()));
  assert.equal(side.y, end.y, 'its buttons are in a line');
  assert.doesNotMatch(await page.textContent('#banner'), /resp_/);
  await look(page, 'pair');
  await page.click('#banner-leave');
  await page.waitForFunction(() => document.getElementById('banner').hidden);
});

pageTest('responses without a text are compared by what was asked, else by whom and when they were given', '', async (page) => {
  const timestamp = '2025-10-15T10:20:30Z';
  const context_units = [{ context_unit_id: 'cu_values_yaml_005', weight: 1 }];
  const given = { $type$: 'Response', timestamp, agent: 'night-clerk', model: 'm', context_units };
  await server.write(
    { $type$: 'Query', request_id: 'req_plants', question: 'Who waters the plants?', timestamp },
    { ...given, id: 'resp_silent_asked', request_id: 'req_plants' },
    { ...given, id: 'resp_silent' },
  );
  const when = await page.evaluate((at) => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at)), timestamp);
  await page.goto(`${server.url}/#ref=Response:resp_silent&with=Response:resp_silent_asked`);
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => /night-clerk · .* compared with Who waters the plants\?/.test(document.getElementById('banner').textContent));
  const words = (await page.textContent('#banner')).replace(/\s/g, ' ');
  assert.ok(words.startsWith(`night-clerk · ${when.replace(/\s/g, ' ')} compared with`), words);
  assert.doesNotMatch(words, /resp_|silent/);
  await page.goto(`${server.url}/#view=page&ref=Response:resp_silent`);
  await page.waitForFunction(() => /^night-clerk · /.test(document.querySelector('#read h1')?.textContent ?? ''));
  await page.goto(`${server.url}/#`);
  await page.waitForSelector('#start .entry[data-ref="Response:resp_silent"]');
  assert.match(await page.textContent('#start .entry[data-ref="Response:resp_silent"] .title'), /^night-clerk · /);
});

pageTest('a moment to compare with is a time too', `#ref=${STALE}`, async (page) => {
  await page.click('#compare-button');
  await page.fill('#compare-at', '2035-01-01T00:00:01');
  await page.click('#compare-moment');
  await page.waitForSelector('#banner:not([hidden])');
  await ready(page);
  assert.match(await page.textContent('#banner'), /Nothing differs/);
});

pageTest('the moment offered first is right before the last change of the node, and its other changes are there', `#ref=${STALE}`, async (page) => {
  const { events } = await server.rpc('history.get', { ref: STALE });
  const last = events.at(-1).tx;
  await page.click('#compare-button');
  await page.waitForSelector('#compare-dialog[open]');
  assert.equal(await page.inputValue('#compare-tx'), String(last - 1));
  const offered = await page.$$eval('#compare-own option', (all) => all.map((each) => each.textContent));
  assert.equal(offered.length, new Set(events.map(({ tx }) => tx)).size);
  assert.match(offered[0], new RegExp(`^before: rated, became deprecated · .*\\d{4}.* · transaction ${last}$`));
  assert.match(offered.at(-1), new RegExp(`^after: recorded · .* · transaction ${events[0].tx}$`));
  await page.selectOption('#compare-own', { index: offered.length - 1 });
  assert.equal(await page.inputValue('#compare-tx'), String(events[0].tx));
  await page.selectOption('#compare-own', { index: 0 });
  await look(page, 'compare-own');
  await page.click('#compare-moment');
  await page.waitForSelector('#banner:not([hidden])');
  await ready(page);
  assert.match(await page.textContent('#banner'), /1 with another status/);
});

pageTest('what to compare with is searched; what is not there is said, and the picture stays', `#ref=${RESPONSE}`, async (page) => {
  const cards = () => page.evaluate(() => document.querySelectorAll('#picture .card').length);
  const before = await cards();
  await page.click('#compare-button');
  await page.fill('#compare-ref', 'resp_nobody');
  await page.click('#compare-nodes');
  await page.waitForFunction(() => /No node is called Response:resp_nobody\. Write words/.test(document.getElementById('compare-note').textContent));
  assert.ok(await page.evaluate(() => document.getElementById('compare-dialog').open));
  assert.equal(await cards(), before);
  await page.fill('#compare-ref', 'cu_value_yaml_05');
  await page.click('#compare-nodes');
  await page.waitForSelector('.offered button[data-ref="ContextUnit:cu_values_yaml_005"]');
  await page.fill('#compare-ref', 'retired cluster');
  await page.waitForSelector('.offered button[data-ref="ContextUnit:cu_values_yaml_005"]');
  await look(page, 'compare-offered');
  await accessible(page, '#compare-dialog');
  await page.click('.offered button[data-ref="ContextUnit:cu_values_yaml_005"]');
  await page.click('#compare-nodes');
  await page.waitForFunction(() => location.hash.includes('with=ContextUnit:cu_values_yaml_005'));
  await page.waitForSelector('#banner:not([hidden])');
});

pageTest('an address with a mistake leaves the picture, and leads back', `#ref=${RESPONSE}`, async (page) => {
  const cards = () => page.evaluate(() => document.querySelectorAll('#picture .card').length);
  const before = await cards();
  await page.evaluate((hash) => (location.hash = hash), '#ref=Response:resp_2025101_00126&up=2&down=2');
  await ready(page, 'error');
  assert.match(await page.textContent('#notice'), /^No node is called Response:resp_2025101_00126\. The picture is as it was\./);
  assert.equal(await cards(), before);
  await page.waitForSelector(`#notice .similar button[data-ref="${RESPONSE}"]`);
  await look(page, 'mistyped');
  await accessible(page, '#notice');
  await page.click('#notice button:text("Back")');
  await ready(page);
  assert.ok(decodeURIComponent(page.url()).includes(`ref=${RESPONSE}`));
  assert.equal(await cards(), before);
});

pageTest('permalink restores everything, back and forward work', `#ref=${RESPONSE}&up=1&down=0&${OF_LINEAGE}`, async (page) => {
  await clickInPicture(page, 'stub causes ContextUnit:cu_values_yaml_005');
  await untilNodes(page, 5);
  await slide(page, '#weight', 0.5);
  await page.keyboard.press('t');
  await page.waitForFunction(() => location.hash.includes('w=0.5') && location.hash.includes('table=1'));
  await ready(page);
  const [address, refs] = [page.url(), await refsInTable(page)];
  const other = await openPage(browser, address);
  await ready(other);
  assert.deepEqual(await refsInTable(other), refs);
  assert.equal(await other.inputValue('#weight'), '0.5');
  assert.ok(await other.isVisible('#table'));
  assert.deepEqual(other.faults, []);
  await other.context().close();

  await page.fill('#search', STALE);
  await page.waitForSelector(`#results li[data-ref="${STALE}"]`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    (ref) => document.title.includes('Helm') && decodeURIComponent(location.hash).includes(`ref=${ref}`),
    STALE,
  );
  await page.goBack();
  await page.waitForFunction((link) => location.href === link, address);
  await page.waitForFunction((count) => document.body.dataset.nodes === String(count), refs.length);
  await page.goForward();
  await page.waitForFunction((ref) => decodeURIComponent(location.hash).includes(`ref=${ref}`), STALE);
});

pageTest('table sorts, selects, and is read when out of sight', `#ref=${RESPONSE}&up=3&${OF_LINEAGE}`, async (page) => {
  assert.equal((await refsInTable(page)).length, 7);
  await page.keyboard.press('t');
  await page.click('#table th:nth-child(1) button');
  const rising = await refsInTable(page);
  assert.deepEqual(rising, [...rising].sort());
  await page.click('#table th:nth-child(1) button');
  assert.deepEqual(await refsInTable(page), rising.reverse());
  await page.click(`#table tr[data-ref="${STALE}"] button`);
  await page.waitForSelector(`#panel[data-ref="${STALE}"]`);
  await look(page, 'table');
});

pageTest('keyboard walks, opens, toggles and explains itself', `#ref=${RESPONSE}&up=3`, async (page) => {
  await page.keyboard.press('e');
  await page.waitForSelector('#panel:not([hidden])');
  await page.focus('#picture');
  for (const arrow of ['ArrowLeft', 'ArrowUp']) await page.keyboard.press(arrow);
  await page.waitForFunction((ref) => document.getElementById('panel').dataset.ref !== ref, RESPONSE);
  const selected = await page.getAttribute('#panel', 'data-ref');
  await page.keyboard.press('Enter');
  await page.waitForFunction((ref) => decodeURIComponent(location.hash).startsWith(`#ref=${ref}&`), selected);
  await page.keyboard.press('f');
  assert.equal(await page.getAttribute('#focus-button', 'aria-pressed'), 'true');
  await page.keyboard.press('l');
  assert.equal(await page.getAttribute('#live-button', 'aria-pressed'), 'false');
  await page.keyboard.press('?');
  await page.waitForSelector('#help-dialog[open]');
  await look(page, 'help');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.getElementById('panel').hidden);
});

pageTest('the about box says which server this is, and has no picture without a cluster', '', async (page) => {
  const { version, tx } = await server.rpc('server.info');
  assert.equal(await page.textContent('#about-button'), `Whence ${version}`);
  await page.focus('#about-button');
  await page.keyboard.press('Enter');
  await page.waitForFunction((text) => document.querySelector('#about-dialog dd')?.textContent === text, version);
  const facts = await page.$$eval('#about-dialog dt', (names) =>
    names.map((name) => [name.textContent, name.nextElementSibling.textContent]),
  );
  assert.deepEqual(
    facts.map(([name]) => name),
    ['Version', 'Store', 'Transaction'],
  );
  assert.match(facts[1][1], /^\d[\d.]* (bytes|kB|MB)$/);
  assert.equal(facts[2][1], String(tx));
  assert.equal(await page.locator('#about-dialog svg').count(), 0);
  await look(page, 'about');
  await page.keyboard.press('Escape');
  await page.waitForSelector('#about-dialog[open]', { state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.id), 'about-button');
  await page.keyboard.press('?');
  await page.click('#help-about');
  await page.waitForSelector('#about-dialog[open] dd');
  assert.equal(await page.locator('dialog[open]').count(), 1);
});

pageTest('a response of telemetry without texts says what to switch on', '', async (page) => {
  const span = {
    traceId: 'ab'.repeat(16),
    spanId: '01'.repeat(8),
    name: 'x',
    startTimeUnixNano: '1760000000000000000',
    endTimeUnixNano: '1760000001000000000',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      { key: 'gen_ai.request.model', value: { stringValue: 'm' } },
    ],
  };
  const sent = await fetch(`${server.url}/v1/traces`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
  assert.equal(sent.status, 200);
  await page.goto(`${server.url}/#view=page&ref=Response:resp_${'ab'.repeat(16)}_${'01'.repeat(8)}`);
  await page.waitForSelector('#texts-switch');
  assert.match(await page.textContent('#texts-switch'), /OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true/);
  await look(page, 'texts-switch');
  await page.goto(`${server.url}/#view=page&ref=${RESPONSE}`);
  await page.waitForFunction(() => !document.querySelector('#texts-switch'));
});

pageTest('a call that failed says why: on its page, in the table and on the start page', '', async (page) => {
  const before = (seconds) => new Date(Date.now() - 1000 * seconds).toISOString();
  const failed = { agent: 'brittle', model: 'm', context_units: [{ context_unit_id: 'cu_values_yaml_002', weight: 1 }] };
  const attributes = { 'otel.status_code': 'ERROR', 'otel.status_description': '429 Too Many Requests', 'error.type': 'rate_limit' };
  await server.write(
    { ...failed, $type$: 'Response', id: 'resp_refused', timestamp: before(1), question: 'Will this be refused?', attributes, usage: { output_tokens: 5 } },
    { ...failed, $type$: 'Response', id: 'resp_broken_off', timestamp: before(2), question: 'Will this be broken off?', content: 'It will', attributes: { 'error.type': 'timeout' } },
    { ...failed, $type$: 'Response', id: 'resp_of_request', timestamp: before(3), request_id: 'shop:7', content: 'Yes.' },
    { $type$: 'Query', request_id: 'shop:7', question: 'Is a request named like a ref?', timestamp: before(3) },
  );
  await page.waitForSelector('#start .entry[data-ref="Response:resp_refused"] .said');
  assert.equal(await page.textContent('#start .entry[data-ref="Response:resp_refused"] .said'), 'failed: 429 Too Many Requests');
  assert.equal(await page.textContent('#start .entry[data-ref="Response:resp_broken_off"] .said'), 'It will');
  assert.equal(await page.textContent('#start .entry[data-ref="Response:resp_of_request"] .title'), 'Is a request named like a ref?');
  await page.goto(`${server.url}/#view=answers&agent=brittle`);
  await page.waitForFunction(() => document.querySelector('#answers-table tr[data-ref="Response:resp_refused"] .c-said')?.textContent === 'failed: 429 Too Many Requests');
  await page.goto(`${server.url}/#view=page&ref=Response:resp_refused`);
  await page.waitForFunction(() => /^The call failed: 429 Too Many Requests$/.test(document.querySelector('#read section[data-name="answer"] .faint')?.textContent.trim()));
  // Of the tokens nobody counted those of the prompt: they are not said to be none.
  assert.match(await page.innerText('#read .facts-line'), /tokens\s+5 out/);
  assert.doesNotMatch(await page.innerText('#read .facts-line'), /\bin\b/);
  await page.goto(`${server.url}/#view=page&ref=Response:resp_broken_off`);
  await page.waitForFunction(() => /failed: timeout/.test(document.querySelector('#read .chips')?.textContent));
});

pageTest('the link of a page is copied on a page without a clipboard, or it is not said to be', '', async (page) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => {
      window.copied = document.querySelector('textarea.unseen').value;
      return !window.isRefused;
    };
  });
  await page.goto(`${server.url}/#view=page&ref=${RESPONSE}`);
  await page.reload();
  const says = (text) => page.waitForFunction((wanted) => document.getElementById('read-copy').textContent === wanted, text);
  await page.click('#read-copy');
  await says('Copied');
  assert.match(await page.evaluate(() => window.copied), /#.*ref=Response:resp_.*&as_of=\d+/s);
  await says('Copy link');
  await page.evaluate(() => (window.isRefused = true));
  await page.click('#read-copy');
  await says('Not allowed');
});

pageTest('an answer of telemetry is a dialogue with roles, calls and what they gave', '', async (page) => {
  const messages = [
    { role: 'system', parts: [{ type: 'text', content: 'You help with orders. 🐦' }] },
    { role: 'user', parts: [{ type: 'text', content: 'Where is my order 4711?' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'find_order', arguments: { order: 4711, fields: ['state', 'eta'] } }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: { state: 'shipped', by: { name: '<b>UPS</b>' } } }] },
  ];
  const said = [{ role: 'assistant', parts: [{ type: 'text', content: 'It was shipped.' }] }];
  const span = (trace, second, given, answered) => ({
    traceId: trace.repeat(16),
    spanId: '02'.repeat(8),
    name: 'chat',
    startTimeUnixNano: `176000000${second}000000000`,
    endTimeUnixNano: `176000000${second + 1}000000000`,
    attributes: Object.entries({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.input.messages': JSON.stringify(given),
      'gen_ai.output.messages': JSON.stringify(answered),
    }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const spans = [span('fe', 0, messages.slice(0, 2), [messages[2]]), span('ef', 2, messages, said)];
  const sent = await fetch(`${server.url}/v1/traces`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  assert.equal(sent.status, 200);
  // What calls a tool says so in lists and on its page.
  const caller = `Response:resp_${'fe'.repeat(16)}_${'02'.repeat(8)}`;
  await page.goto(`${server.url}/#view=answers`);
  const cell = page.locator(`#answers-table tr[data-ref="${caller}"] .c-said`);
  assert.equal(await cell.textContent(), 'find_order(order: 4711, fields: state, eta)');
  await page.goto(`${server.url}/#view=page&ref=${caller}`);
  await page.waitForSelector('#read section[data-name="answer"] .call');
  assert.match(await page.innerText('#read section[data-name="answer"]'), /calls find_order\s+\{\s+"order": 4711,/);
  await page.goto(`${server.url}/#view=page&ref=Response:resp_${'ef'.repeat(16)}_${'02'.repeat(8)}`);
  await page.waitForSelector('#read section[data-name="dialogue"] .bubble:nth-child(4)');
  assert.equal(await page.textContent('#read h1'), 'Where is my order 4711?');
  const bubbles = await page.locator('#read section[data-name="dialogue"] .bubble').allInnerTexts();
  const lines = bubbles.map((each) => each.split(/\s*\n\s*/));
  assert.deepEqual(lines[0], ['system', 'as a source', 'You help with orders. 🐦']);
  assert.deepEqual(lines[1], ['user', 'as a source', 'Where is my order 4711?']);
  assert.deepEqual(lines[2].slice(2), ['calls find_order', '{', '"order": 4711,', '"fields": [', '"state",', '"eta"', ']', '}']);
  assert.deepEqual(lines[3].slice(0, 3), ['tool', 'what find_order gave', 'as a source']);
  assert.deepEqual(lines[3].slice(3), ['{', '"state": "shipped",', '"by": {', '"name": "<b>UPS</b>"', '}', '}']);
  // Nothing is there twice, and the sources have no signs of JSON.
  assert.equal(await page.locator('#read section[data-name="prompt"]').count(), 0);
  await page.waitForSelector('#read .sources li');
  const sources = await page.innerText('#read .sources');
  assert.match(sources, /find_order\(order: 4711, fields: state, eta\)/);
  assert.match(sources, /state: shipped, by: …/);
  assert.doesNotMatch(sources, /tool_call/);
  assert.doesNotMatch(sources, /(^|\n)0\s%/, 'what has no weight has no share');
  await look(page, 'dialogue');
  await accessible(page);
  // The question was used, without a share: no list says that nothing was made from it, or 0 %.
  await page.click('#read section[data-name="dialogue"] .bubble:nth-child(2) .notes a');
  await page.waitForSelector('#read section[data-name="effects"] li');
  assert.match(await page.innerText('#read section[data-name="effects"] li'), /\b1 step/);
  assert.doesNotMatch(await page.innerText('#read'), /Nothing was made|\b0\s%/);
});

pageTest('kinds of spans that are not understood stand in the about box', '', async (page) => {
  const span = (id) => ({
    traceId: 'cd'.repeat(16),
    spanId: id.repeat(8),
    name: 'x',
    startTimeUnixNano: '1760000000000000000',
    endTimeUnixNano: '1760000001000000000',
    attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'dream' } }],
  });
  const sent = await fetch(`${server.url}/v1/traces`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span('02'), span('03')] }] }] }),
  });
  assert.equal(sent.status, 200);
  await page.keyboard.press('a');
  await page.waitForSelector('#about-telemetry li');
  assert.match(
    await page.textContent('#about-telemetry'),
    /2 spans of kind “gen_ai.operation.name dream” were not understood since the start/,
  );
  await look(page, 'about-telemetry');
});

pageTest('the about box shows the cluster, follows it while it is open, and stops', '', async (page) => {
  const long = `http://${'long-'.repeat(20)}name.example:7411`;
  const log = {
    connected: true,
    position: 41,
    lag: 0,
    last_contact_s: 0.2,
    servers: [
      { name: 'n1', leader: true, current: true, lag: 0 },
      { name: '<img src=x onerror="alert(1)">', leader: false, current: false, lag: 7 },
    ],
    nodes: [
      { name: 'http://a:1', self: false, position: 39, last_seen_s: 0.3 },
      { name: long, self: true, position: 41, last_seen_s: 0.3 },
      { name: 'http://c:3', self: false, position: 41, last_seen_s: 5.5 },
    ],
  };
  await changeAnswers(page, 'server.info', (info) => Object.assign(info, { log }));
  page.on('dialog', () => page.faults.push('a script of a name ran'));
  await page.reload();
  await ready(page);
  await page.keyboard.press('a');
  await page.waitForSelector('#about-cluster svg');
  const text = () => page.textContent('#about-cluster-text');
  assert.match(
    await text(),
    /^2 NATS servers, leader n1, .* 7 behind; 3 nodes, this one at message 41, 0 behind; a:1 2 behind;/,
  );
  assert.match(await text(), /c:3 0 behind, heard 5 s ago\./);
  assert.equal(await page.locator('#about-cluster img').count(), 0);
  assert.deepEqual(await page.$$eval('#about-cluster .box', (boxes) => boxes.map((box) => box.getAttribute('class'))), [
    'box leader',
    'box behind',
    'box self',
    'box behind',
    'box silent',
  ]);
  assert.ok((await page.$$eval('#about-cluster title', (all) => all.map((one) => one.textContent)))[2].includes(long));
  // A name has room in its box, and the picture in the dialog.
  const { widest, room, isScrolled } = await page.evaluate(() => {
    const dialog = document.getElementById('about-dialog');
    const names = [...dialog.querySelectorAll('.name')].map((name) => name.getBoundingClientRect().width);
    const box = dialog.querySelector('.self rect').getBoundingClientRect().width;
    return { widest: Math.max(...names), room: box, isScrolled: dialog.scrollWidth > dialog.clientWidth };
  });
  assert.ok(widest < room, `${widest} in ${room}`);
  assert.ok(!isScrolled);
  await look(page, 'about-cluster');

  // What is the same is not drawn anew; what is new comes by itself.
  const drawing = await page.$('#about-cluster svg');
  const asked = page.asked;
  while (page.asked < asked + 2) await page.waitForTimeout(100);
  assert.ok(await drawing.evaluate((element) => element.isConnected));
  Object.assign(log, { connected: false, last_contact_s: 12.3 });
  await page.waitForFunction(() =>
    /^The log is not connected and was not heard of for 12 s\./.test(
      document.getElementById('about-cluster-text').textContent,
    ),
  );
  assert.ok(!(await drawing.evaluate((element) => element.isConnected)));
  await look(page, 'about-away');

  await page.keyboard.press('Escape');
  await page.waitForSelector('#about-dialog[open]', { state: 'detached' });
  const askedAtEnd = page.asked;
  await page.waitForTimeout(4500);
  assert.equal(page.asked, askedAtEnd);
});

pageTest(
  '360 px without horizontal scrolling: the about box with 64 nodes, dark',
  '',
  async (page) => {
    const nodes = Array.from({ length: 64 }, (_, i) => ({
      name: `http://node-${i}.cluster.example:7411`,
      self: i === 0,
      position: 40 + (i % 2),
      last_seen_s: 0.1,
    }));
    const servers = ['n1', 'n2', 'n3'].map((name, i) => ({ name, leader: i === 0, current: true, lag: 0 }));
    const log = { connected: true, position: 41, lag: 0, last_contact_s: 0, servers, nodes };
    await changeAnswers(page, 'server.info', (info) => Object.assign(info, { log }));
    await page.reload();
    await ready(page);
    await page.keyboard.press('a');
    await page.waitForSelector('#about-cluster svg');
    assert.equal(await page.locator('#about-cluster .box').count(), 67);
    await look(page, 'narrow-about');
    const { scrolled, isScrolled, inside } = await page.evaluate(() => {
      const dialog = document.getElementById('about-dialog');
      const right = dialog.getBoundingClientRect().right;
      return {
        scrolled: document.documentElement.scrollWidth,
        isScrolled: dialog.scrollWidth > dialog.clientWidth,
        inside: [...dialog.querySelectorAll('.box')].every((box) => box.getBoundingClientRect().right < right),
      };
    });
    assert.equal(scrolled, 360);
    assert.ok(!isScrolled);
    assert.ok(inside);
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme: 'dark' },
);

pageTest('dark mode by key, and by the system', `#ref=${RESPONSE}&up=3`, async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.keyboard.press('d');
  assert.notEqual(await ground(), light);
  await page.waitForTimeout(200);
  await look(page, 'dark');
  const other = await openPage(browser, `${server.url}/`, { colorScheme: 'dark' });
  await ready(other);
  assert.equal(await other.getAttribute('html', 'data-theme'), 'dark');
  await look(other, 'dark-start');
  await other.context().close();
});

for (const [name, hash] of [
  ['start', ''],
  ['graph', `#ref=${RESPONSE}&up=3`],
  ['impact', `#ref=${STALE}&view=impact`],
  ['difference', `#ref=${RESPONSE}&with=resp_20251010_00124`],
  ['table', `#ref=${RESPONSE}&table=1`],
  ['answers', '#view=answers'],
]) {
  pageTest(
    `360 px without horizontal scrolling: ${name}`,
    hash,
    async (page) => {
      await page.waitForTimeout(300);
      await look(page, `narrow-${name}`);
      const { wide, scrolled } = await page.evaluate(() => ({
        wide: innerWidth,
        scrolled: document.documentElement.scrollWidth,
      }));
      assert.equal(wide, 360);
      assert.equal(scrolled, 360);
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true },
  );
}

pageTest(
  'what is seen is saved as PNG and SVG, and in the formats of the server',
  `#ref=${RESPONSE}&up=3`,
  async (page) => {
    await page.click('#export-button');
    const saved = (selector) => savedBy(page, selector);
    assert.equal((await saved('#export-png')).subarray(1, 4).toString(), 'PNG');
    const drawing = (await saved('#export-svg')).toString();
    assert.match(drawing, /^<\?xml/);
    assert.match(drawing, /Which clusters does/);
    const isOffered = await server.rpc('export.status', { job: 'none' }).then(
      () => true,
      (error) => !error.message.includes('-32601'),
    );
    await page.waitForTimeout(200);
    assert.equal(await page.locator('#export-graphml').count(), isOffered ? 1 : 0);
    if (isOffered) {
      const { methods } = await server.rpc('rpc.discover');
      const { params } = methods.find(({ name }) => name === 'export.start');
      for (const { name, use } of params.find(({ name: each }) => each === 'format').schema['x-formats']) {
        assert.match(use, /^[A-Z].*\.$/);
        assert.equal(await page.textContent(`#export-${name} + span`), use);
      }
      await page.click('#export-graphml');
      await page.waitForSelector('#export-message a');
      assert.match((await saved('#export-message a')).toString(), /<graphml/);
    }
    await look(page, 'export');
  },
);

pageTest('live: what is written appears, and what is read stays', `#ref=${RESPONSE}&up=1&down=3`, async (page) => {
  const nodes = await shownNodes(page);
  const timestamp = '2025-10-15T10:00:00Z';
  await server.write(
    {
      $type$: 'ContextUnit',
      id: 'cu_live_001',
      type: 'User',
      source: 'memory:live',
      timestamp,
      summary: 'Written while the page was open',
      version: 1,
    },
    {
      $type$: 'ContextUnit',
      id: 'cu_live_002',
      type: 'User',
      source: 'file:argocd/values.yaml',
      timestamp,
      summary: 'Third version',
      version: 3,
      previous_version_id: 'cu_values_yaml_005',
      updated_by_response_id: 'resp_20251011_00126',
    },
  );
  await untilNodes(page, nodes + 1);
  assert.ok((await refsInTable(page)).includes('ContextUnit:cu_live_002'));
  await page.waitForTimeout(400);
  await look(page, 'live');
  await page.fill('#search', 'while the page was open');
  await page.waitForSelector('#results li[data-ref="ContextUnit:cu_live_001"]');
  await page.keyboard.press('Escape');

  await page.click('#live-button');
  await server.write({
    $type$: 'ContextUnit',
    id: 'cu_live_003',
    type: 'User',
    source: 'memory:live',
    timestamp,
    version: 1,
    derived_from: ['cu_live_002'],
  });
  await page.waitForTimeout(1000);
  assert.equal(await shownNodes(page), nodes + 1);
  await page.click('#live-button');
});

pageTest('hostile text is shown as text', '', async (page) => {
  const summary = `<img src=x onerror="alert(1)"> \u202etxt.exe\u202c "quotes" & 😀 ${'x'.repeat(400)}`;
  await server.write({
    $type$: 'ContextUnit',
    id: 'cu_<script>alert(1)</script>',
    type: 'User',
    source: '</td><script>',
    timestamp: '2025-10-15T10:00:00Z',
    summary,
    version: 1,
    attributes: { '<b>': ['"', { deep: "'" }], __proto__x: null },
  });
  page.on('dialog', () => page.faults.push('a script of a record ran'));
  await page.goto(`${server.url}/#ref=${encodeURIComponent('ContextUnit:cu_<script>alert(1)</script>')}&details=1`);
  await page.waitForSelector('#panel:not([hidden])');
  assert.equal(await page.locator('#panel img, #panel script, #table script').count(), 0);
  await page.click('#panel .fold button');
  assert.ok((await page.textContent('#panel')).includes(summary.trim().replace('\u202e', '⟨U+202E⟩')));
});

pageTest('an unknown node is an error in plain words', '', async (page) => {
  await page.goto(`${server.url}/#ref=Response:resp_never`);
  await ready(page, 'error');
  assert.match(await page.textContent('#notice'), /^No node is called Response:resp_never\./);
});

pageTest('a name that is none, and a moment that is none, are said without words of the protocol', '', async (page) => {
  for (const [hash, words] of [
    ['#ref=bogus', /^No node is called bogus: a name is a type and an id, such as Response:resp_1\./],
    [`#view=page&ref=Respons:resp_20251011_00126`, /^No node is called Respons:resp_20251011_00126: .*Nearly so: Response:resp_20251011_00126/],
    [`#ref=${RESPONSE}&with=tx:999`, /^There is no transaction 999 yet\. Nothing is compared\.End comparison/],
    [`#ref=${RESPONSE}&with=cu_value_yaml_05`, /^No node is called ContextUnit:cu_value_yaml_05\. Nothing is compared\..*Nearly so: ContextUnit:cu_values_yaml_005/],
    [`#ref=${RESPONSE}&with=tx:monday`, /^monday is no moment: .*Nothing is compared\.End comparison/],
    [`#ref=${RESPONSE}&as_of=tuesday`, /^tuesday is no moment: /],
    [`#ref=Response:${encodeURIComponent('\u202ex<b>')}`, /^No node is called Response:⟨U\+202E⟩x<b>\./],
  ]) {
    await page.goto(`${server.url}/${hash}`);
    await page.reload();
    await ready(page, 'error');
    await page.waitForFunction(([source]) => new RegExp(source).test(document.getElementById('notice').textContent), [words.source]);
    assert.doesNotMatch(await page.textContent('#notice'), /rule |\/ref|\/as_of|\/b\b/);
  }
});

pageTest('from a page to its picture, and arrows walk in it', `#view=page&ref=${RESPONSE}`, async (page) => {
  await page.focus('#read h1');
  await page.keyboard.press('r');
  await page.waitForFunction(() => document.activeElement.id === 'picture');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction((ref) => /sel=/.test(location.hash) && !decodeURIComponent(location.hash).includes(`sel=${ref}`), RESPONSE);
});

for (const other of ['cu_value_yaml_05', 'bogus', 'tx:999', 'tx:monday'])
  pageTest(`what is compared with something that is not there is shown by itself: ${other}`, `#ref=${RESPONSE}`, async (page) => {
    const cards = await page.locator('#picture .card').count();
    assert.ok(cards > 3);
    for (const load of [() => page.evaluate((hash) => (location.hash = hash), `#ref=${RESPONSE}&with=${other}&up=2&down=2`), () => page.reload()]) {
      await load();
      await page.waitForFunction(() => /Nothing is compared\./.test(document.getElementById('notice').textContent));
      await ready(page, 'error');
      assert.equal(await page.locator('#picture .card').count(), cards);
    }
    await page.click('#notice button:text("End comparison")');
    await ready(page);
    assert.equal(await page.textContent('#notice'), '');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'picture', 'the keyboard goes on there');
    assert.equal(await page.locator('#picture .card').count(), cards);
    await page.goto(`${server.url}/#view=page&ref=${RESPONSE}&with=${other}`);
    await page.waitForFunction(() => /Nothing is compared\./.test(document.getElementById('notice').textContent));
    assert.ok(await page.locator('#read h1').isVisible());
  });

pageTest('a name that is nearly right is pressed', '', async (page) => {
  await page.goto(`${server.url}/#ref=${RESPONSE}&with=cu_value_yaml_05`);
  await page.click('#notice .similar button[data-ref="ContextUnit:cu_values_yaml_005"]');
  await page.waitForSelector('#banner:not([hidden])');
  await ready(page);
  assert.equal(await page.textContent('#notice'), '');
  assert.ok(hashOf(page).includes('with=ContextUnit:cu_values_yaml_005'));
});

for (const namespace of [undefined, 'shop']) {
  test(`with a token the page asks, keeps it to the tab, and goes on${namespace ? ' in a namespace' : ''}`, async () => {
    const guarded = await Server.start({ token: 'a-secret-for-this-test', namespace });
    const page = await openPage(browser, `${guarded.url}/#ref=${RESPONSE}`);
    try {
      await page.waitForSelector('#token-dialog[open]');
      await look(page, 'token');
      await page.fill('#token-input', 'wrong');
      await page.click('#token-form button[type=submit]');
      await page.waitForFunction(() => /did not take/.test(document.getElementById('token-note').textContent));
      await page.fill('#token-input', 'a-secret-for-this-test');
      await page.click('#token-form button[type=submit]');
      await ready(page);
      assert.ok((await shownNodes(page)) > 1);
      assert.ok(!page.url().includes('secret'));
      assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes('secret')), false);
      await page.reload();
      await ready(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      await guarded.stop();
    }
  });
}

test('a lost connection is said, and comes back by itself', async () => {
  const page = await openPage(browser, `${server.url}/#ref=${RESPONSE}`);
  await ready(page);
  const listen = new URL(server.url).host;
  await server.halt();
  await page.waitForFunction(() =>
    /connection to the server is lost/.test(document.getElementById('notice').textContent),
  );
  await look(page, 'lost');
  await server.runAgain(listen);
  await page.waitForFunction(() => document.getElementById('notice').textContent === '');
  await page.fill('#search', 'Helm');
  await page.waitForSelector('#results li');
  // However a browser says that nobody answers: refused, reset, empty, interrupted.
  const ofNetwork = /WebSocket|net::ERR_|Failed to fetch|NetworkError|establish a connection|interrupted/;
  const faults = page.faults.filter((fault) => !ofNetwork.test(fault));
  assert.deepEqual(faults, []);
  await page.context().close();
});
