// The answers: their table with filters, order, columns and pages, the charts above it, and the address that holds all of it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { browserName, changeAnswers, look, ready } from './browser.mjs';
import { hashOf, pageTest, server } from './site.mjs';
import { byPeriod, sumsQuery } from '../../tools/explorer/src/pages/answers_ask.js';

const DAY = 86_400_000;
const FIRST = Date.parse('2026-03-01T12:00:00Z');
const AGENTS = ['counter', 'desk', 'kiosk'];
const MANY = 120;

/** 120 answers over 12 days, ten a day; what the tests expect follows from these lines. */
const answer = (i) => ({
  $type$: 'Response',
  id: `resp_answers_${String(i).padStart(3, '0')}`,
  timestamp: new Date(FIRST + Math.floor(i / 10) * DAY + (i % 10) * 1000).toISOString(),
  agent: AGENTS[i % 3],
  model: i % 2 ? 'odd-model' : 'even-model',
  prompt:
    i === 7
      ? JSON.stringify([
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'First question' },
          { role: 'assistant', content: 'First answer' },
          { role: 'user', content: 'And the seventh?' },
        ])
      : `Question ${i} of zanzibar`,
  content: `Answer ${i} about turnips`,
  latency_ms: 100 + i,
  cost: 0.5,
  ...(i % 40 === 0 && { person: 'customer-7' }),
  usage: { input_tokens: 1000 + i, output_tokens: 10 },
  context_units: [{ context_unit_id: 'cu_values_yaml_002', weight: 1 }],
});

/** An answer of which nobody recorded the text, and one with it; neither says how long it took nor what it cost. */
const early = (day, more) => ({
  $type$: 'Response',
  id: `resp_early_${day}`,
  timestamp: `2025-01-0${day}T12:00:00Z`,
  agent: 'attic',
  model: 'old-model',
  token_count: 20,
  context_units: [{ context_unit_id: 'cu_values_yaml_002', weight: 1 }],
  ...more,
});

before(async () => {
  await server.write(early(1, {}), early(2, { content: 'An early answer', question: 'An early question?' }));
  await server.write(...Array.from({ length: MANY }, (_, i) => answer(i)));
  await server.write(
    ...[3, 4].map((i) => ({
      $type$: 'FeedbackRecord',
      id: `fb_answers_${i}`,
      response_id: answer(i).id,
      timestamp: '2026-04-01T00:00:00Z',
      score: i === 3 ? -1 : 0.5,
    })),
    { $type$: 'FeedbackRecord', id: 'fb_early', response_id: 'resp_early_1', timestamp: '2025-01-03T00:00:00Z', score: 1 },
    { $type$: 'FeedbackRecord', id: 'fb_answers_again', response_id: answer(3).id, timestamp: '2026-04-02T00:00:00Z', score: -0.5 },
  );
});

const rows = (page) => page.$$eval('#answers-table tbody tr', (all) => all.map((row) => row.dataset.ref));
const cells = (page, column) =>
  page.$$eval(`#answers-table tbody .c-${column}`, (all) => all.map((cell) => cell.textContent));
const untilRows = (page, count) =>
  page.waitForFunction((n) => document.querySelectorAll('#answers-table tbody tr').length === n, count);
const untilNote = (page, text) =>
  page.waitForFunction((part) => document.getElementById('answers-note').textContent.includes(part), text);
const untilCharts = (page) => page.waitForFunction(() => document.getElementById('answers').dataset.charts === '3');
const settled = async (page) => {
  await ready(page);
  await page.waitForFunction(
    () => document.getElementById('answers').dataset.complete === String(document.querySelectorAll('#answers-table tbody tr').length),
  );
};
const ref = (i) => `Response:${answer(i).id}`;

pageTest('the newest answers come first, a page at a time', '#view=answers', async (page) => {
  await untilNote(page, '128 responses, 1 answer of retrieval, 50 responses are shown');
  const shown = await rows(page);
  assert.equal(shown.length, 50);
  assert.equal(shown[0], ref(119));
  assert.equal(shown[49], ref(70));
  await settled(page);
  assert.equal((await cells(page, 'question'))[0], 'Question 119 of zanzibar');
  assert.equal((await cells(page, 'said'))[0], 'Answer 119 about turnips');
  assert.equal((await cells(page, 'latency'))[0], '219 ms');
  assert.equal((await cells(page, 'tokens'))[0], '1,119 + 10');
  assert.equal((await cells(page, 'cost'))[0], '0.5');
  await page.click('#answers-more');
  await untilRows(page, 100);
  await page.click('#answers-more');
  await untilRows(page, 128);
  assert.ok(await page.evaluate(() => document.getElementById('answers-more').hidden));
  assert.equal(new Set(await rows(page)).size, 128, 'none twice');
});

pageTest('the question of a list of messages is the last one of a user', '#view=answers&sort=latency', async (page) => {
  await settled(page);
  const shown = await rows(page);
  assert.equal((await cells(page, 'question'))[shown.indexOf(ref(7))], 'And the seventh?');
});

pageTest('ratings are means, with how many where there are several', '#view=answers&rated=bad&from=2026-03-01T00:00:00Z', async (page) => {
  await untilNote(page, '1 response');
  await settled(page);
  assert.deepEqual(await rows(page), [ref(3)]);
  assert.match((await cells(page, 'rating'))[0], /−0\.75 of 2$/);
  await page.selectOption('#answers-rated', 'good');
  await page.waitForFunction((wanted) => document.querySelector('#answers-table tbody tr')?.dataset.ref === wanted, ref(4));
  await settled(page);
  assert.match((await cells(page, 'rating'))[0], /\+0\.5$/);
});

pageTest('filters are in the address, which brings them back', '#view=answers', async (page) => {
  await settled(page);
  await page.waitForSelector('#answers-agent option[value=desk]', { state: 'attached' });
  await page.selectOption('#answers-agent', 'desk');
  await page.selectOption('#answers-model', 'odd-model');
  await untilNote(page, '20 responses');
  await page.fill('#answers-from', '2026-03-02');
  await page.fill('#answers-to', '2026-03-03');
  // Of 10 to 29 those that are 1 beyond a multiple of 3, and odd: 13, 19, 25.
  await untilNote(page, '3 responses');
  assert.deepEqual(await rows(page), [ref(25), ref(19), ref(13)]);
  assert.match(hashOf(page), /agent=desk&model=odd-model&from=2026-03-02T00:00:00Z&to=2026-03-04T00:00:00Z/);
  await page.reload();
  await ready(page);
  await untilNote(page, '3 responses');
  assert.equal(await page.inputValue('#answers-agent'), 'desk');
  assert.equal(await page.inputValue('#answers-to'), '2026-03-03');
  await page.click('#answers-clear');
  await untilNote(page, '128 responses');
  assert.equal(hashOf(page), '#view=answers');
});

pageTest('words are searched among the answers, and in the filters', '#view=answers', async (page) => {
  await settled(page);
  await page.fill('#answers-q', 'turnips 42 ');
  await untilRows(page, 1);
  assert.deepEqual(await rows(page), [ref(42)]);
  assert.match(hashOf(page), /q=turnips/);
  await page.fill('#answers-q', 'turnips ');
  await page.selectOption('#answers-agent', 'kiosk');
  await untilNote(page, '40 responses');
  await page.fill('#answers-q', 'no such word');
  await untilNote(page, 'No answer is like that.');
});

pageTest('a column orders the answers, by keyboard too', '#view=answers&from=2026-03-01T00:00:00Z', async (page) => {
  await settled(page);
  await page.focus('#answers-table th[data-column=latency] button');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#answers-table th[data-column=latency]').ariaSort === 'descending');
  assert.equal((await rows(page))[0], ref(119));
  assert.equal(await page.evaluate(() => document.activeElement.closest('th')?.dataset.column), 'latency', 'the keyboard goes on there');
  await page.click('#answers-table th[data-column=latency] button');
  await page.waitForFunction(() => document.querySelector('#answers-table th[data-column=latency]').ariaSort === 'ascending');
  assert.equal((await rows(page))[0], ref(0));
  assert.match(hashOf(page), /sort=latency$/);
});

pageTest('texts and tokens order the answers, and what has no value in the record comes last', '#view=answers&from=2026-03-01T00:00:00Z', async (page) => {
  await settled(page);
  const press = async (column, direction) => {
    await page.click(`#answers-table th[data-column=${column}] button`);
    await page.waitForFunction(([name, wanted]) => document.querySelector(`#answers-table th[data-column=${name}]`).ariaSort === wanted, [column, direction]);
    await settled(page);
  };
  await press('tokens', 'descending');
  assert.deepEqual((await rows(page)).slice(0, 2), [ref(119), ref(118)]);
  await untilNote(page, '120 responses');
  await press('tokens', 'ascending');
  assert.deepEqual((await rows(page)).slice(0, 2), [ref(0), ref(1)]);
  await press('said', 'ascending');
  assert.deepEqual((await rows(page)).slice(0, 3), [ref(0), ref(1), ref(10)]);
  // The seventh question is in a list of messages.
  await press('question', 'ascending');
  assert.deepEqual((await rows(page)).slice(0, 3), [ref(0), ref(1), ref(10)]);
  await press('question', 'descending');
  assert.deepEqual((await rows(page)).slice(0, 3), [ref(99), ref(98), ref(97)]);
  for (const count of [100, 120]) {
    await page.click('#answers-more');
    await untilRows(page, count);
  }
  assert.equal((await rows(page)).at(-1), ref(7));
  assert.equal(new Set(await rows(page)).size, 120, 'none twice');
  await page.goto(`${server.url}/#view=answers&sort=-tokens&rated=bad&from=2026-03-01T00:00:00Z`);
  await untilNote(page, '1 response');
  assert.deepEqual(await rows(page), [ref(3)], 'filters hold in every order');
});

pageTest('columns are chosen, and kept in the address', '#view=answers', async (page) => {
  await settled(page);
  await page.click('.columns-menu summary');
  await page.click('.columns-menu input[data-column=cost]');
  await page.waitForFunction(() => !document.querySelector('#answers-table th[data-column=cost]'));
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('#answers-table th[data-column=cost]').count(), 0);
  assert.equal(await page.locator('#answers-table th[data-column=latency]').count(), 1);
});

pageTest('a column that none of the answers has is left out, and a missing text is said', '#view=answers&to=2025-02-01T00:00:00Z', async (page) => {
  await settled(page);
  const columns = () => page.$$eval('#answers-table th', (all) => all.map((each) => each.dataset.column));
  assert.deepEqual(await columns(), ['question', 'said', 'agent', 'model', 'rating', 'time', 'tokens']);
  assert.equal((await cells(page, 'said')).filter((text) => text === 'no text recorded').length, 1);
  await page.click('.columns-menu summary');
  await page.click('.columns-menu input[data-column=cost]');
  await page.waitForSelector('#answers-table th[data-column=cost]');
});

pageTest('charts count what there is, and a point opens its answers', '#view=answers&from=2026-03-01T00:00:00Z', async (page) => {
  await untilCharts(page);
  await look(page, 'answers');
  assert.equal(await page.locator('.chart').count(), 4);
  assert.equal(await page.locator('[data-chart=Answers] rect').count(), 12, 'a bar for each day');
  const walkTo = async (title) => {
    await page.focus(`[data-chart="${title}"] svg`);
    await page.keyboard.press('Home');
    return page.textContent(`[data-chart="${title}"] figcaption`);
  };
  assert.match(await walkTo('Answers'), /^Answers10 Mar 1, 2026$/);
  assert.match(await walkTo('Mean rating'), /^Mean rating−0\.333 Mar 1, 2026, too few to tell$/, 'of the three ratings of the first day');
  assert.match(await walkTo('Mean latency'), /^Mean latency104\.5 ms /);
  assert.match(await walkTo('Cost'), /^Cost5 /);
  await walkTo('Answers');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await untilNote(page, '10 responses');
  assert.deepEqual((await rows(page)).at(-1), ref(10));
  assert.match(hashOf(page), /from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z/);
  await page.goBack();
  await untilNote(page, '120 responses');
});

pageTest('charts are of the answers with the rating that is asked for', '#view=answers&rated=bad&from=2026-03-01T00:00:00Z', async (page) => {
  await untilCharts(page);
  const first = async (title) => {
    await page.focus(`[data-chart="${title}"] svg`);
    await page.keyboard.press('Home');
    return page.textContent(`[data-chart="${title}"] figcaption`);
  };
  assert.match(await first('Answers'), /^Answers1 /);
  assert.match(await first('Mean rating'), /^Mean rating−0\.75 /);
  assert.match(await first('Cost'), /^Cost0\.5 /);
});

/** Of the answers that the server counts, `many` of one agent. */
const manyAnswers = (page, many) => changeAnswers(page, 'node.activity', (result) => Object.assign(result.lanes[0], { total: many }));

pageTest('of 100,000 answers the charts come by themselves, of very many at a press', '', async (page) => {
  await manyAnswers(page, 100_000);
  await page.goto(`${server.url}/#view=answers`);
  await page.reload();
  await untilCharts(page);
  assert.equal(await page.locator('.chart button').count(), 0);
  const other = await page.context().newPage();
  await manyAnswers(other, 1_000_000);
  await other.goto(`${server.url}/#view=answers`);
  // With the ratings the charts are drawn again.
  await other.waitForFunction(() => document.getElementById('answers').dataset.charts === '2');
  assert.match(await other.textContent('[data-chart="Cost"] button'), /^Read 1,000,\d+ answers$/);
  await other.click('[data-chart="Cost"] button');
  await untilCharts(other);
  await other.close();
});

pageTest('what the charts wait for is cancelled with another filter, and when the reader goes', '', async (page) => {
  const asked = [];
  const cancelled = [];
  await page.routeWebSocket(/\/ws$/, (ofPage) => {
    const ofServer = ofPage.connectToServer();
    ofPage.onMessage((text) => {
      const { id, method, params } = JSON.parse(text);
      if (method === '$/cancel') cancelled.push(params.id);
      // Such a question is never answered, as of a server that is long at it.
      if (method === 'query' && params.cypher?.includes('sum(r.cost)')) asked.push(id);
      else ofServer.send(text);
    });
    ofServer.onMessage((text) => ofPage.send(text));
  });
  const until = async (list, count) => {
    for (let left = 1200; list.length < count && left > 0; left--) await page.waitForTimeout(50);
    assert.equal(list.length, count);
  };
  await page.goto(`${server.url}/#view=answers`);
  await page.reload();
  await until(asked, 1);
  assert.deepEqual(cancelled, []);
  await page.selectOption('#answers-rated', 'bad');
  await until(asked, 2);
  assert.deepEqual(cancelled, asked.slice(0, 1));
  await page.click('#home');
  await until(cancelled, 2);
  assert.deepEqual(cancelled, asked);
  await page.goBack();
  await until(asked, 3);
});

pageTest('charts have a line for each agent, model or topic', '#view=answers&split=model&from=2026-03-01T00:00:00Z', async (page) => {
  await untilCharts(page);
  assert.deepEqual(await page.$$eval('.lanes-legend li', (all) => all.map((each) => each.textContent)), [
    'even-model rated +0.5 in 1 rating: too few to tell',
    'odd-model rated −0.75 in 2 ratings: too few to tell',
  ]);
  assert.equal(await page.locator('[data-chart=Cost] path.lane').count(), 2);
  await page.focus('[data-chart="Answers"] svg');
  await page.keyboard.press('Home');
  assert.match(await page.textContent('[data-chart=Answers] figcaption'), /^Answers5 Mar 1, 2026, even-model$/);
  await page.keyboard.press('Enter');
  await untilNote(page, '5 responses');
  assert.match(hashOf(page), /model=even-model/);
  await page.evaluate(() => (location.hash = '#view=answers&split=topic'));
  await page.waitForFunction(() => document.querySelector('.lanes-legend')?.textContent === 'family-planning-2025 rated −0.9 in 1 rating: too few to tell');
  await page.focus('[data-chart="Answers"] svg');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await untilNote(page, '1 response');
  assert.deepEqual(await rows(page), ['Response:resp_20251012_00127']);
  await page.evaluate(() => (location.hash = '#view=answers&topic=family-planning-2025&q=college'));
  await untilNote(page, 'the best of the newest first');
  assert.deepEqual(await rows(page), ['Response:resp_20251012_00127']);
  await page.evaluate(() => (location.hash = '#view=answers&topic=family-planning-2025&q=clusters'));
  await untilNote(page, 'No answer is like that.');
  for (const column of ['question', 'tokens', 'cost']) {
    await page.evaluate((name) => (location.hash = `#view=answers&topic=family-planning-2025&sort=${name}`), column);
    await page.waitForFunction((name) => document.querySelector(`#answers-table th[data-column=${name}]`)?.ariaSort === 'ascending' || !document.querySelector(`#answers-table th[data-column=${name}]`), column);
    await settled(page);
    assert.deepEqual(await rows(page), ['Response:resp_20251012_00127']);
  }
});

pageTest('answers of retrieval are a kind of their own', '#view=answers', async (page) => {
  await settled(page);
  await page.selectOption('#answers-kind', 'answer');
  await untilRows(page, 1);
  await settled(page);
  assert.match((await cells(page, 'said'))[0], /Eyewear and gloves/);
  assert.match((await cells(page, 'question'))[0], /\?$/);
  assert.match((await cells(page, 'time'))[0], /^Oct 14, 2025/, 'the time of its question');
  assert.equal(await page.textContent('#answers-note'), '1 answer of retrieval, 128 responses');
  // Its name is as wide as the room for it.
  const { wide, room } = await page.$eval('#answers-kind', (select) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(select);
    const ink = document.createElement('canvas').getContext('2d');
    ink.font = font;
    return { wide: ink.measureText(select.selectedOptions[0].textContent).width, room: select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) };
  });
  assert.ok(wide <= room, `${wide} px in ${room}`);
});

pageTest('of how many kinds the answers are is said, and the other kind is a link', '#view=answers', async (page) => {
  await page.click('#answers-note a:text("1 answer of retrieval")');
  await untilRows(page, 1);
  assert.match(hashOf(page), /kind=answer/);
});

pageTest('the menu of columns is closed by Esc and by a press elsewhere', '#view=answers', async (page) => {
  await settled(page);
  const isOpen = () => page.$eval('.columns-menu', (menu) => menu.open);
  await page.click('.columns-menu summary');
  await page.click('.columns-menu input[data-column=cost]');
  await page.waitForFunction(() => !document.querySelector('#answers-table th[data-column=cost]'));
  assert.equal(await page.evaluate(() => document.activeElement.dataset.column), 'cost', 'the reader goes on where they were');
  await page.keyboard.press('Escape');
  assert.equal(await isOpen(), false);
  await page.click('.columns-menu summary');
  assert.equal(await isOpen(), true);
  await page.click('#answers-note');
  assert.equal(await isOpen(), false);
});

pageTest('answers are chosen by person where one has a person', '#view=answers', async (page) => {
  await settled(page);
  await page.waitForSelector('#answers-person option[value=customer-7]', { state: 'attached' });
  await page.selectOption('#answers-person', 'customer-7');
  await untilNote(page, '3 responses');
  assert.deepEqual(await rows(page), [ref(80), ref(40), ref(0)]);
  assert.match(hashOf(page), /person=customer-7/);
  // Where no answer has one there is nothing to choose.
  await changeAnswers(page, 'query', (result) => {
    if (result.rows.some(([name]) => name === 'customer-7')) result.rows = [];
  });
  await page.goto(`${server.url}/#view=answers`);
  await page.reload();
  await settled(page);
  await page.waitForFunction(() => document.querySelectorAll('#answers-model option').length > 1);
  await untilCharts(page);
  assert.ok(await page.$eval('label:has(#answers-person)', (label) => label.hidden));
});

pageTest('a model has its colour whatever the filter, and a gap a thin line', '#view=answers&split=model', async (page) => {
  await untilCharts(page);
  const colour = (name) => page.locator('.lanes-legend li', { hasText: name }).locator('path').evaluate((path) => getComputedStyle(path).stroke);
  const before = await colour('odd-model');
  assert.notEqual(before, await colour('even-model'));
  for (const hash of ['#view=answers&split=model&model=odd-model', '#view=answers&split=model&from=2026-03-04T00:00:00Z&model=odd-model']) {
    await page.goto(`${server.url}/${hash}`);
    await page.reload();
    await untilCharts(page);
    assert.equal(await colour('odd-model'), before);
  }
  await page.goto(`${server.url}/#view=answers&split=model&model=gpt-4-turbo&from=2025-10-01T00:00:00Z&to=2025-11-01T00:00:00Z`);
  await page.waitForFunction(() => document.querySelector('.lanes-legend')?.textContent.startsWith('gpt-4-turbo'));
  await untilCharts(page);
  await page.waitForSelector('[data-chart="Mean latency"] path.gap');
  const [line, gap] = await Promise.all(['path.lane', 'path.gap'].map((which) => page.$eval(`[data-chart="Mean latency"] ${which}`, (path) => parseFloat(getComputedStyle(path).strokeWidth))));
  assert.ok(gap < line);
});

pageTest('what an address says wrongly is left out', '#view=answers&from=never&sort=nonsense&cols=nonsense&split=x', async (page) => {
  await settled(page);
  assert.equal((await rows(page)).length, 50);
});

pageTest('a past moment has its own answers', '#view=answers&as_of=4', async (page) => {
  await settled(page);
  assert.ok((await rows(page)).length < 6);
});

test('what is written appears live, and the rows stay', async () => {
  const { openPage } = await import('./browser.mjs');
  const { browser } = await import('./site.mjs');
  const page = await openPage(browser, `${server.url}/#view=answers`);
  await settled(page);
  await server.write({ ...answer(7), id: 'resp_answers_live', timestamp: '2026-05-01T00:00:00Z' });
  await page.waitForFunction(() => document.querySelector('#answers-table tbody tr')?.dataset.ref === 'Response:resp_answers_live');
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

pageTest('the text of an act is in the table, also where its answer of retrieval has it; little cost is not nothing', '#view=answers', async (page) => {
  await server.write(
    { $type$: 'Query', request_id: 'req_table', question: 'When is it due?', timestamp: '2026-06-01T00:00:00Z' },
    { $type$: 'RetrievedChunk', chunk_id: 'chunk_req_table', content: 'Bills are due.', metadata: { document_name: 'guide.pdf', page_number: 1, chunk_index: 0 }, request_id: 'req_table', similarity_score: 0.9 },
    { $type$: 'Answer', request_id: 'req_table', answer: 'On the last of June [guide.pdf, page 1].', confidence: 0.9 },
    { $type$: 'Response', id: 'resp_table', timestamp: '2026-06-01T00:00:01Z', agent: 'biller', model: 'm', request_id: 'req_table', cost: 1e-7, context_units: [{ context_unit_id: 'cu_values_yaml_002', weight: 1 }] },
  );
  await page.goto(`${server.url}/#view=answers&agent=biller`);
  await untilRows(page, 1);
  await settled(page);
  assert.deepEqual([await cells(page, 'question'), await cells(page, 'said'), await cells(page, 'cost')], [['When is it due?'], ['On the last of June [guide.pdf, page 1].'], ['0.0000001']]);
});

test('sums begin with the period, before 1970 too', async () => {
  await server.write({ ...answer(1), id: 'resp_before', agent: 'before', timestamp: '1969-12-31T23:00:00Z' }, { ...answer(2), id: 'resp_after', agent: 'before', timestamp: '1970-01-01T01:00:00Z' });
  const state = { agent: 'before', rated: '', flag: '', person: '', conversation: '', topic: '', model: '', q: '', from: '', to: '', split: '', sort: '-time', as_of: null };
  const sums = byPeriod(await server.rpc('query', sumsQuery(state, 'day')), 'day');
  assert.deepEqual([...sums.get('')].map(([start, { n }]) => [start, n]).sort((a, b) => a[0] - b[0]), [[-DAY, 1], [0, 1]]);
});

// Firefox is driven without a zone of its own.
if (browserName === 'chromium')
  pageTest('days of the filter are those of the rows', '#view=answers&agent=night', async (page) => {
    await server.write({ ...answer(1), id: 'resp_night', agent: 'night', timestamp: '2026-01-02T20:00:00Z' });
    await untilRows(page, 1);
    assert.match((await cells(page, 'time'))[0], /Jan 3, 2026/);
    await page.fill('#answers-to', '2026-01-02');
    await untilRows(page, 0);
    await page.fill('#answers-to', '');
    await page.fill('#answers-from', '2026-01-03');
    await untilRows(page, 1);
    assert.match(hashOf(page), /from=2026-01-02T11:00:00Z/);
    assert.equal(await page.inputValue('#answers-from'), '2026-01-03');
    assert.equal(await page.textContent('#answers .chips'), '');
  }, { timezoneId: 'Pacific/Auckland', locale: 'en-US' });

/** An act: a question of a day of June, its answer of retrieval, and the response that an agent gave. */
const actOf = (number, agent, more = {}) => [
  { $type$: 'Query', request_id: `req_of_${number}`, question: `Question ${number} of retrieval?`, timestamp: `2026-06-0${number}T10:00:00Z` },
  { $type$: 'RetrievedChunk', chunk_id: 'chunk_of_acts', content: 'Bills are due.', metadata: { document_name: 'guide.pdf', page_number: 1, chunk_index: 0 }, request_id: `req_of_${number}`, similarity_score: 0.9 },
  { $type$: 'Answer', request_id: `req_of_${number}`, answer: `Zebra ${number} [guide.pdf, page 1].`, confidence: 0.9, processing_time_ms: 10 * (10 - number) },
  { $type$: 'Response', id: `resp_of_${number}`, timestamp: `2026-06-0${number}T10:00:01Z`, agent, model: 'm', request_id: `req_of_${number}`, context_units: [{ context_unit_id: 'cu_values_yaml_002', weight: 1 }], ...more },
];

const refsOf = (page) => page.$$eval('#answers-table tbody tr', (rows) => rows.map((row) => row.dataset.ref));

pageTest('answers of retrieval are narrowed by what the response of their act says, and by the time of their question', '#view=answers&kind=answer', async (page) => {
  await server.write(...actOf(1, 'east', { person: 'Ann' }), ...actOf(2, 'west'), ...actOf(3, 'east'), ...actOf(4, 'west'));
  await server.write({ $type$: 'FeedbackRecord', id: 'fb_of_acts', ref: 'Answer:req_of_3', user_id: 'u', score: -1, timestamp: '2026-06-09T00:00:00Z' });
  const shown = async (filters, ...numbers) => {
    await page.goto(`${server.url}/#view=answers&kind=answer&${filters}`);
    await page.reload();
    await untilRows(page, numbers.length);
    assert.deepEqual(await refsOf(page), numbers.map((number) => `Answer:req_of_${number}`), filters);
    await untilNote(page, numbers.length === 1 ? '1 answer of retrieval' : `${numbers.length} answers of retrieval`);
  };
  await shown('agent=east', 3, 1);
  await shown('agent=east&sort=time', 1, 3);
  await shown('agent=west&sort=latency', 4, 2);
  await shown('agent=west&sort=cost', 4, 2); // no order of theirs: the newest first
  await shown('person=Ann', 1);
  await shown('agent=east&rated=bad', 3);
  await shown('agent=east&q=zebra&from=2026-06-02T00:00:00Z', 3);
  await shown('from=2026-06-02T00:00:00Z&to=2026-06-04T00:00:00Z', 3, 2);
  await shown('rated=bad&from=2026-06-02T00:00:00Z', 3);
  await page.goto(`${server.url}/#view=answers&agent=west`);
  await untilRows(page, 2);
  await page.selectOption('#answers-kind', 'answer'); // what was chosen of responses stays
  await page.waitForFunction(() => document.querySelector('#answers-table tbody tr')?.dataset.ref === 'Answer:req_of_4');
  assert.equal(hashOf(page), '#view=answers&kind=answer&agent=west');
  await page.selectOption('#answers-agent', 'east');
  await page.waitForFunction(() => document.querySelector('#answers-table tbody tr')?.dataset.ref === 'Answer:req_of_3');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#answers-table tbody tr')?.dataset.ref === 'Answer:req_of_4');
});

pageTest('while others are read the rows of before are dimmed, and it is said', '', async (page) => {
  let isSlow = false;
  await page.routeWebSocket(/\/ws$/, (ofPage) => {
    const ofServer = ofPage.connectToServer();
    ofPage.onMessage((message) => ofServer.send(message));
    ofServer.onMessage((message) => setTimeout(() => ofPage.send(message), isSlow ? 1500 : 0));
  });
  await page.goto(`${server.url}/#view=answers&kind=`);
  await page.reload();
  await page.waitForSelector('#answers[data-complete]');
  isSlow = true;
  await page.selectOption('#answers-rated', 'bad');
  await page.waitForFunction(() => document.getElementById('answers-note').innerText === 'Reading…' && Number(getComputedStyle(document.querySelector('#answers-table tbody')).opacity) < 0.6);
  isSlow = false;
  await page.waitForFunction(() => /answer|response/i.test(document.getElementById('answers-note').innerText));
  await ready(page);
  await page.waitForFunction(() => getComputedStyle(document.querySelector('#answers-table tbody')).opacity === '1');
});

pageTest('names to choose from come, also where another filter is chosen meanwhile', '', async (page) => {
  const held = [];
  await page.routeWebSocket(/\/ws$/, (ofPage) => {
    const ofServer = ofPage.connectToServer();
    ofPage.onMessage((text) => (/"query".*n DESC, name/.test(text) ? held.push(() => ofServer.send(text)) : ofServer.send(text)));
    ofServer.onMessage((text) => ofPage.send(text));
  });
  await page.goto(`${server.url}/#view=answers`);
  await page.reload();
  await settled(page);
  assert.ok(held.length > 0);
  await page.selectOption('#answers-rated', 'bad');
  await page.waitForFunction(() => /rated=bad/.test(location.hash));
  await settled(page);
  for (let done = 0; done < 3; done++) {
    while (held.length) held.shift()();
    await page.waitForFunction((names) => ['agent', 'model', 'person'].slice(0, names).every((name) => document.querySelectorAll(`#answers-${name} option`).length > 1), done + 1);
  }
});

pageTest('a list of names that is cut says so, and takes a name that is typed', '', async (page) => {
  await server.write(...Array.from({ length: 60 }, (_, i) => ({ ...early(3, { content: 'Said.', person: `guest-${String(i).padStart(2, '0')}` }), id: `resp_guest_${i}` })));
  await page.goto(`${server.url}/#view=answers`);
  await page.reload();
  await page.waitForFunction(() => /another: these are the 50 most frequent/.test(document.getElementById('answers-person')?.textContent));
  assert.equal(await page.locator('#answers-person option[value="guest-59"]').count(), 0);
  await page.selectOption('#answers-person', { label: 'another: these are the 50 most frequent…' });
  await page.keyboard.type('guest-59');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#answers-table tbody tr').length === 1);
  assert.match(hashOf(page), /person=guest-59/);
  assert.equal(await page.inputValue('#answers-person'), 'guest-59');
  assert.ok(!(await page.textContent('#answers-agent')).includes('another'));
});
