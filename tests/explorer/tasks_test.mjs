// Claim: what somebody comes for is few steps from the start page. Method: each task is done as a reader would who knows no address and
// no key, by what can be seen and pressed; a step is a press, a choice or a text that is typed. Then each is done by the keyboard alone, with
// keys that the help names; a step is a key, however often it is pressed, or a text. Steps and seconds are printed.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, ready } from './browser.mjs';
import { browser, server } from './site.mjs';

const MONDAY = '2026-06-01';
const RULE = 'The bill is due after 14 days.';
let then;

const answer = (id, day, model, more = {}) => ({
  $type$: 'Response',
  id: `resp_${id}`,
  timestamp: `2026-${day}T09:00:00Z`,
  agent: 'helpdesk',
  model,
  question: `What does ${id} ask?`,
  content: `What ${id} was told.`,
  context_units: [{ content: RULE, source: 'file:rules.md', type: 'External', weight: 0.8 }, { content: `Told by ${id}`, source: 'chat', type: 'User', weight: 0.2 }],
  ...more,
});
const rating = (id, day, score) => ({ $type$: 'FeedbackRecord', id: `fb_${id}`, response_id: `resp_${id}`, timestamp: `2026-${day}T10:00:00Z`, score });

before(async () => {
  // Before Monday the old model is the worse one, after it the new one.
  const days = ['05-28', '05-29', '06-01', '06-02', '06-03'];
  const made = days.flatMap((day, i) => ['old', 'new'].map((model) => [`${model}_${i}`, day, model, (model === 'old') === (i < 2) ? -0.9 : 0.9]));
  await server.write(...made.map(([id, day, model]) => answer(id, day, model, { person: `customer-${model}`, conversation: `chat-${id}` })));
  await server.write(...made.map(([id, day, , score]) => rating(id, day, score)));
  then = Date.now();
});

/** A page that counts what a reader does. */
async function reader(name, run, most) {
  const page = await openPage(browser, `${server.url}/`);
  await ready(page);
  let steps = 0;
  const began = performance.now();
  const step = async (act, ...more) => {
    steps += 1;
    await page[act](...more);
  };
  await run(page, step);
  console.log(`${name}: ${steps} steps, ${((performance.now() - began) / 1000).toFixed(1)} s`);
  assert.ok(steps <= most, `${steps} steps`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

const task = (name, most, run) => test(name, () => reader(name, run, most));
const until = (page, selector, pattern) =>
  page.waitForFunction(([where, source]) => new RegExp(source).test(document.querySelector(where)?.innerText ?? ''), [selector, pattern.source]);

task('why was this wrong', 1, async (page, step) => {
  await step('click', '.eyes .entry');
  await until(page, '#read section[data-name="suspects"]', /It is rated badly[\s\S]*The bill is due/);
});

task('what else rests on it', 2, async (page, step) => {
  await step('click', '.eyes .entry');
  await step('click', '#read .source:has-text("The bill is due") summary:has-text("What else rests on this source")');
  await until(page, '#read .source .fold-body', /What does (old|new)_\d ask/);
});

task('which model is worse since Monday', 3, async (page, step) => {
  await step('click', '#answers-button');
  await step('fill', '#answers-from', MONDAY);
  await step('selectOption', '#answers-split', 'model');
  await until(page, '.lanes-legend', /new\s+rated −0\.9 in 3 ratings/);
  assert.match(await page.innerText('.lanes-legend'), /old\s+rated \+0\.9 in 3 ratings/);
});

task('what did the store say at an earlier time', 2, async (page, step) => {
  // The field takes whole seconds: the next one is after what was written before, and before what is written next.
  const moment = (Math.floor(then / 1000) + 1) * 1000;
  await page.waitForFunction((at) => Date.now() > at, moment + 1000);
  await server.write(answer('later', '06-04', 'new', { content: 'Written later.' }));
  await page.waitForSelector('#start .entry[data-ref="Response:resp_later"]');
  // Where the seconds are 0 the field leaves them out.
  const local = await page.evaluate((at) => new Date(at - 60_000 * new Date(at).getTimezoneOffset()).toISOString().slice(0, 19).replace(/:00$/, ''), moment);
  await step('fill', '#moment-date', local);
  await page.waitForFunction(() => /At the moment below/.test(document.querySelector('#start .lead')?.textContent ?? ''));
  assert.equal(await page.locator('#start .entry[data-ref="Response:resp_later"]').count(), 0);
  await step('click', '[aria-label="Newest answers"] .entry');
  await until(page, '#read', /What (old|new)_4 was told/);
});

task('all of a customer', 2, async (page, step) => {
  await step('fill', '#search', 'customer-old');
  await step('click', '#results li[data-ref="Person:customer-old"]');
  await until(page, '#read section[data-name="answers"]', /old_4[\s\S]*old_0/);
});

/** A reader without a mouse: `type` gives the keys or the text of a step. */
const byKeyboard = (name, most, run) =>
  test(`by keyboard: ${name}`, () =>
    reader(`by keyboard: ${name}`, async (page, step) => {
      const keys = {
        press: async (key, times = 1) => {
          await step('waitForTimeout', 0);
          for (let i = 0; i < times; i++) await page.keyboard.press(key);
        },
        type: async (text) => {
          await step('waitForTimeout', 0);
          await page.keyboard.type(text);
        },
      };
      await run(page, keys);
    }, most));

const untilFocused = (page, selector) => page.waitForFunction((at) => document.activeElement?.matches(at), selector);

byKeyboard('why was this wrong', 2, async (page, { press }) => {
  await press('w');
  await untilFocused(page, '.eyes .entry');
  await press('Enter');
  await until(page, '#read section[data-name="suspects"]', /It is rated badly[\s\S]*The bill is due/);
});

byKeyboard('what else rests on it', 4, async (page, { press }) => {
  await press('w');
  await untilFocused(page, '.eyes .entry');
  await press('Enter');
  await page.waitForSelector('#read section[data-name="suspects"] li a');
  await press('s');
  await untilFocused(page, '#read [data-name="suspects"] li a');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /The bill is due/);
  await press('Enter');
  await until(page, '#read section[data-name="uses"]', /What does (old|new)_\d ask/);
});

byKeyboard('which model is worse since Monday', 4, async (page, { press, type }) => {
  await press('o');
  await page.waitForSelector('#answers-table tbody tr');
  await press('b', 2);
  await page.waitForFunction(() => document.getElementById('answers-split').value === 'model');
  await press('f');
  await untilFocused(page, '#answers-from');
  await type('06012026'); // the browser of the tests has American dates
  await until(page, '.lanes-legend', /new\s+rated −0\.9 in 3 ratings/);
  assert.match(await page.innerText('.lanes-legend'), /old\s+rated \+0\.9 in 3 ratings/);
});

byKeyboard('what did the store say at an earlier time', 4, async (page, { press, type }) => {
  await server.write(answer('latest', '06-05', 'new', { content: 'Written at last.' }));
  await page.waitForSelector('#start .entry[data-ref="Response:resp_latest"]');
  await press('m');
  await untilFocused(page, '#moment-date');
  const past = await page.evaluate(() => new Date(Date.now() - 86_400_000).toLocaleDateString('en-US', { month: '2-digit', day: '2-digit' }).replace('/', ''));
  await type(past);
  await until(page, '#start', /Nothing had been recorded by then/);
  await press('Enter');
  await untilFocused(page, '#start .nothing-then button');
  await press('Enter');
  await page.waitForSelector('#start .entry[data-ref="Response:resp_latest"]');
});

byKeyboard('all of a customer', 4, async (page, { press, type }) => {
  await press('/');
  await type('customer-old');
  await page.waitForSelector('#results li[data-ref="Person:customer-old"]');
  await page.waitForSelector('#results li[aria-selected=true][data-ref="Person:customer-old"]');
  await press('Enter');
  await until(page, '#read section[data-name="answers"]', /old_4[\s\S]*old_0/);
});
