// The pages of a person and of a session: their answers and turns, and a person's data held and erased from the page.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { verify } from '../../tools/verify/verify.mjs';
import { accessible, openPage, ready, savedBy } from './browser.mjs';
import { Server } from './server.mjs';
import { browser, pageTest, server } from './site.mjs';

const answer = (name, minute, more) => ({
  $type$: 'Response',
  id: `resp_${name}`,
  timestamp: `2026-01-01T00:${minute}:00Z`,
  agent: 'helpdesk',
  model: 'm',
  content: `Said in ${name}.`,
  question: `Asked in ${name}?`,
  context_units: [{ content: `hello ${name}`, source: 'chat', type: 'User', weight: 1 }],
  ...more,
});

before(async () => {
  const anna = { person: 'anna', conversation: 'chat-7' };
  await server.rpc('records.write', {
    records: [answer('first', '01', anna), answer('second', '02', anna), answer('other', '03', { person: 'bea', conversation: 'chat-8' })],
  });
  await server.write(
    { $type$: 'Query', request_id: 'req_turn', question: 'Asked of retrieval?', timestamp: '2025-12-31T00:00:00Z' },
    { $type$: 'RetrievedChunk', chunk_id: 'chunk_req_turn', content: 'Bills are due.', metadata: { document_name: 'guide.pdf', page_number: 1, chunk_index: 0 }, request_id: 'req_turn', similarity_score: 0.9 },
    { $type$: 'Answer', request_id: 'req_turn', answer: 'Said by retrieval [guide.pdf, page 1].', confidence: 0.9 },
    answer('turn', '00', { person: 'eve', conversation: 'chat-9', content: undefined, question: undefined, request_id: 'req_turn' }),
  );
});

const hashOf = (ref) => `#view=page&ref=${encodeURIComponent(ref)}`;
const section = (name) => `#read section[data-name="${name}"]`;
const text = (page, selector = '#read') => page.innerText(selector);
const untilText = (page, selector, pattern) =>
  page.waitForFunction(
    ([where, source]) => new RegExp(source).test(document.querySelector(where)?.innerText ?? ''),
    [selector, pattern.source],
  );

pageTest('a session has its turns in their order', hashOf('Session:chat-7'), async (page) => {
  assert.match(
    await text(page, section('turns')),
    /Asked in first\?[\s\S]*Said in first\.[\s\S]*Asked in second\?[\s\S]*Said in second\./,
  );
  assert.doesNotMatch(await text(page), /other/);
  await page.click('#read a[data-ref="Person:anna"]');
  await untilText(page, section('answers'), /Asked in second\?[\s\S]*Asked in first\?/);
  await accessible(page, '#read');
});

pageTest('a turn has the texts of its act, wherever they are recorded', hashOf('Session:chat-9'), async (page) => {
  await untilText(page, section('turns'), /Asked of retrieval\?[\s\S]*Said by retrieval/);
  await page.click('#read a[data-ref="Person:eve"]');
  await untilText(page, section('answers'), /Asked of retrieval\?/);
});

pageTest('a turn that calls a tool is the call, and one that failed says why', '', async (page) => {
  const call = JSON.stringify({ type: 'tool_call', id: 'call_1', name: 'find_order', arguments: { order: 9007199254740993n } }, (_, each) => (typeof each === 'bigint' ? 'ORDER' : each)).replace('"ORDER"', '9007199254740993');
  await server.write(
    answer('calling', '04', { conversation: 'chat-10', content: call }),
    answer('failing', '05', { conversation: 'chat-10', content: undefined, attributes: { 'otel.status_code': 'ERROR', 'otel.status_description': '429' } }),
  );
  await page.goto(`${server.url}/${hashOf('Session:chat-10')}`);
  await untilText(page, section('turns'), /calls find_order\s+\{\s+"order": 9007199254740993\s+\}[\s\S]*The call failed: 429/);
  assert.doesNotMatch(await text(page, section('turns')), /tool_call/);
});

pageTest('an answer leads to its person and its session', hashOf('Response:resp_first'), async (page) => {
  await page.click('#read a[data-ref="Session:chat-7"]');
  await untilText(page, section('turns'), /Said in second/);
});

pageTest('the ratings that a person gave have their words and the answer', hashOf('Response:resp_20251012_00127'), async (page) => {
  await page.click(`${section('ratings')} a[data-ref="Person:dana"]`);
  await untilText(page, section('ratings'), /−0\.9\s+The limits it relied on are last year's\.[\s\S]*of How much should we save for college\?/);
  await page.click(`${section('ratings')} .rated a:has-text("How much should we save")`);
  await untilText(page, '#read h1', /How much should we save/);
});

pageTest('what erases is apart from what keeps, and says what it does in plain words', hashOf('Person:dana'), async (page) => {
  const ground = (id) => page.$eval(id, (button) => getComputedStyle(button).backgroundColor);
  const ink = (id) => page.$eval(id, (button) => getComputedStyle(button).color);
  await page.waitForSelector('#personal-erase');
  assert.notEqual(await ink('#personal-erase'), await ink('#personal-hold'));
  await page.click('#personal-hold');
  await page.waitForSelector('#personal-do');
  const ofKeeping = await ground('#personal-do');
  await page.click('#personal-erase');
  await page.waitForSelector('#personal-would');
  assert.notEqual(await ground('#personal-do'), ofKeeping);
  assert.doesNotMatch(await text(page, '#personal-form'), /`|free pages|\b0 sources/);
  for (const id of ['personal-reason', 'personal-name']) {
    const label = await page.locator(`label[for=${id}] span`).boundingBox();
    const field = await page.locator(`#${id}`).boundingBox();
    assert.ok(label.y + label.height <= field.y, `${id} is below its label`);
  }
});

pageTest('what there is of a person is held, and erased by name', hashOf('Person:anna'), async (page) => {
  await untilText(page, '#personal-found', /Response: 2/);
  await untilText(page, '#personal-found', /whence person export anna FOLDER/);
  await page.click('#personal-hold');
  await page.fill('#personal-reason', 'case 17');
  await page.click('#personal-do');
  await untilText(page, '#personal-holds', /must be kept: case 17/);
  await page.click('#personal-erase');
  await untilText(page, '#personal-message', /cannot be erased while it must be kept: case 17\. End the hold first\./);
  assert.match(await page.getAttribute('#personal-message a', 'href'), /ref=Hold/);
  await page.click('#personal-holds [data-hold] button');
  await page.fill('#personal-reason', 'it is over');
  await page.click('#personal-do');
  await page.waitForFunction(() => !document.querySelector('#personal-holds [data-hold]'));
  const folder = await mkdtemp(join(tmpdir(), 'whence-'));
  await server.rpc('admin.backup', { path: join(folder, 'before') });
  await page.click('#personal-erase');
  await untilText(page, '#personal-would', /records would be erased for ever/);
  await untilText(page, '#personal-backups', /before: .*Response: 2/);
  await rm(folder, { recursive: true });
  await page.fill('#personal-name', 'ann');
  await page.click('#personal-do');
  await untilText(page, '#personal-message', /another name/);
  await page.fill('#personal-name', 'anna');
  await page.fill('#personal-reason', 'she asked');
  await page.click('#personal-do');
  await untilText(page, '#personal-message', /Erased: \d+ records/);
  await untilText(page, '#personal-found', /Nothing is stored of this person but \d+ ids/);
  assert.equal(await page.locator('#personal-erase').count(), 0);
  const certificate = JSON.parse(await savedBy(page, '#personal-certificate'));
  assert.equal(certificate.format, 'whence-erasure-1');
  const { key } = await server.rpc('log.checkpoint', {});
  assert.equal(verify(JSON.stringify(certificate), [key]).verified, true);
  assert.doesNotMatch(JSON.stringify(certificate), /anna/);
  assert.match(certificate.events[0].record, /she asked/);
  const { nodes } = await server.rpc('node.get', { refs: ['resp_first', 'resp_other'], include: ['record'] });
  assert.deepEqual(
    nodes.map(({ purged, record }) => [purged ?? false, record?.content]),
    [
      [true, undefined],
      [false, 'Said in other.'],
    ],
  );
});

pageTest('erased answers are not among the newest, and leave older ones their place', '#', async (page) => {
  const erased = Array.from({ length: 120 }, (_, i) => answer(`gone_${i}`, String(10 + (i % 50)), { person: 'cleo' }));
  await server.rpc('records.write', { records: erased });
  await server.rpc('records.write', { records: [{ $type$: 'FeedbackRecord', id: 'fb_gone', response_id: 'resp_gone_0', timestamp: '2026-01-02T00:00:00Z', score: -1, user_id: 'bea', feedback_text: 'Not so.' }] });
  await server.rpc('person.erase', { person: 'cleo', reason: 'she asked' });
  await page.reload();
  await untilText(page, 'section[aria-label="Newest answers"]', /Said in other|Asked in other/);
  const shown = await page.$$eval('section[aria-label="Newest answers"] a.entry', (all) => all.map((each) => each.dataset.ref));
  assert.deepEqual(shown.filter((ref) => /gone_|first|second/.test(ref)), []);
  assert.ok(shown.length > 5, `${shown}`);
  await page.waitForSelector('.eyes .entry');
  const refs = await page.$$eval('.eyes .entry', (all) => all.map((each) => each.dataset.ref));
  const { nodes } = await server.rpc('node.get', { refs, include: ['record'] });
  assert.deepEqual(nodes.filter(({ purged }) => purged), [], 'nor worth a look');
  const units = await server.rpc('node.find', { type: 'ContextUnit', where: { status: 'deprecated' }, order: { by: 'tx', desc: true } });
  assert.ok(units.nodes.some(({ purged }) => purged), 'else nothing could be');
});

test('a token that may not erase or hold is told before it types', async () => {
  const guarded = await Server.start({ token: 'of-a-writer', role: 'write' });
  const page = await openPage(browser, `${guarded.url}/${hashOf('Person:anna')}`);
  try {
    await guarded.rpc('records.write', { records: [answer('first', '01', { person: 'anna' })] }, 'of-a-writer');
    await page.fill('#token-input', 'of-a-writer');
    await page.click('#token-form button[type=submit]');
    for (const button of ['#personal-hold', '#personal-erase']) {
      await page.reload();
      await page.click(button);
      await untilText(page, '#personal-message', /Your token may not do this\. It needs one with the role admin/);
      assert.equal(await page.locator('#personal-form input').count(), 0);
    }
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
    await guarded.stop();
  }
});

/** The page of the person, of a user who has shown the token. */
async function pageOf(guarded, user) {
  const page = await openPage(browser, `${guarded.url}/${hashOf('Person:anna')}`);
  await page.fill('#token-input', `${user}-secret`);
  await page.click('#token-form button[type=submit]');
  await ready(page);
  await untilText(page, '#personal-found', /Response: 1/);
  return page;
}

test('what one user asks to erase another confirms', async () => {
  const guarded = await Server.start({ users: ['ann', 'ben'] });
  const pages = [];
  try {
    await guarded.rpc('records.write', { records: [answer('first', '01', { person: 'anna' })] }, 'ann-secret');
    const ann = await pageOf(guarded, 'ann');
    pages.push(ann);
    await ann.click('#personal-erase');
    await ann.fill('#personal-reason', 'she asked');
    await ann.fill('#personal-name', 'anna');
    await ann.click('#personal-do');
    await untilText(ann, '#personal-message', /Nothing is gone yet: somebody else has to confirm it/);
    await untilText(ann, '#personal-proposals', /ann asked to erase it: she asked/);
    await ann.click('#personal-proposals button >> text=Confirm and erase');
    await ann.click('#personal-do');
    await untilText(ann, '#personal-message', /proposed it: somebody else/);
    const ben = await pageOf(guarded, 'ben');
    pages.push(ben);
    await untilText(ben, '#personal-proposals', /ann asked to erase it: she asked/);
    await accessible(ben, '#read');
    await ben.click('#personal-proposals button >> text=Confirm and erase');
    await ben.click('#personal-do');
    await untilText(ben, '#personal-message', /Erased: \d+ records/);
    await ben.waitForFunction(() => !document.querySelector('[data-proposal]'));
    assert.equal((await guarded.rpc('node.get', { ref: 'resp_first' }, 'ben-secret')).nodes[0].purged, true);
    for (const page of pages) assert.deepEqual(page.faults, []);
  } finally {
    for (const page of pages) await page.context().close();
    await guarded.stop();
  }
});

pageTest('what was erased leaves an open page, also what it had read of messages', '#view=answers&to=2025-12-01T00:00:00Z', async (page) => {
  const shown = () => page.innerText('#answers-table');
  await page.waitForFunction(() => /How much should we save for college/.test(document.getElementById('answers-table').innerText));
  const { nodes } = await server.rpc('node.get', { ref: 'resp_20251012_00127', include: ['record'] });
  await server.rpc('person.erase', { person: nodes[0].record.person, reason: 'asked' });
  await page.waitForFunction(() => !/save for college/.test(document.getElementById('answers-table').innerText));
  await page.goto(`${server.url}/${hashOf('Response:resp_20251012_00127')}`);
  await page.waitForSelector('#read h1');
  assert.doesNotMatch(await page.innerText('#read'), /save for college/);
  assert.doesNotMatch(await shown(), /save for college/);
});
