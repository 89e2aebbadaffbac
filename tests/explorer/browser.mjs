// Debian's Chromium or Firefox, as WHENCE_BROWSER says, with pages that remember what must not happen: console errors,
// page errors, requests elsewhere.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, firefox } from 'playwright-core';

/** How long is waited for what should be there at once, on a machine that does other things too. */
export const PATIENCE_MS = 60_000;

export const browserName = process.env.WHENCE_BROWSER ?? 'chromium';
const isFirefox = browserName === 'firefox';
if (!isFirefox && browserName !== 'chromium') throw new Error('WHENCE_BROWSER is chromium or firefox');

export const pictures = process.env.WHENCE_SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'whence-screenshots-'));
mkdirSync(pictures, { recursive: true });

/** Where Firefox puts what it saves: WebDriver BiDi has no event of it that playwright passes on. */
const saved = isFirefox ? mkdtempSync(join(tmpdir(), 'whence-saved-')) : '';
process.on('exit', () => saved && rmSync(saved, { recursive: true, force: true }));

/** The system's own Firefox is driven by WebDriver BiDi, which has no word for a preferred colour scheme. */
const launchFirefox = (isDark) =>
  firefox.launch({
    channel: 'moz-firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    downloadsPath: saved,
    firefoxUserPrefs: { 'layout.css.prefers-color-scheme.content-override': isDark ? 0 : 1 },
  });

export async function launch() {
  if (isFirefox) return launchFirefox(false);
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--headless=new', '--disable-gpu'],
  });
}

/** A context of its own; where the browser cannot be told that the reader prefers dark, one of a second browser. */
async function contextOf(browser, options) {
  if (!isFirefox || options.colorScheme !== 'dark') return browser.newContext(options);
  const dark = await launchFirefox(true);
  const context = await dark.newContext(options);
  context.on('close', () => dark.close());
  return context;
}

/** The style that playwright adds for a moment to take a screenshot, as Firefox names it when the policy refuses it. */
const OF_SCREENSHOT = `sha256-${createHash('sha256').update('body {}').digest('base64')}`;

/** A page in a context of its own; `page.faults` lists what went wrong on it. */
export async function openPage(browser, url, options = {}) {
  const context = await contextOf(browser, {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    acceptDownloads: true,
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.faults = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && page.faults.push(`console: ${message.text()}`),
  );
  page.on('pageerror', (error) => {
    if (!error.message.includes(OF_SCREENSHOT)) page.faults.push(`page error: ${error.message}`);
  });
  const origins = [new URL(url).origin, new URL(url).origin.replace('http', 'ws')];
  const check = (address) => {
    const { origin, protocol } = new URL(address);
    if (protocol !== 'blob:' && !origins.includes(origin) && !origins.some((each) => address.startsWith(each)))
      page.faults.push(`request to ${address}`);
  };
  page.on('request', (request) => check(request.url()));
  page.on('websocket', (socket) => check(socket.url()));
  await page.goto(url);
  return page;
}

/** The bytes that a click saves. */
export async function savedBy(page, selector) {
  if (!isFirefox) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
    return readFileSync(await file.path());
  }
  const before = new Set(readdirSync(saved));
  await page.click(selector);
  for (let left = PATIENCE_MS / 100; left > 0; left--) {
    const name = readdirSync(saved).find((each) => !before.has(each) && !each.endsWith('.part'));
    const path = name && join(saved, name);
    // Firefox makes the file empty at once and moves the finished one over it.
    if (path && !existsSync(`${path}.part`) && readFileSync(path).length > 0) return readFileSync(path);
    await page.waitForTimeout(100);
  }
  throw new Error(`nothing was saved by ${selector}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Fails where axe-core finds something serious on the page as it is now; what is less is printed.
 * @param {string} within a selector, to look at a part only
 */
export async function accessible(page, within = 'html') {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async (selector) => {
    const { violations: found } = await window.axe.run(selector, { resultTypes: ['violations'] });
    return found.map(({ id, impact, help, nodes }) => ({
      id,
      impact,
      help,
      places: nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
  }, within);
  const [bad, rest] = [true, false].map((wanted) =>
    violations.filter(({ impact }) => ['serious', 'critical'].includes(impact) === wanted),
  );
  for (const { id, impact, places } of rest) console.log(`axe, ${impact}: ${id} at ${places[0]?.split('\n')[0]}`);
  assert.deepEqual(bad, [], 'axe-core finds nothing serious');
}

export const ready = (page, state = 'ready') =>
  page.waitForSelector(`body[data-state="${state}"]`);

export const shownNodes = (page) => page.evaluate(() => Number(document.body.dataset.nodes));

/** Waits until the page shows this many nodes. */
export const untilNodes = (page, count) =>
  page.waitForFunction(
    (wanted) => document.body.dataset.state === 'ready' && document.body.dataset.nodes === String(wanted),
    count,
  );

export const look = (page, name) => page.screenshot({ path: join(pictures, `${name}-${browserName}.png`) });

/** Where an element of the picture is on the page: a card, a line, or the count `stub causes REF` on a card. */
export const placeOf = (page, id) =>
  page.evaluate((wanted) => {
    const element = [...document.querySelectorAll('#picture [data-id]')].find((each) => each.dataset.id === wanted);
    if (!element) return null;
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2, classes: [...element.classList] };
  }, id);

/** Waits until an element of the picture has a class. */
export const untilMarked = (page, id, mark) =>
  page.waitForFunction(
    ([wanted, name]) =>
      [...document.querySelectorAll('#picture [data-id]')].some(
        (each) => each.dataset.id === wanted && each.classList.contains(name),
      ),
    [id, mark],
  );

/** Clicks an element of the picture. */
export async function clickInPicture(page, id) {
  await page.waitForFunction(
    (wanted) => [...document.querySelectorAll('#picture [data-id]')].some((each) => each.dataset.id === wanted),
    id,
  );
  const { x, y } = await placeOf(page, id);
  await page.mouse.click(x, y);
}

export const refsInTable = (page) =>
  page.$$eval('#table tbody tr', (rows) => rows.map((row) => row.cells[0].textContent));

/**
 * From the next load on, the answers of `method`, one or several, reach the page as `change` leaves them; `page.asked` counts
 * the questions.
 * @param {(result: object) => void} change
 */
export async function changeAnswers(page, method, change) {
  const methods = [method].flat();
  page.asked = 0;
  await page.routeWebSocket(/\/ws$/, (ofPage) => {
    const ofServer = ofPage.connectToServer();
    const ids = new Set();
    ofPage.onMessage((text) => {
      const message = JSON.parse(text);
      if (methods.includes(message.method)) {
        page.asked += 1;
        ids.add(message.id);
      }
      ofServer.send(text);
    });
    ofServer.onMessage((text) => {
      const message = JSON.parse(text);
      if (ids.delete(message.id) && message.result) change(message.result);
      ofPage.send(JSON.stringify(message));
    });
  });
}

/** Moves a slider as a reader does, by its value and the event. */
export const slide = (page, selector, value) =>
  page.$eval(
    selector,
    (slider, to) => {
      slider.value = String(to);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    },
    value,
  );
