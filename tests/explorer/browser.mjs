// Debian's Chromium with pages that remember what must not happen: console errors, page errors, requests elsewhere.
import { mkdtempSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const pictures = process.env.WHENCE_SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'whence-screenshots-'));
mkdirSync(pictures, { recursive: true });

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--headless=new', '--disable-gpu'],
  });

/** A page in a context of its own; `page.faults` lists what went wrong on it. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  page.faults = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && page.faults.push(`console: ${message.text()}`),
  );
  page.on('pageerror', (error) => page.faults.push(`page error: ${error.message}`));
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

export const ready = (page, state = 'ready') =>
  page.waitForSelector(`body[data-state="${state}"]`, { timeout: 15_000 });

export const shownNodes = (page) => page.evaluate(() => Number(document.body.dataset.nodes));

/** Waits until the page shows this many nodes. */
export const untilNodes = (page, count) =>
  page.waitForFunction(
    (wanted) => document.body.dataset.state === 'ready' && document.body.dataset.nodes === String(wanted),
    count,
    { timeout: 15_000 },
  );

export const look = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });

/** Where an element of the picture is on the page; cytoscape keeps itself at its container. */
export const placeOf = (page, id) =>
  page.evaluate((wanted) => {
    const box = document.getElementById('picture');
    const element = box._cyreg.cy.getElementById(wanted);
    const { x, y } = element.renderedPosition();
    const { left, top } = box.getBoundingClientRect();
    return { x: x + left, y: y + top, classes: element.classes() };
  }, id);

/** Clicks an element of the picture once it has come to rest. */
export async function clickInPicture(page, id) {
  await page.waitForFunction((wanted) => {
    const element = document.getElementById('picture')._cyreg.cy.getElementById(wanted);
    return element.nonempty() && !element.animated();
  }, id);
  const { x, y } = await placeOf(page, id);
  await page.mouse.click(x, y);
}

export const refsInTable = (page) =>
  page.$$eval('#table tbody tr', (rows) => rows.map((row) => row.cells[0].textContent));

/**
 * From the next load on, the answers of `method` reach the page as `change` leaves them; `page.asked` counts the
 * questions.
 * @param {(result: object) => void} change
 */
export async function changeAnswers(page, method, change) {
  page.asked = 0;
  await page.routeWebSocket(/\/ws$/, (ofPage) => {
    const ofServer = ofPage.connectToServer();
    const ids = new Set();
    ofPage.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.method === method) {
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
