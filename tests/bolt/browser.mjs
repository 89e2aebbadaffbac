// A page with the driver as it is built for browsers, in Chromium.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Why tests in a browser are left out, or false. */
export const noBrowser = existsSync(executablePath) ? false : 'no Chromium';

/** Serves the page, from an origin that the server under test has to allow. */
export async function servePage() {
  const { resolve } = createRequire(import.meta.url);
  const script = readFileSync(new URL('lib/browser/neo4j-web.min.js', `file://${resolve('neo4j-driver/package.json')}`));
  const pages = createServer((request, response) => {
    const isScript = request.url === '/neo4j.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>Bolt</title><script src="neo4j.js"></script>');
  });
  await new Promise((listening) => pages.listen(0, '127.0.0.1', listening));
  const { port } = pages.address();
  return { origin: `http://127.0.0.1:${port}`, other: `http://localhost:${port}`, close: () => pages.close() };
}

/** Chromium; `open(origin)` is a page of it in a context of its own. */
export async function launch(...flags) {
  const args = ['--no-sandbox', '--headless=new', '--disable-gpu', ...flags];
  const browser = await chromium.launch({ executablePath, args });
  return {
    async open(origin) {
      const page = await (await browser.newContext()).newPage();
      await page.goto(origin);
      return page;
    },
    close: () => browser.close(),
  };
}
