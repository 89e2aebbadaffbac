// Claim: no text is lower than 11 pixels on the screen, and none runs out of its page, in any view, at the sizes that people have.
// Method: each text that is seen is measured by its font size and, in a picture, by how large the picture is drawn; pages to read are
// as wide as what is in them, also with words that have no place to break.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { look, openPage, ready } from './browser.mjs';
import { writeHot } from './stories/picture_records.mjs';
import { browser, pageTest, server } from './site.mjs';

const RESPONSE = 'Response:resp_20251011_00126';
const STALE = 'ContextUnit:cu_values_yaml_002';
const LEAST = 11;

const ALL_COLUMNS = 'said,agent,model,rating,time,latency,tokens,cost,flags,person,conversation,id';
const ENDLESS = 'Response:resp_endless';
const WEIGHTS = [0.1, 0.4, 0.2, 0.3];

before(async () => {
  await writeHot(server, 40);
  const at = '2025-10-15T10:00:00Z';
  await server.write(
    { $type$: 'Response', id: 'resp_disputed', timestamp: at, agent: 'a', model: 'm', content: 'Disputed', context_units: WEIGHTS.map((weight) => ({ type: 'User', source: 'chat', content: `Source of ${weight}`, weight })) },
    ...Array.from({ length: 20 }, (_, i) => ({ $type$: 'ContextUnit', id: `cu_made_${i}`, type: 'User', source: 'chat', timestamp: at, content: `Made ${i}`, updated_by_response_id: 'resp_disputed' })),
    ...Array.from({ length: 30 }, (_, i) => ({ $type$: 'FeedbackRecord', id: `fb_disputed_${i}`, response_id: 'resp_disputed', timestamp: at, score: 0.5 })),
  );
  const word = 'w'.repeat(180);
  const timestamp = '2025-10-17T10:00:00Z';
  await server.write(
    {
      $type$: 'Response',
      id: 'resp_endless',
      timestamp,
      agent: word.slice(0, 90),
      model: word.slice(0, 90),
      content: word,
      latency_ms: 2100,
      cost: 0.0125,
      usage: { input_tokens: 12000, output_tokens: 1500 },
      person: `${word.slice(0, 40)}@example.org`,
      conversation: `conversation-of-${word.slice(0, 60)}`,
      context_units: [{ type: 'External', source: `file:${word}`, content: `${word} again`, weight: 1 }],
    },
    { $type$: 'ContextUnit', id: 'cu_turned', type: 'User', source: 'chat', timestamp, content: '\u202Egnp.exe\u202Egnp.exe' },
    { $type$: 'FeedbackRecord', id: 'fb_endless', response_id: 'resp_endless', timestamp, score: -1, feedback_text: word },
  );
});

/** Pages that are wider than the screen shows, and lines of entries and buttons that end before what is in them does. */
const cut = (page) =>
  page.evaluate(() => [
    ...['start', 'read', 'found']
      .map((id) => document.getElementById(id))
      .filter((box) => !box.hidden && box.scrollWidth > box.clientWidth)
      .map((box) => `${box.id}: ${box.scrollWidth} px in ${box.clientWidth}`),
    ...[...document.querySelectorAll('#start:not([hidden]) .entry .sub, #found:not([hidden]) .result .sub, #tools:not([hidden]) .buttons')]
      .filter((line) => line.scrollWidth > line.clientWidth)
      .map((line) => `cut: ${line.textContent}`),
    ...[...document.querySelectorAll('#answers:not([hidden]) .chart text')]
      .filter((text) => text.getBoundingClientRect().left < text.closest('svg').getBoundingClientRect().left)
      .map((text) => `outside its chart: ${text.textContent}`),
    ...[...document.querySelectorAll('#picture .card text')]
      .filter((text) => text.getBoundingClientRect().right > 1 + text.closest('.card').querySelector('rect').getBoundingClientRect().right)
      .map((text) => `outside its card: ${text.textContent}`),
    ...[...document.querySelectorAll('.around-picture .card')]
      .flatMap((card) => [...card.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().right > card.querySelector('.box').getBoundingClientRect().right))
      .map((text) => `outside its small card: ${text.textContent}`),
    ...[...document.querySelectorAll('#answers:not([hidden]) .scroll')]
      .filter((box) => box.scrollWidth > box.clientWidth)
      .map((box) => `answers: ${box.scrollWidth} px in ${box.clientWidth}`),
    ...[...document.querySelectorAll('#answers:not([hidden]) td')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => `cut: ${cell.className} ${cell.textContent}`),
  ]);

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
  ['all columns', `#view=answers&cols=${ALL_COLUMNS}`, () => [...document.querySelectorAll('#answers-table td.c-conversation')].some((cell) => cell.textContent)],
  ['cypher', '#view=cypher', () => document.getElementById('cypher-run')],
  ['methods', '#view=console'],
  ['search', '#view=search&q=Helm'],
  ['a page', `#view=page&ref=${RESPONSE}`],
  ['words without end', `#view=page&ref=${ENDLESS}`],
  ['the page of a unit', `#view=page&ref=${STALE}`],
  ['a picture', `#ref=${RESPONSE}&up=3&down=2`],
  ['a picture with details', `#ref=${RESPONSE}&up=3&down=2&details=1`],
  ['a unit of many uses', '#ref=ContextUnit:cu_hot'],
  ['many cards', '#ref=ContextUnit:cu_hot&all=300'],
  ['a picture of words without end', `#ref=${ENDLESS}`],
  ['a picture of turned words', '#ref=ContextUnit:cu_turned'],
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
        assert.deepEqual(await cut(page), []);
      });
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

/** How a colour differs from another in brightness, as WCAG 2 has it. */
const contrastOf = (button) => {
  const { color, backgroundColor } = getComputedStyle(button);
  const brightness = (text) => {
    const parts = text.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, light] = [brightness(color), brightness(backgroundColor)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

/** Every place with a primary button: how it comes there, and the button. */
const PRIMARY = [
  ['help', '', (page) => page.keyboard.press('?'), '#help-dialog .primary'],
  ['about', '', (page) => page.keyboard.press('a'), '#about-dialog .primary'],
  ['details', `#ref=${RESPONSE}&details=1`, null, '#panel-read'],
  ['compare', `#ref=${RESPONSE}`, (page) => page.click('#compare-button'), '#compare-moment'],
  ['rating', `#view=page&ref=${RESPONSE}`, (page) => page.click('#rate-good'), '#rate-write'],
  ['erasing', '#view=page&ref=Person:dana', (page) => page.click('#personal-erase'), '#personal-do'],
  ['holding', '#view=page&ref=Person:dana', (page) => page.click('#personal-hold'), '#personal-do'],
  ['a later record', `#view=page&ref=${RESPONSE}&as_of=1`, null, '#read-later .primary'],
  ['cypher', '#view=cypher', null, '#cypher-run'],
  ['methods', '#view=console', null, '#console-send'],
];

for (const colorScheme of ['light', 'dark'])
  test(`a primary button can be read, also under the mouse: ${colorScheme}`, async (t) => {
    const page = await openPage(browser, server.url, { colorScheme });
    for (const [name, hash, act, selector] of PRIMARY)
      await t.test(name, async () => {
        await page.goto(`${server.url}/${hash}`);
        await page.reload();
        await ready(page);
        await act?.(page);
        const button = page.locator(selector);
        await button.waitFor();
        // A button that waits for something is pale; this is about those that can be pressed.
        await page.waitForFunction((at) => !document.querySelector(at).disabled, selector);
        const before = await button.evaluate(contrastOf);
        await button.hover();
        const after = await button.evaluate(contrastOf);
        assert.ok(before >= 4.5 && after >= 4.5, `${before.toFixed(2)}, under the mouse ${after.toFixed(2)}`);
      });
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

pageTest(
  'on a telephone the small map hides little of the picture, and a button of a message has its words in a line',
  `#ref=${RESPONSE}&up=3&down=2`,
  async (page) => {
    const { map, stage } = await page.evaluate(() => {
      const areaOf = (selector) => (({ width, height }) => width * height)(document.querySelector(selector).getBoundingClientRect());
      return { map: areaOf('.minimap'), stage: areaOf('#stage') };
    });
    assert.ok(map > 0 && map < stage / 20, `${map} of ${stage} square pixels`);
    await page.goto(`${server.url}/#view=page&ref=Response:resp_nowhere`);
    const button = await page.waitForSelector('#notice button');
    assert.ok((await button.boundingBox()).height < 45);
  },
  { viewport: { width: 390, height: 844 } },
);

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

for (const [width, height] of [[1280, 800], [390, 844]])
  pageTest(`a picture of all nodes begins with texts, and a small map shows the rest: ${width}`, '#ref=ContextUnit:cu_hot&up=1&down=1&all=300', async (page) => {
    assert.equal(await page.locator('#picture .card').count(), 41);
    const { texts, isRoot, isMap } = await page.evaluate(() => {
      const box = document.getElementById('picture').getBoundingClientRect();
      const isIn = (each) => (({ left, right, top, bottom }) => left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom)(each.getBoundingClientRect());
      return {
        texts: [...document.querySelectorAll('#picture .card text.line')].filter((each) => isIn(each) && each.checkVisibility()).map((each) => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a),
        isRoot: isIn(document.querySelector('#picture .card.root')),
        isMap: !document.querySelector('#picture .minimap').classList.contains('off'),
      };
    });
    assert.ok(texts.length > 3 && Math.min(...texts) >= LEAST, `${texts}`);
    assert.ok(isRoot, 'around the node that is asked about');
    assert.ok(isMap);
  }, { viewport: { width, height } });

pageTest('a step of several columns is one block with its number', '#ref=ContextUnit:cu_hot&up=0&down=1&all=300', async (page) => {
  const words = await page.$$eval('#picture text.step', (all) => all.map((each) => each.textContent));
  assert.deepEqual(words, ['40 in one step']);
});

pageTest('ratings are below what has influence where a step has several columns', '#ref=Response:resp_disputed&up=1&down=1&all=300', async (page) => {
  const tops = (type) => page.$$eval(`#picture .card[data-id^="${type}"]`, (cards) => cards.map((card) => card.getBoundingClientRect().top));
  const [made, ratings] = [await tops('ContextUnit:cu_made'), await tops('FeedbackRecord')];
  assert.deepEqual([made.length, ratings.length], [20, 30]);
  assert.ok(Math.max(...made) <= Math.min(...ratings), `${made} above ${ratings}`);
  const sources = await page.$$eval('#picture .card', (cards) =>
    cards
      .map((card) => ({ words: /Source of 0\.\d/.exec(card.textContent.replace(/\s+/g, ' '))?.[0], box: card.getBoundingClientRect() }))
      .filter(({ words }) => words)
      .sort((p, q) => p.box.top + p.box.left - q.box.top - q.box.left)
      .map(({ words }) => words),
  );
  assert.deepEqual(sources, ['Source of 0.4', 'Source of 0.3', 'Source of 0.2', 'Source of 0.1'], 'the strongest first, whatever the ratings');
}, { viewport: { width: 1000, height: 700 } });

pageTest('in a step of one column, too, what has influence comes first', `#ref=${RESPONSE}`, async (page) => {
  let compared = 0;
  for (const { ref } of (await server.rpc('node.find', { type: 'Response' })).nodes.slice(0, 12)) {
    await page.goto(`${server.url}/#ref=${ref}&up=2&down=2`);
    await page.reload();
    await ready(page);
    const steps = await page.evaluate(() => {
      const edges = [...document.querySelectorAll('#picture .edge')].map((each) => ({ ends: each.dataset.ends.split('\n'), isRelation: each.classList.contains('relation') }));
      const endsOf = (wanted) => new Set(edges.filter(({ isRelation }) => isRelation === wanted).flatMap(({ ends }) => ends));
      const [influenced, related] = [endsOf(false), endsOf(true)];
      const cards = [...document.querySelectorAll('#picture .card')].map((card) => {
        const { left, top } = card.getBoundingClientRect();
        const id = card.dataset.id;
        return { id, left: Math.round(left), top: Math.round(top), isRelated: related.has(id) && !influenced.has(id) };
      });
      // Cards of a picture from left to right are wider.
      const isAcross = document.querySelector('#picture .card .box').getAttribute('width') === '214';
      const [along, across] = isAcross ? ['left', 'top'] : ['top', 'left'];
      return [...cards.reduce((all, card) => all.set(card[along], [...(all.get(card[along]) ?? []), card]), new Map()).values()].map((step) => step.sort((p, q) => p[across] - q[across]));
    });
    for (const step of steps) {
      const signs = step.map(({ isRelated }) => (isRelated ? 'r' : 'i')).join('');
      assert.match(signs, /^i*r*$/, `${ref}: ${step.map(({ id }) => id).join(', ')}`);
      compared += /ir/.test(signs);
    }
  }
  assert.ok(compared > 3, `${compared} steps of both`);
}, { viewport: { width: 1440, height: 900 } });

pageTest('the small map does not cover what the picture is of', `#ref=${ENDLESS}`, async (page) => {
  const refs = ['resp_20251011_00126', 'resp_20251010_00124', 'resp_20251012_00127', 'resp_20251014_00128'].map((id) => `Response:${id}`);
  const seen = new Set();
  for (const ref of refs)
    for (const other of refs.filter((each) => each !== ref)) {
      await page.goto(`${server.url}/#ref=${ref}&with=${other}`);
      await page.reload();
      await ready(page);
      const found = await page.evaluate(() => {
        const [card, map] = ['#picture .card.root', '.minimap'].map((each) => document.querySelector(each).getBoundingClientRect());
        const isAside = /at-/.test(document.querySelector('.minimap').getAttribute('class'));
        return { isAside, isCovered: map.width > 0 && map.left < card.right && card.left < map.right && map.top < card.bottom && card.top < map.bottom };
      });
      assert.ok(!found.isCovered, `${ref} and ${other}`);
      const kinds = await page.$$eval('#picture .card text.kind', (all) => all.map((each) => each.textContent));
      assert.ok(!kinds.some((text) => text.includes('…')), `${kinds}`);
      seen.add(found.isAside);
    }
  assert.ok(seen.has(true), 'once it would');
}, { viewport: { width: 390, height: 844 } });

pageTest('on a telephone a value stands beside its name', '#view=answers', async (page) => {
  await page.waitForSelector('#answers-table tr[data-ref="Response:resp_20251012_00127"] .c-person');
  for (const name of ['person', 'conversation', 'cost'])
    assert.ok((await page.locator(`#answers-table tr[data-ref="Response:resp_20251012_00127"] .c-${name}`).boundingBox()).height < 30, name);
}, { viewport: { width: 390, height: 844 } });

pageTest('names in the table of answers take three lines at most, and a long latency has two digits', '#view=answers&from=2025-10-17T00:00:00Z', async (page) => {
  await server.write({ $type$: 'Response', id: 'resp_measured', timestamp: '2025-10-18T10:00:00Z', agent: 'a', model: 'm', content: 'Measured.', latency_ms: 1273, context_units: [{ context_unit_id: 'cu_hot', weight: 1 }] });
  await page.waitForSelector('#answers-table tr[data-ref="Response:resp_measured"]');
  assert.equal(await page.textContent('#answers-table tr[data-ref="Response:resp_measured"] td.c-latency'), '1.27 s');
  const heights = await page.$$eval(`#answers-table tr[data-ref="Response:resp_endless"] :is(.c-agent, .c-model, .c-person, .c-conversation) bdi`, (all) => all.map((each) => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)));
  assert.equal(heights.length, 4);
  for (const lines of heights) assert.ok(lines < 3.1, `${heights}`);
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
  assert.equal(lines.filter(([isRelation]) => isRelation).length, edges.filter(({ type, from, to }) => ['EVALUATES', 'OF_PERSON', 'OF_SESSION'].includes(type) && [from, to].includes(RESPONSE)).length);
  for (const [isRelation, heads] of lines) assert.equal(heads, isRelation ? 0 : 1);
});
