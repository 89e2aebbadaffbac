// The picture that the Python client puts into notebooks and files: drawn by the page's own script, asking nobody.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { accessible, look, openPage, ready } from './browser.mjs';
import { browser, server } from './site.mjs';

const CLIENT = fileURLToPath(new URL('../../tools/python', import.meta.url));
const SUMMARY = 'Summary:family-planning-2025-v1';
const folder = mkdtempSync(join(tmpdir(), 'whence-embedded-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function python(script, ...args) {
  const env = { ...process.env, PYTHONPATH: CLIENT };
  return execFileSync('/usr/bin/python3', ['-c', script, ...args], { encoding: 'utf8', env, maxBuffer: 1 << 26 });
}

const hasClient = (() => {
  try {
    python('import whence');
    return true;
  } catch {
    return false;
  }
})();

/** Without the ratings, which the page asks for afterwards. */
const cardsOf = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('#picture .card')]
      .map((each) => `${each.dataset.id}: ${each.textContent.replace(/[▲▼] [+−][\d.]+/, '')}`)
      .sort(),
  );

const linesOf = (page) =>
  page.evaluate(() => [...document.querySelectorAll('#picture .edge')].map((each) => each.dataset.id).sort());

async function drawn(name, html, run) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  const page = await openPage(browser, pathToFileURL(file).href);
  try {
    await run(page);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
  }
}

test('a document has the cards and lines that the page has, and asks nobody', { skip: !hasClient }, async () => {
  const html = python(
    'import sys, whence\nwith whence.connect(sys.argv[1]) as db: print(db.lineage.graph(sys.argv[2], up=20, down=0, relations=True).to_html())',
    server.url,
    SUMMARY,
  );
  const page = await openPage(browser, `${server.url}/#ref=${SUMMARY}&up=20&down=0`);
  await ready(page);
  await page.waitForSelector('#picture .card');
  const [cards, lines] = [await cardsOf(page), await linesOf(page)];
  await page.context().close();
  await drawn('document', html, async (own) => {
    await own.waitForFunction((count) => document.querySelectorAll('#picture .card').length === count, cards.length);
    assert.deepEqual([await cardsOf(own), await linesOf(own)], [cards, lines]);
    await look(own, 'embedded');
    await accessible(own);
    await own.click('#picture .card[data-id="ContextUnit:cu_family_006"]');
    await own.waitForFunction(() => document.getElementById('said').textContent.includes('Two children, 4 and 7 years old'));
    await look(own, 'embedded-selected');
  });
});

test('a notebook shows it in a frame that reaches nothing; texts of records are texts', { skip: !hasClient }, async () => {
  const script = `
import sys, whence
with whence.connect(sys.argv[1]) as db:
    text = "</script><script>parent.document.title='reached'</script><img src=x onerror=alert(1)>"
    with db.response("hostile", "m", content=text) as r:
        r.used({"type": "User", "source": text, "content": text}, 1)
    found = db.why(r.id)
    found.all()
    print("<!doctype html><title>untouched</title>" + found._repr_html_())`;
  await drawn('notebook', python(script, server.url), async (page) => {
    const frame = page.frameLocator('iframe');
    await frame.locator('#picture .card').nth(1).waitFor();
    await frame.locator('#picture .card').first().click();
    await frame.locator('#said pre').waitFor();
    assert.equal(await page.title(), 'untouched');
    assert.equal(await frame.locator('img').count(), 0);
    assert.match(await page.textContent('table'), /<\/script>/);
  });
});
