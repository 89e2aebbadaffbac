// The pages to read, as a reader uses them: every kind of node over the demo and further records (stories/read_records.mjs).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { paragraphsOf, piecesOf, sharedRuns } from '../../tools/explorer/src/read/citations.js';
import { accessible, look, openPage, ready, savedBy, slide } from './browser.mjs';
import {
  HOSTILE,
  writeAct,
  writeConversation,
  writeDiscussion,
  writeHostile,
  writeLarge,
  writePipeline,
  writeWithoutText,
} from './stories/read_records.mjs';
import { Server } from './server.mjs';
import { browser, pageTest, server } from './site.mjs';

const NARROW = { viewport: { width: 360, height: 740 }, hasTouch: true };
const QUESTION = 'What must be worn when handling chemicals?';

before(async () => {
  for (const write of [writeAct, writeConversation, writeDiscussion, writePipeline, writeWithoutText, writeHostile, writeLarge])
    await write(server);
});

const hashOf = (ref, more = '') => `#view=page&ref=${encodeURIComponent(ref)}${more}`;

const text = (page, selector = '#read') => page.innerText(selector);
const section = (name) => `#read section[data-name="${name}"]`;
const untilText = (page, selector, pattern) =>
  page.waitForFunction(
    ([where, source]) => new RegExp(source).test(document.querySelector(where)?.innerText ?? ''),
    [selector, pattern.source],
  );
const noOverflow = async (page) => {
  const { scrolled, wide } = await page.$eval('#read', (box) => ({ scrolled: box.scrollWidth, wide: box.clientWidth }));
  assert.ok(scrolled <= wide, `${scrolled} px in ${wide}`);
};

/** Every kind of page: its ref, its heading, and what it says. */
const KINDS = [
  ['answer', 'Answer:req_20251014_0a1b2c', QUESTION, [/Eyewear and gloves/, /respirators are in room 12/, /74\s%/]],
  [
    'response',
    'Response:resp_20251012_00127',
    'How much should we save for college?',
    [/529 plans/, /The limits it relied on are last year's/, /lazy-broker/],
  ],
  [
    'response without a text',
    'Response:resp_without_text',
    /night-clerk/,
    [/was not recorded/, /65\s%/, /Nothing to complain of/],
  ],
  [
    'response of an agent with tools',
    'Response:resp_20251010_00125',
    'West was closed in September. What has to change?',
    [/calls read_file/, /argocd\/values\.yaml/, /calls docs_mcp/, /I took west out/],
  ],
  [
    'unit',
    'ContextUnit:cu_values_yaml_002',
    'Helm values configuration',
    [/retired cluster removed/, /deprecated/, /badly rated answer/, /Went to the retired/],
  ],
  ['document', 'Document:wiring.pdf', 'Wiring handbook', [/Page 5/, /Used by 1 response, 1 answer/, /It trips at 30/]],
  ['passage', 'RetrievedChunk:wiring_2', /wiring\.pdf, page 5/, [/A residual current device trips/, /Retrieved for/]],
  [
    'conversation',
    'Topic:garden',
    'The garden',
    [/Version by version/, /When should we sow/, /In pots of ten litres/, /balcony/, /sowing/, /With the context conversation: garden · messages: \d · active subjects: /],
  ],
  ['message', 'Message:garden_a1', /garden_a1/, [/In pots of ten litres/]],
  [
    'discussion',
    'Discussion:plant/pump%2F7',
    'Why does pump 7 stop?',
    [/Analyzer AI/, /Summary up to here/, /Yes, it is wet/, /Solver AI speaks next/],
  ],
  [
    'round',
    'DiscussionRound:plant/pump%2F7/1',
    'Round 1 of Why does pump 7 stop?',
    [/The float switch may stick/, /Round 2/],
  ],
  ['summary of a discussion', 'SummaryEntry:plant/pump%2F7/2', 'Summary up to round 2', [/it is sealed/, /Round 1/]],
  ['summary', 'Summary:garden-v3', /Version 3/, [/Sowing times were explained/, /Compare/]],
  [
    'data set',
    'ProvEntity:postgres://db:5432/public.handbook',
    'public.handbook',
    [/Columns/, /section/, /Wiring handbook/],
  ],
  [
    'run',
    'ProvActivity:urn:uuid:01890000-0000-7000-8000-000000000002',
    /load_handbook, run/,
    [/Read/, /Wrote/, /complete/],
  ],
  [
    'job',
    'ProvEntity:urn:openlineage:job:airflow/load_handbook',
    'load_handbook',
    [/Loads the handbook/, /INSERT INTO/],
  ],
  ['keyword', 'Keyword:sowing', 'sowing', [/tomatoes/]],
  ['feedback', 'FeedbackRecord:fb_20251013_00127', /last year/, [/evaluates/i]],
  ['query', 'Query:req_20251014_0a1b2c', QUESTION, [/What was answered: Eyewear/, /Linked with/]],
  ['hostile', 'Response:resp_hostile', /<img src=x/, [/<b>bold<\/b>/]],
];

for (const [kind, options] of [
  ['wide', {}],
  ['narrow', NARROW],
  ['dark', { colorScheme: 'dark' }],
]) {
  test(`a page of every kind: ${kind}`, async (t) => {
    const page = await openPage(browser, server.url, options);
    for (const [name, ref, title, patterns] of KINDS) {
      await t.test(name, async () => {
        await page.goto(`${server.url}/${hashOf(ref)}`);
        await page.reload();
        await ready(page);
        const heading = await text(page, '#read h1');
        if (title instanceof RegExp) assert.match(heading, title);
        else assert.equal(heading, title);
        const all = await text(page);
        for (const pattern of patterns) assert.match(all, pattern);
        assert.equal(await page.locator('#read h1').count(), 1);
        await noOverflow(page);
        await look(page, `read-${name.replaceAll(' ', '-')}-${kind}`);
        if (kind !== 'wide') await accessible(page, '#read');
      });
    }
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

pageTest(
  'an answer has its passages beside it, sources by share, and what changed',
  hashOf('Answer:req_wiring_1'),
  async (page) => {
    assert.equal(await page.locator(`${section('answer')} mark`).count(), 3);
    const [words, note] = await Promise.all(
      ['.text.answer', '.margin'].map((each) =>
        page
          .locator(`${section('answer')} ${each}`)
          .first()
          .boundingBox(),
      ),
    );
    assert.ok(note.x > words.x + words.width - 1, 'the passage is beside the text');
    assert.ok(Math.abs(note.y - words.y) < 20);
    await page.click(`${section('answer')} .cite >> nth=2`);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'cited-2');
    const shares = await page.$$eval(`${section('sources')} .share b`, (all) =>
      all.map((each) => parseFloat(each.textContent)),
    );
    assert.deepEqual(
      shares,
      [...shares].sort((a, b) => b - a),
    );
    const influence = await server.rpc('lineage.influence', { ref: 'Answer:req_wiring_1' });
    const tone = influence.nodes.find(({ id }) => id === 'cu_tone_1');
    assert.match(
      await text(page, `${section('sources')} [data-ref="ContextUnit:cu_tone_1"]`),
      new RegExp(`${Math.round(100 * tone.share)}\\s%`),
    );
    assert.match(await text(page, section('suspects')), /^[\s\S]*A residual current device trips/);
    assert.match(
      await text(page, section('since')),
      /became deprecated[\s\S]*newer version|newer version[\s\S]*became deprecated/,
    );
    await untilText(page, section('since'), /full/);
    assert.ok(await page.$eval(`${section('since')} details`, (fold) => fold.open), 'a short difference is shown at once');
    await page.click(`${section('sources')} [data-ref="RetrievedChunk:wiring_2"] summary`);
    await untilText(page, section('sources'), /Nothing else was made from it/);
  },
);

pageTest('the conversation of a message is in the table of answers, as on the page of the answer', '', async (page) => {
  const made = { $type$: 'Response', timestamp: '2026-03-01T00:00:00Z', agent: 'desk', model: 'm', context_units: [{ context_unit_id: 'cu_tone_1', weight: 1 }] };
  await server.write({ ...made, id: 'resp_told', content: 'It has a session.', conversation: 'chat-1' }, { ...made, id: 'resp_garden', content: 'Rake it.' });
  await server.write(
    { $type$: 'Message', id: 'garden_last', topicId: 'garden', createdAt: Date.parse(made.timestamp), role: 'assistant' },
    { $type$: 'XMLMessageAttachment', topicId: 'garden', messageId: 'garden_last', format: 'llm-response', createdAt: Date.parse(made.timestamp), responseId: 'resp_garden', xml: '<llmResponse><response>Rake it.</response><analysis><summaryUpdate>Rake.</summaryUpdate></analysis></llmResponse>' },
  );
  await page.goto(`${server.url}/#view=answers&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z`);
  await page.reload();
  await ready(page);
  const cell = (ref) => page.textContent(`#answers-table tr[data-ref="Response:${ref}"] .c-conversation`);
  assert.equal(await cell('resp_told'), 'chat-1');
  assert.equal(await cell('resp_garden'), 'garden');
  await page.click('tr[data-ref="Response:resp_garden"] .c-conversation button');
  await page.waitForFunction(() => document.querySelectorAll('#answers-table tbody tr').length === 1);
  assert.match(await page.evaluate(() => location.hash), /topic=garden/);
});

pageTest('of a bad answer what the rater said is at the top, and each source says what it is', hashOf('Response:resp_20251012_00127'), async (page) => {
  assert.match(await text(page, '#read .read-head .chips'), /rated −0\.9 in 1 rating\s+“The limits it relied on are last year's\.” dana/);
  const facts = await text(page, '#read .facts-line');
  assert.equal(facts.match(/family-planning-2025/g).length, 1, 'what is a session and a topic is named once');
  assert.match(facts, /took\s+2\.65 s[\s\S]*person\s+dana/);
  await page.click('#read .read-head .remark a');
  await untilText(page, '#read h1', /^dana$/);
  await page.goBack();
  const guilty = `${section('sources')} [data-ref="ContextUnit:cu_529_limits_007"]`;
  await untilText(page, guilty, /share 30\s%[\s\S]*used with weight 0\.6[\s\S]*In 2024, up to 18000 dollars/);
  await page.click(`${guilty} summary`);
  await untilText(page, guilty, /No other answer rests on it\. In all, this one included: 1 response, .*4 keywords/);
  assert.match(await text(page, section('effects')), /No other answer rests on it\. 1 XML attachment, 4 keywords/);
});

pageTest('what rests on a unit has its rating, its way and its weight', hashOf('ContextUnit:cu_values_yaml_002'), async (page) => {
  const line = (name, words) => page.locator(`${section(name)} li`, { hasText: words }).innerText();
  await page.waitForSelector(`${section('effects')} .badge`);
  assert.match(await line('effects', 'Which clusters does the rollout go to now?'), /\+0\.9[\s\S]*through a newer version[\s\S]*share 45\s% · 2 steps/);
  assert.match(await line('effects', 'in which order?'), /−0\.9[\s\S]*share 80\s% · 1 step/);
  assert.doesNotMatch(await line('effects', 'in which order?'), /through/);
  assert.match(await line('uses', 'in which order?'), /weight 0\.8/);
});

pageTest('before it was recorded a page says so, with the way to its first moment', hashOf('Response:resp_20251014_00128', '&as_of=2'), async (page) => {
  const { events } = await server.rpc('history.get', { ref: 'resp_20251014_00128', limit: 1 });
  assert.match(await text(page), /It was not recorded here yet at this moment\. Its own date is Oct 14, 2025, .*; it was recorded here on /);
  assert.equal(await page.getAttribute('#live-button', 'aria-pressed'), 'false', 'an earlier moment does not change');
  await accessible(page, '#read');
  await page.click('#read-later .primary');
  await untilText(page, '#read .callout', new RegExp(`earlier moment: transaction ${events[0].tx}, .*\\d\\d:\\d\\d`));
  await page.click('#live-button');
  await page.waitForFunction(() => !location.hash.includes('as_of'));
  assert.equal(await page.getAttribute('#live-button', 'aria-pressed'), 'true');
  // From far down the page as it was begins at its top, which says of when it is.
  await page.waitForSelector(`${section('since')} [data-moment]`);
  await page.locator(`${section('since')} [data-moment]`).scrollIntoViewIfNeeded();
  assert.ok((await page.$eval('#read', (box) => box.scrollTop)) > 0);
  await page.click(`${section('since')} [data-moment]`);
  await untilText(page, '#read .callout', /as of an earlier moment/);
  await page.waitForFunction(() => document.getElementById('read').scrollTop === 0);
});

pageTest('a question and an instruction are marked as such, come behind the sources, and are no suspects', '', async (page) => {
  const timestamp = '2026-02-01T00:00:00Z';
  const made = (id, more) => ({ $type$: 'Response', id, timestamp, agent: 'desk', model: 'm', question: 'May I bring my dog?', ...more });
  const unit = (source, content, weight) => ({ source, content, type: 'User', weight });
  await server.write(
    made('resp_dog_call', { content: 'Look up: dogs.', context_units: [unit('message:user', 'May I bring my dog?', 1)] }),
    made('resp_dog', {
      content: 'Yes.',
      context_units: [
        unit('message:user', 'May I bring my dog?', 0.5),
        unit('message:system', 'Be short.', 0.2),
        unit('file:house.md', 'No dogs in the house.', 0.1),
        { ref: 'Response:resp_dog_call', weight: 0.2 },
      ],
    }),
    { $type$: 'FeedbackRecord', id: 'fb_dog', response_id: 'resp_dog', timestamp, score: -1 },
    { $type$: 'FeedbackRecord', id: 'fb_dog_call', response_id: 'resp_dog_call', timestamp, score: -0.5 },
  );
  await page.goto(`${server.url}/${hashOf('Response:resp_dog')}`);
  await page.waitForSelector(`${section('suspects')} li`);
  const suspects = await page.locator(`${section('suspects')} li`).allInnerTexts();
  assert.equal(suspects.length, 2, `${suspects}`);
  assert.match(suspects[0], /No dogs in the house[\s\S]*share 10\s% of this answer[\s\S]*rated answers that rest on it: 1 of 1 bad, weighed by its share in each \d+\s%, of the others \d+\s%: too few to tell/);
  assert.match(suspects[1], /Look up: dogs\.[\s\S]*score −0\.5 from 1 rating/, 'by what it said, with the mean of its ratings');
  const sources = await page.locator(`${section('sources')} .source`).allInnerTexts();
  assert.deepEqual(sources.map((each) => /(question|instruction)\n/.exec(each)?.[1]), [undefined, undefined, 'question', 'instruction']);
  // The page of the question says how it does among questions.
  await page.click(`${section('sources')} .source:nth-child(3) a`);
  await untilText(page, section('blame'), /Rated answers that rest on it: \d+ of \d+ bad, weighed by its share in each \d+\s%.*\. Its share in all badly rated answers together is/);
  assert.equal(await page.locator('#read .actions .primary').count(), 0, 'none of the ways from a page is marked');
});

pageTest('a response and the answer of its request are one page', hashOf('Response:resp_wiring_1'), async (page) => {
  assert.match(await text(page, '#read h1'), /How often must/);
  assert.match(await text(page), /Response and answer of one request/);
  assert.equal(await page.locator(`${section('answer')} mark`).count(), 3);
  assert.match(await text(page), /handbook-assistant[\s\S]*812 in, 61 out/);
});

pageTest(
  'under the text of an answer are its passages on a narrow page',
  hashOf('Answer:req_wiring_1'),
  async (page) => {
    const [words, note] = await Promise.all(
      ['.text.answer', '.margin'].map((each) =>
        page
          .locator(`${section('answer')} ${each}`)
          .first()
          .boundingBox(),
      ),
    );
    assert.ok(note.y >= words.y + words.height, 'the passage is under the text');
  },
  NARROW,
);

pageTest(
  'a rating is shown before it is written, with the keyboard alone',
  hashOf('Response:resp_20251009_00123'),
  async (page) => {
    await page.focus('#rate-bad');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#rate-form');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'rate-text');
    await page.keyboard.type('Half of it is');
    assert.ok(await page.locator('#rate-preview').isHidden(), 'JSON is for who asks for it');
    await page.click('#rate-form summary');
    assert.match(await text(page, '#rate-preview'), /"score": -1,\s+"feedback_text": "Half of it is"/);
    await page.focus('#rate-text');
    const before = await server.rpc('feedback.list', { ref: 'resp_20251009_00123' });
    assert.equal(before.feedback_count, 0, 'nothing is written yet');

    // Something else is written meanwhile: the page follows, the text and the place stay.
    const place = await page.$eval('#read', (box) => box.scrollTop);
    assert.ok(place > 0);
    await server.write({
      $type$: 'FeedbackRecord',
      id: 'fb_meanwhile',
      response_id: 'resp_20251009_00123',
      timestamp: '2025-10-09T18:00:00Z',
      score: 0.5,
      feedback_text: 'Came meanwhile.',
    });
    await untilText(page, section('ratings'), /Came meanwhile/);
    assert.equal(await page.inputValue('#rate-text'), 'Half of it is');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'rate-text');
    const form = await page.locator('#rate-form').boundingBox();
    assert.ok(form.y < 800 && form.y + form.height > 0, 'the form is still in sight');

    await page.keyboard.type(' wrong.');
    await page.fill('#rate-name', 'reader');
    await page.focus('#rate-write');
    await page.keyboard.press('Enter');
    await untilText(page, section('ratings'), /Half of it is wrong\./);
    await untilText(page, '#rate-message', /written/);
    const after = await server.rpc('feedback.list', { ref: 'resp_20251009_00123' });
    const written = after.records.find(({ user_id: user }) => user === 'reader');
    assert.equal(written.score, -1);
    assert.equal(written.feedback_text, 'Half of it is wrong.');
  },
);

test('a token that may only read is told so before it types', async () => {
  const guarded = await Server.start({ token: 'a-token-of-a-reader', role: 'read' });
  const page = await openPage(browser, `${guarded.url}/${hashOf('Response:resp_20251011_00126')}`);
  try {
    await page.fill('#token-input', 'a-token-of-a-reader');
    await page.click('#token-form button[type=submit]');
    await ready(page);
    await page.click('#rate-good');
    await untilText(page, '#rate-message', /may read only/);
    assert.ok(await page.isDisabled('#rate-good'));
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
    await guarded.stop();
  }
});

test('a token that the page cannot use is told why, and another one is taken', async () => {
  const cases = [
    ['metrics', /reads \/metrics and nothing else\. Try another/],
    ['read methods=node.get,session.hello', /may not call: rpc\.discover, server\.info, node\.find, .*query\. Try another/],
  ];
  for (const [role, words] of cases) {
    const guarded = await Server.start({ token: 'of-little-use', role, more: { 'of-a-reader': 'read' } });
    const page = await openPage(browser, `${guarded.url}/${hashOf('Response:resp_20251011_00126')}`);
    try {
      await page.fill('#token-input', 'of-little-use');
      await page.click('#token-form button[type=submit]');
      await untilText(page, '#token-note', words);
      assert.equal(await page.inputValue('#token-input'), '');
      await page.fill('#token-input', 'of-a-reader');
      await page.click('#token-form button[type=submit]');
      await ready(page);
      assert.ok(await page.isHidden('#token-dialog'));
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      await guarded.stop();
    }
  }
});

pageTest('a document answers who uses a page', hashOf('Document:wiring.pdf'), async (page) => {
  assert.equal(await page.locator('.passage-card').count(), 5);
  assert.match(await page.textContent('label:has(#document-page)'), /4 pages, 1 to 7/);
  await page.fill('#document-page', '5');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.passage-card').length === 2);
  assert.match(await text(page, section('passages')), /Page 5[\s\S]*Used by/);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'document-page');
  await page.click('.passage-card .used-by a');
  await page.waitForFunction(() => /How often must/.test(document.querySelector('#read h1')?.textContent));
  assert.equal(
    await page.evaluate(() => document.activeElement.localName),
    'h1',
    'the new page is read from its heading',
  );
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('.passage-card').length === 2);
});

pageTest('XML folds, and its keywords lead on', hashOf('Topic:garden'), async (page) => {
  const first = page.locator('.bubble').nth(1);
  await first.locator('summary').first().click();
  await first.locator('.xml-tree').waitFor();
  assert.match(await first.innerText(), /<keyword term="sowing" confidence="0.9"\/>/);
  await first.locator('.xml-tree summary').first().click();
  assert.match(await first.innerText(), /2 inside/);
  await first.locator('a.chip').first().click();
  await untilText(page, '#read h1', /^sowing$/);
});

pageTest('versions are compared side by side', hashOf('ContextUnit:cu_tone_2'), async (page) => {
  assert.equal(await text(page, '.sides .side:first-child del'), 'short');
  assert.match(await text(page, '.sides .side:last-child'), /full sentences/);
  await page.selectOption('#versions-a', { label: 'version 2' });
  await untilText(page, '.compared', /the same/);
});

pageTest(
  'a page is as of a moment, and its links stay there',
  hashOf('ContextUnit:cu_values_yaml_002', '&as_of=2'),
  async (page) => {
    assert.doesNotMatch(await text(page, '#read .chips'), /deprecated/);
    assert.match(await text(page), /as of an earlier moment/);
    assert.match(await page.getAttribute('#read section a[data-ref]', 'href'), /as_of=2/);
    assert.ok((await page.isDisabled('#moment-now')) === false);
    await page.click('#read .callout button');
    await untilText(page, '#read .chips', /deprecated/);
    await slide(page, '#moment', 2);
    await untilText(page, '#read', /as of an earlier moment/);
    const { events } = await server.rpc('history.get', { ref: 'cu_values_yaml_002' });
    await page.goto(`${server.url}/${hashOf('ContextUnit:cu_values_yaml_002', `&as_of=${events.at(-1).at}`)}`);
    await untilText(page, '#read .chips', /deprecated/);
    assert.match(await text(page, '#moment-value'), new RegExp(`transaction ${events.at(-1).tx}\\b`));
  },
);

pageTest('a source may be called like a member of every object of JavaScript', '', async (page) => {
  const timestamp = '2025-10-15T10:00:00Z';
  const names = ['constructor', '__proto__', 'toString'];
  const units = names.map((source) => ({ type: 'External', source, content: `Said by ${source}`, weight: 1 / names.length }));
  await server.write(
    { $type$: 'Response', id: 'resp_members', timestamp, agent: 'constructor', model: 'toString', content: 'Members', context_units: units },
    { $type$: 'FeedbackRecord', id: 'fb_members', response_id: 'resp_members', timestamp, score: -1 },
  );
  await page.goto(`${server.url}/${hashOf('Response:resp_members')}`);
  await page.waitForSelector(`${section('suspects')} li:nth-child(3)`);
  assert.equal(await page.locator(`${section('sources')} .source`).count(), 3);
  assert.doesNotMatch(await text(page), /native code|\[object/);
  await page.goto(`${server.url}/#view=answers&sort=constructor&rated=constructor&split=toString&cols=constructor`);
  await page.waitForFunction(() => document.getElementById('answers').dataset.charts === '3');
});

pageTest('calls of tools are shown as calls, what they gave as such, and numbers as they were written', '', async (page) => {
  const said = ['Ban the spammer.', '[{"text":"I look."},{"toolUse":{"toolUseId":"t1","name":"find","input":{"guild":1234567890123456789}}}]', '[{"toolResult":{"toolUseId":"t1","content":[{"text":"{\\"user\\":1234567890123456789,\\"price\\":1.10}"}]}}]'];
  const starts = said.map((_, i) => said.slice(0, i).join('\n').length + (i && 1));
  const places = said.map((each, i) => ({ role: ['user', 'assistant', 'user'][i], start: starts[i], end: starts[i] + each.length }));
  const content = 'I ban [him]. [{"toolCallId":"t2","toolName":"ban","input":"{\\"user\\":1234567890123456789}"}]';
  const unit = { type: 'External', source: 'rules', content: 'No spam.', weight: 1 };
  await server.write({
    $type$: 'Response', id: 'resp_numbers', timestamp: '2025-10-15T10:00:00Z', agent: 'guard', model: 'm', content, prompt: said.join('\n'), prompt_messages: places, context_units: [unit],
    attributes: { order: 1234567890123456789n },
  });
  await page.goto(`${server.url}/${hashOf('Response:resp_numbers')}`);
  await untilText(page, section('answer'), /calls ban/);
  const words = async (name) => (await text(page, section(name))).replace(/\s+/g, ' ');
  assert.match(await words('answer'), /I ban \[him\]\. calls ban \{ "user": 1234567890123456789 \}/);
  assert.match(await words('dialogue'), /assistant I look\. calls find \{ "guild": 1234567890123456789 \} user what find gave \{ "user": 1234567890123456789, "price": 1\.10 \}/);
  await page.click(`${section('record')} summary`);
  await untilText(page, section('record'), /1234567890123456789/);
  assert.doesNotMatch(await text(page), /1234567890123456800/);
});

pageTest('of many calls the first are shown, and beside what a tool gave that it failed', '', async (page) => {
  const line = (i) => JSON.stringify({ type: 'tool_result', tool_use_id: `t${i}`, content: `gave ${i}`, is_error: i === 0 });
  await server.write({ $type$: 'ContextUnit', id: 'cu_many_calls', type: 'External', source: 's', timestamp: '2025-10-15T10:00:00Z', content: Array.from({ length: 3000 }, (_, i) => line(i)).join('\n') });
  await page.goto(`${server.url}/${hashOf('ContextUnit:cu_many_calls')}`);
  await untilText(page, section('text'), /gave 0\s+\{\s+"is_error": true\s+\}[\s\S]*gave 49[\s\S]*50 of 3,000/);
  assert.doesNotMatch(await text(page, section('text')), /gave 50/);
  await page.click(`${section('text')} [data-more]`);
  await untilText(page, section('text'), /gave 149[\s\S]*150 of 3,000/);
});

pageTest('ratings and events beyond the newest thousand come on demand', '', async (page) => {
  const unit = { $type$: 'ContextUnit', id: 'cu_rated_often', type: 'External', source: 's', content: 'Often rated.', timestamp: '2025-10-15T10:00:00Z' };
  await server.write(unit, { $type$: 'Response', id: 'resp_rated_often', timestamp: '2025-10-15T10:00:00Z', agent: 'a', model: 'm', question: `Z${'\u0301\u0302\u0303'.repeat(80)}`, content: 'c', context_units: [{ context_unit_id: 'cu_rated_often', weight: 1 }] });
  const time = (i) => new Date(Date.UTC(2025, 10, 1) + i * 1000).toISOString();
  for (let k = 0; k < 11; k++)
    await server.write(...Array.from({ length: 100 }, (_, i) => ({ $type$: 'FeedbackRecord', id: `fb_often_${k}_${i}`, response_id: 'resp_rated_often', timestamp: time(k * 100 + i), score: 0.5 })));
  await page.goto(`${server.url}/${hashOf('Response:resp_rated_often')}`);
  await page.waitForSelector(section('ratings'));
  assert.equal(await page.$eval('#read h1', (each) => getComputedStyle(each).overflowY), 'clip', 'marks that are heaped stay in their box');
  const lines = () => page.locator(`${section('ratings')} li[data-entry]`).count();
  for (let before = 0; before < 1100; ) {
    const button = page.locator(`${section('ratings')} .more button`);
    if (!(await button.count())) break;
    before = await lines();
    await button.click();
    await page.waitForFunction(([where, count]) => document.querySelectorAll(`${where} li[data-entry]`).length > count, [section('ratings'), before]);
  }
  assert.equal(await lines(), 1100);
  await page.goto(`${server.url}/${hashOf('ContextUnit:cu_rated_often')}`);
  await untilText(page, section('history'), /newest 1,000 events/);
  await page.click(`${section('history')} [data-more=older]`);
  await untilText(page, section('history'), /rated 1,100 times/);
  assert.doesNotMatch(await text(page, section('history')), /newest/);
});

pageTest('hostile texts stay texts, and long ones are bounded', hashOf('Response:resp_hostile'), async (page) => {
  assert.equal(await page.locator('#read img, #read b >> text=bold').count(), 0);
  assert.ok((await text(page)).includes(HOSTILE.slice(0, 30)));
  const long = await text(page, section('answer'));
  assert.ok(long.length < 7000, `${long.length} characters`);
  assert.match(long, /6,000 of 1,000,\d\d\d characters/);
  await page.click(`${section('answer')} [data-more]`);
  await untilText(page, section('answer'), /60,000 of/);
  await noOverflow(page);
});

pageTest(
  'a long document and a long conversation show their first part and more',
  hashOf('Document:long.pdf'),
  async (page) => {
    assert.equal(await page.locator('.passage-card').count(), 20);
    assert.match(await text(page, '.passage-card'), /Passage 0 of/);
    assert.match(await text(page, section('passages')), /20 of 1,200 passages/);
    await page.focus(`${section('passages')} [data-more]`);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('.passage-card').length === 60);
    await page.waitForFunction(() => document.activeElement.dataset.entry === '20');
    await page.fill('#document-page', '200');
    await page.keyboard.press('Enter');
    await untilText(page, '.passage-card', /Passage 796 of/);
    await page.goto(`${server.url}/${hashOf('Topic:long')}`);
    await untilText(page, section('messages'), /20 of 600/);
    assert.match(await text(page, '.bubble >> nth=19'), /Message number 19\./);
  },
);

pageTest('a page is saved as a text that stands alone', hashOf('Answer:req_wiring_1'), async (page) => {
  const markdown = (await savedBy(page, '#read-save')).toString('utf8');
  assert.match(markdown, /^# How often must a residual current device be tested/m);
  assert.match(markdown, /^## Why: its sources/m);
  assert.match(markdown, /secured against being closed by others/);
  assert.match(markdown, /as of transaction \d+/);
  assert.doesNotMatch(markdown, /Is it right\?|Copy link/);
});

pageTest('a page exports records and edges', hashOf('ContextUnit:cu_values_yaml_002'), async (page) => {
  await page.click('#read-export');
  await page.waitForSelector('#export-jsonl');
  assert.equal(await page.locator('#export-png').count(), 0);
  await page.click('#export-jsonl');
  await page.waitForSelector('#export-message a');
});

pageTest('what is purged is said', hashOf('Document:wiring.pdf'), async (page) => {
  await server.write({
    $type$: 'ContextUnit',
    id: 'cu_gone',
    type: 'User',
    source: 'chat',
    timestamp: '2025-11-03T09:00:00Z',
    content: 'A secret number.',
  });
  await server.rpc('records.purge', { refs: ['ContextUnit:cu_gone'] });
  await page.goto(`${server.url}/${hashOf('ContextUnit:cu_gone')}`);
  await untilText(page, '#read', /content was purged/);
  assert.doesNotMatch(await text(page), /secret number/);
  await page.goto(`${server.url}/${hashOf('ContextUnit:cu_nobody')}`);
  await ready(page, 'error');
  assert.match(await text(page, '#notice'), /No node is called ContextUnit:cu_nobody/);
  assert.equal(await text(page), '');
});

pageTest('the panel leads to the page, and the page to the picture', '#ref=Answer:req_wiring_1&details=1', async (page) => {
  await page.waitForSelector('#panel-read');
  assert.match(await text(page, '#panel h2'), /How often must/);
  assert.match(await text(page, '#panel .glance'), /It trips at 30/);
  await page.click('#panel-read');
  await untilText(page, '#read h1', /How often must/);
  assert.ok(new URL(page.url()).hash.startsWith('#view=page&ref=Answer:req_wiring_1'));
  await page.keyboard.press('r');
  await page.waitForFunction(() => Number(document.body.dataset.nodes) > 0);
  await page.waitForSelector('#explore:not([hidden])');
  await page.keyboard.press('r');
  await page.waitForSelector('#read:not([hidden]) h1');
});

pageTest(
  'the small picture shows sources before and effects after',
  hashOf('Response:resp_20251010_00125'),
  async (page) => {
    // Whom it was for and its session stand there, too.
    const refs = await page.$$eval(`${section('around')} a[data-ref^="ContextUnit:"]`, (links) => links.map((link) => link.dataset.ref));
    assert.deepEqual(refs.sort(), [
      'ContextUnit:cu_docs_mcp_003',
      'ContextUnit:cu_values_yaml_002',
      'ContextUnit:cu_values_yaml_005',
    ]);
    const [source, effect] = await Promise.all(
      ['cu_docs_mcp_003', 'cu_values_yaml_005'].map((id) =>
        page.locator(`${section('around')} a[data-ref="ContextUnit:${id}"]`).boundingBox(),
      ),
    );
    assert.ok(source.x + source.width < effect.x);
  },
);

test('uses of a unit are counted in groups where the server counts', async (t) => {
  const { methods } = await server.rpc('rpc.discover');
  if (!methods.some(({ name }) => name === 'node.neighbors')) return t.skip('this server has no node.neighbors');
  const agents = ['a', 'b', 'a', 'c', 'a', 'b', 'a', 'a', 'a', 'a', 'a', 'a'];
  await server.write(
    { $type$: 'ContextUnit', id: 'cu_often', type: 'System', source: 'prompt', timestamp: '2025-01-01T00:00:00Z' },
    ...agents.map((agent, i) => ({
      $type$: 'Response',
      id: `resp_often_${i}`,
      timestamp: `2025-0${1 + (i % 2)}-03T00:00:00Z`,
      agent,
      model: 'm',
      context_units: [{ context_unit_id: 'cu_often', weight: 1 }],
    })),
  );
  const page = await openPage(browser, `${server.url}/${hashOf('ContextUnit:cu_often')}`);
  try {
    await ready(page);
    await page.selectOption('#uses-by', 'agent');
    await untilText(page, `${section('uses')} .groups li`, /a\s+9/);
    await page.click('.groups li:nth-child(2) summary');
    await page.waitForFunction(() => document.querySelectorAll('.groups .node-line').length === 2);
    await page.selectOption('#uses-by', 'month');
    await untilText(page, `${section('uses')} .groups`, /2025-01\s+6/);
    await page.selectOption('#uses-by', 'score');
    await untilText(page, `${section('uses')} .groups`, /not rated\s+12/);
    await accessible(page, section('uses'));
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
  }
});

test('citations are found in a text as the server finds them', () => {
  const chunks = [
    { document_name: 'guide.pdf', page_number: 5, section: 'Tools', chunk_id: 'g5' },
    { document_name: 'guide.pdf', page_number: 6, chunk_id: 'g6' },
    { document_name: 'plan, 2nd [draft].md', section: '1, Beds [main]', chunk_id: 'r1' },
    { document_name: 'notes', chunk_id: 'b1' },
  ];
  const similarity = new Map([
    ['g5', 0.9],
    ['g6', 0.7],
    ['r1', 0.8],
    ['b1', 0.8],
  ]);
  const cited = (words) =>
    piecesOf(words, chunks, similarity)
      .filter(({ citation }) => citation !== undefined)
      .map(({ citation }) => chunks[citation].chunk_id);
  for (const [words, ids] of [
    ['[guide.pdf, page 5] [guide.pdf, section Tools] [guide.pdf]', ['g5', 'g5', 'g5']],
    ['[guide.pdf, page 6], then [guide.pdf, page 5]', ['g6', 'g5']],
    ['[plan, 2nd [draft].md] [plan, 2nd [draft].md, section 1, Beds [main]]', ['r1', 'r1']],
    ['[notes][guide.pdf, page 6]', ['b1', 'g6']],
    ['\\[plain text] [guide.pdf, page 7] [notes, page 5] [Notes] [sic] [1]', []],
  ])
    assert.deepEqual(cited(words), ids, words);
  assert.deepEqual(piecesOf('so [1] it', [], new Map(), true), [
    { text: 'so ' },
    { text: '[1]', citation: -1 },
    { text: ' it' },
  ]);
  const pieces = piecesOf('a [notes]\n\nb', chunks, similarity);
  assert.equal(pieces.map((piece) => piece.text).join(''), 'a [notes]\n\nb');
  assert.deepEqual(
    paragraphsOf(pieces).map((paragraph) => paragraph.map((piece) => piece.text)),
    [['a ', '[notes]'], ['b']],
  );
});

test('words that two texts share are found in runs', () => {
  const own = 'We know that the main switch is opened first, and then the rest.';
  assert.deepEqual(
    sharedRuns(own, 'First, The main switch IS opened. The rest is silence.').map(([from, to]) => own.slice(from, to)),
    ['the main switch is opened'],
  );
  assert.deepEqual(sharedRuns('one two three', 'one two three'), []);
});

pageTest(
  'two answers side by side, from the page of one and from Compare: what they say, what only one rests on, what both do',
  hashOf('resp_20251010_00124'),
  async (page) => {
    await page.waitForSelector('#read h1');
    await page.click('#read-compare');
    await page.fill('#compare-ref', 'resp_20251011_00126');
    await page.click('#compare-read');
    await page.waitForSelector(section('common'));
    assert.match(await page.evaluate(() => location.hash), /view=page.*with=Response:resp_20251011_00126/);
    const found = await server.rpc('lineage.diff', { a: 'resp_20251010_00124', b: 'resp_20251011_00126' });
    const refs = (name) =>
      page.$$eval(`${section(name)} li .node-text > a`, (all) => all.map((each) => each.dataset.ref));
    for (const name of ['added', 'removed', 'common']) {
      const want = found[name].map(({ ref }) => ref).sort();
      assert.deepEqual(want.length ? (await refs(name)).sort() : [], want, name);
    }
    await page.reload();
    await page.waitForSelector(section('common'));
    await accessible(page);
  },
);

pageTest('answers that call tools are compared as calls with their arguments', '', async (page) => {
  const call = (order) => JSON.stringify({ type: 'tool_call', id: `call_${order}`, name: 'find_order', arguments: { order } });
  const response = (id, content) => ({
    $type$: 'Response',
    id,
    timestamp: '2026-01-02T00:00:00Z',
    agent: 'a',
    model: 'm',
    content,
    context_units: [{ context_unit_id: 'cu_called', weight: 1 }],
  });
  const unit = { $type$: 'ContextUnit', id: 'cu_called', type: 'External', source: 's', version: 1, timestamp: '2026-01-01T00:00:00Z' };
  await server.write(unit, response('resp_called_1', call(4711)), response('resp_called_2', call(4712)), response('resp_said', 'It has arrived.'));
  for (const [second, words] of [
    ['resp_called_2', /The first\s*calls find_order[^]*4711[^]*The second\s*calls find_order[^]*4712/],
    ['resp_said', /The second\s*It has arrived\./],
  ]) {
    await page.goto(`${server.url}/${hashOf('resp_called_1', `&with=${second}`)}`);
    await untilText(page, section('texts'), words);
    assert.doesNotMatch(await text(page, section('texts')), /tool_call/);
  }
});

pageTest('what two answers say is compared by words, and versions of their sources', '', async (page) => {
  const unit = (id, version, content, more = {}) => ({
    $type$: 'ContextUnit',
    id,
    type: 'External',
    source: 'file:rooms',
    timestamp: '2026-01-01T00:00:00Z',
    version,
    content,
    ...more,
  });
  const response = (id, used, content) => ({
    $type$: 'Response',
    id,
    timestamp: '2026-01-02T00:00:00Z',
    agent: 'a',
    model: 'm',
    content,
    context_units: [{ context_unit_id: used, weight: 1 }],
  });
  await server.write(unit('cu_rooms_1', 1, 'Room 12 is the canteen.'), response('resp_rooms_1', 'cu_rooms_1', 'Go to room 12.'));
  await server.write(
    unit('cu_rooms_2', 2, 'Room 14 is the canteen.', { previous_version_id: 'cu_rooms_1' }),
    response('resp_rooms_2', 'cu_rooms_2', 'Go to room 14.'),
  );
  await page.goto(`${server.url}/${hashOf('resp_rooms_1', '&with=resp_rooms_2')}`);
  await page.waitForSelector(`${section('texts')} ins`);
  assert.equal(await page.textContent(`${section('texts')} del`), '12');
  assert.equal(await page.textContent(`${section('texts')} ins`), '14');
  assert.match(await text(page, section('versions')), /Room 1214 is the canteen/);
  // What changed since is on the answer's page, and what it would lose on the source's.
  await page.goto(`${server.url}/${hashOf('resp_rooms_1')}`);
  await untilText(page, section('since'), /has 1 newer version/);
  await page.goto(`${server.url}/${hashOf('cu_rooms_1')}`);
  await untilText(page, section('without'), /\d answers? would have no source left\./);
  assert.doesNotMatch(await text(page, section('without')), /\b0 /, 'what no answer loses is left out');
  await page.goto(`${server.url}/`);
  await page.waitForSelector('.eyes .entry[data-ref="ContextUnit:cu_rooms_1"]');
});
