// The start page: what needs eyes, the newest answers, an empty store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, changeAnswers, look, openPage, ready } from './browser.mjs';
import { Server } from './server.mjs';
import { browser, hashOf, pageTest, server } from './site.mjs';

const STALE = 'ContextUnit:cu_values_yaml_002';

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((each) => each.textContent));

pageTest('the first paint comes within a second', '', async (page) => {
  const times = [];
  // The best of some loads counts: what else runs on the machine is no part of the claim.
  for (let i = 0; i < 5 && !times.some((ms) => ms < 1000); i++) {
    await page.reload();
    await ready(page);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    times.push(
      await page.evaluate(() => Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)),
    );
  }
  console.log(`first paint, ms: ${times.join(', ')}`);
  assert.ok(times.some((ms) => ms < 1000));
});

pageTest('the newest answers have their question, first words, agent and rating', '', async (page) => {
  assert.match(await page.textContent('#start'), /40 records and 63 edges/);
  await look(page, 'start');
  const newest = await texts(page, '[aria-label="Newest answers"] .entry');
  assert.equal(newest.length, 7, 'a response and the answer of its request would be one');
  const answer = newest.find((text) => /Eyewear and gloves/.test(text));
  assert.match(answer, /\?/, 'its question');
  assert.ok(newest.some((text) => /lazy-broker · gpt-4-turbo/.test(text) && /rated −1/.test(text)));
  await page.click('[aria-label="Newest answers"] .entry');
  await page.waitForFunction(() => location.hash.includes('view=page'));
});

pageTest('what needs eyes: bad answers with the remark, deprecated units, sources to blame', '', async (page) => {
  const bad = await texts(page, '.eyes .entries:has(h3) .entry .said');
  assert.deepEqual(bad.slice(0, 3), [
    '“Room 12 is a canteen now.”',
    "“The limits it relied on are last year's.”",
    '“Went to the retired cluster: the values are stale.”',
  ]);
  const titles = await texts(page, '.eyes h3');
  assert.deepEqual(titles, ['Badly rated', 'Newly deprecated', 'Stale: changed since answers were made from it', 'Blame: sources of bad answers']);
  const blamed = await server.rpc('impact.blame', { score_below: 0, limit: 5 });
  const shown = await page.$$eval('.eyes .entries:last-child .entry', (all) => all.map((each) => each.dataset.ref));
  assert.deepEqual(
    shown,
    blamed.nodes.map(({ ref }) => ref),
  );
  assert.ok(
    (await page.$$eval('.eyes .entries:nth-of-type(2) .entry', (all) => all.map((e) => e.dataset.ref))).includes(STALE),
  );
});

pageTest('search comes first on the start page and moves to the head elsewhere', '', async (page) => {
  assert.equal(await page.locator('#start #search').count(), 1);
  await page.fill('#search', 'Helm');
  await page.waitForSelector('#results li');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#read h1');
  assert.equal(await page.locator('header #search').count(), 1);
  await page.evaluate(() => history.back());
  await page.waitForSelector('#start #search');
});

pageTest('what the verdict on a source is made of is said in words', '', async (page) => {
  const { nodes } = await server.rpc('impact.blame', { score_below: 0, limit: 5 });
  const most = nodes.find(({ lift }) => lift > 0);
  const words = await page.textContent(`.eyes .entries:last-child .entry[data-ref="${most.ref}"] .sub`);
  const { bad, rated, rate, others_rate: others } = most;
  const wanted = `${bad} of ${rated} bad, weighed by its share in each ${Math.round(100 * rate)}\u00a0%, of the others ${Math.round(100 * others)}\u00a0%: too few to tell`;
  assert.ok(words.includes(wanted), words);
});

test('of a source that changed answers rest on it, or it is not listed; calls over one question are one entry', async () => {
  const own = await Server.start();
  const timestamp = '2025-10-15T10:00:00Z';
  const unit = (id, more) => ({ $type$: 'ContextUnit', id, type: 'External', source: 'file:x', timestamp, content: id, ...more });
  const call = (id, second, more) => ({
    $type$: 'Response',
    id,
    timestamp: `2026-01-01T10:00:0${second}Z`,
    agent: 'Clerk',
    model: 'm',
    question: 'Where is the parcel?',
    content: `Said by ${id}`,
    attributes: { trace_id: 't1', span_id: id },
    context_units: [{ context_unit_id: 'cu_values_yaml_005', weight: 1 }],
    ...more,
  });
  let page = null;
  try {
    await own.write(
      unit('cu_unused', { version: 1 }),
      unit('cu_made_of_it', { derived_from: ['cu_unused'] }),
      unit('cu_unused_2', { version: 2, previous_version_id: 'cu_unused' }),
      call('resp_calls_1', 1),
      call('resp_calls_2', 2),
      call('resp_calls_3', 3),
      call('resp_other_trace', 4, { attributes: { trace_id: 't2' } }),
    );
    page = await openPage(browser, own.url);
    await ready(page);
    const stale = await page.$$eval('.eyes .entries', (all) => all.filter((each) => /^Stale/.test(each.textContent)).map((each) => [...each.querySelectorAll('.entry')].map(({ dataset }) => dataset.ref)));
    assert.deepEqual(stale, [[STALE]]);
    const newest = await page.$$eval('[aria-label="Newest answers"] .entry', (all) => all.slice(0, 3).map((each) => [each.dataset.ref, / · last of several calls$/.test(each.querySelector('.sub').textContent)]));
    assert.deepEqual(newest.slice(0, 2), [['Response:resp_other_trace', false], ['Response:resp_calls_3', true]]);
    assert.ok(!newest[2][0].includes('resp_calls'), newest[2][0]);
    assert.deepEqual(page.faults, []);
  } finally {
    await page?.context().close();
    await own.stop();
  }
});

pageTest('what is in the graph is listed by type', '', async (page) => {
  await page.click('.counts a[href$="types=Session"]');
  await page.waitForSelector('#found .result');
  assert.equal(await page.textContent('#found h1'), 'Session');
  const { nodes } = await server.rpc('node.find', { type: 'Session' });
  const listed = await page.$$eval('#found .result', (all) => all.map((each) => each.dataset.ref));
  assert.deepEqual(listed.sort(), nodes.map(({ ref }) => ref).sort());
  assert.match(await page.textContent('#found [role=status]'), /^2 records$/);
  await accessible(page);
  await page.click('#found .filters [data-type=Document]');
  await page.waitForFunction(() => document.querySelector('#found h1').textContent === 'Document');
  await page.click('#found .result .title');
  await page.waitForSelector('#read .passage-card');
  await page.click('#home');
  await page.click('.counts a[href*="kind=answer"]');
  await page.waitForSelector('#answers-table tr[data-ref^="Answer:"]');
});

pageTest('the name of the program leads to the top of the start page', '', async (page) => {
  await page.$eval('#start', (box) => (box.scrollTop = 400));
  assert.ok((await page.$eval('#start', (box) => box.scrollTop)) > 0, 'else nothing could be scrolled');
  await page.click('#home');
  assert.equal(await page.$eval('#start', (box) => box.scrollTop), 0);
});

pageTest('the start page leads to all answers', '', async (page) => {
  await page.click('[aria-label="Newest answers"] .head a');
  await page.waitForSelector('#answers-table tbody tr');
  assert.match(hashOf(page), /view=answers/);
});

pageTest('an empty store shows how to fill it, with its own address', '', async (page) => {
  const empty = (info) => {
    for (const type of Object.keys(info.nodes)) info.nodes[type] = 0;
    for (const type of Object.keys(info.edges)) info.edges[type] = 0;
  };
  await changeAnswers(page, 'server.info', empty);
  await page.reload();
  await ready(page);
  const codes = await texts(page, '.snippet pre');
  assert.equal(codes.length, 5);
  for (const code of codes) assert.ok(code.includes(server.url), code);
  await look(page, 'empty');
  await accessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.$eval('.first-steps > .sub:last-child', (line) => line.scrollWidth <= line.clientWidth), 'its last sentence is whole');
  await page.click('.snippet button');
  await page.waitForFunction(() =>
    /^(Copied|Not allowed)$/.test(document.querySelector('.snippet button').textContent),
  );
});

pageTest('an empty graph says so in every view, with the way to the first record', '', async (page) => {
  await changeAnswers(page, ['server.info', 'node.find'], (result) => {
    if (result.nodes instanceof Array) Object.assign(result, { nodes: [], cursor: undefined });
    else for (const counts of [result.nodes, result.edges]) for (const type of Object.keys(counts)) counts[type] = 0;
  });
  for (const [hash, note] of [
    ['#view=answers', '#answers-note'],
    ['#view=search&q=zanzibar', '#found [role=status]'],
  ]) {
    await page.goto(`${server.url}/${hash}`);
    await page.reload();
    await ready(page);
    await page.waitForFunction((at) => /The graph is empty/.test(document.querySelector(at)?.textContent), note);
    assert.equal(await page.locator('.over-time:visible').count(), 0, 'no charts of nothing');
    await page.click(`${note} a`);
    await page.waitForSelector('.first-steps');
  }
});

pageTest('the help opens at its beginning', '', async (page) => {
  await page.keyboard.press('?');
  await page.waitForSelector('#help-dialog[open]');
  const { top, isLonger } = await page.$eval('#help-dialog', (box) => ({ top: box.scrollTop, isLonger: box.scrollHeight > box.clientHeight }));
  assert.ok(isLonger, 'else nothing could be scrolled');
  assert.equal(top, 0);
}, { viewport: { width: 390, height: 700 } });

pageTest('the help says what the words of the page mean', '', async (page) => {
  await page.keyboard.press('?');
  const words = await page.$$eval('#help-dialog .words-used dt', (all) => all.map((each) => each.textContent));
  assert.deepEqual(words, ['Weight', 'Share', 'Blame', 'Stale']);
});

pageTest('a message to blame is called by its words', '', async (page) => {
  const timestamp = '2025-10-15T10:00:00Z';
  await server.write(
    { $type$: 'Response', id: 'resp_lost', timestamp, agent: 'a', model: 'm', context_units: [{ type: 'External', source: 'message:tool', content: '{"state": "lost"}', weight: 1 }] },
    { $type$: 'FeedbackRecord', id: 'fb_lost', response_id: 'resp_lost', timestamp, score: -1 },
  );
  await page.reload();
  await ready(page);
  const titles = await texts(page, '.eyes .entries:last-child .entry .title');
  assert.ok(titles.includes('state: lost'), `${titles}`);
});

pageTest(
  'hostile text of answers and remarks is text on the start page',
  '',
  async (page) => {
    const hostile = `<img src=x onerror="alert(1)"> \u202etxt.exe ${'w'.repeat(3000)}`;
    const timestamp = '2025-10-16T10:00:00Z';
    await server.write(
      {
        $type$: 'Response',
        id: 'resp_hostile',
        timestamp,
        agent: hostile.slice(0, 60),
        model: '<b>',
        prompt: hostile,
        content: hostile,
        context_units: [{ context_unit_id: 'cu_values_yaml_002', weight: 1 }],
      },
      {
        $type$: 'FeedbackRecord',
        id: 'fb_hostile',
        response_id: 'resp_hostile',
        timestamp,
        score: -1,
        feedback_text: hostile.slice(0, 900),
      },
    );
    page.on('dialog', () => page.faults.push('a script of a record ran'));
    await page.reload();
    await ready(page);
    await page.waitForSelector('[data-ref="Response:resp_hostile"]');
    await look(page, 'start-hostile');
    assert.equal(await page.locator('#start img').count(), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  },
  { viewport: { width: 360, height: 740 } },
);

test('the badly rated answers are there, whatever the newest bad ratings are of', async () => {
  const own = await Server.start();
  try {
    const names = Array.from({ length: 25 }, (_, i) => i);
    await own.write(
      { $type$: 'ContextUnit', id: 'cu_eyes', type: 'User', source: 's', content: 'c', timestamp: '2025-01-01T00:00:00Z' },
      ...names.map((i) => ({ $type$: 'Response', id: `resp_${i}`, agent: 'a', model: 'm', prompt: `question ${i}`, content: 'said', timestamp: `2025-12-01T00:00:${10 + i}Z`, context_units: [{ context_unit_id: 'cu_eyes', weight: 1 }] })),
    );
    const rating = (i, n, score) => ({ $type$: 'FeedbackRecord', id: `fb_${i}_${n}`, response_id: `resp_${i}`, timestamp: '2025-12-02T00:00:00Z', score });
    await own.write(rating(0, 0, -1), rating(1, 0, -1));
    for (const i of names.slice(2)) await own.write(...[1, 1, -0.5].map((score, n) => rating(i, n, score)));
    await own.rpc('records.delete', { refs: ['Response:resp_1'] });
    const page = await openPage(browser, own.url);
    await ready(page);
    const bad = await texts(page, '.eyes .entries:has(h3) .entry .title');
    assert.deepEqual(bad.filter((each) => each.startsWith('question')), ['question 0'], `${bad}`);
    await page.context().close();
  } finally {
    await own.stop();
  }
});
