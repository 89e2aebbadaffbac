// The JavaScript client in a page of another origin, in Chromium. Skipped without it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { Server } from './server.mjs';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const folders = { '/client/': '../../tools/javascript/', '/page/': './' };

/** Serves the client's files and the page; resolves `result` with what the page posts. */
async function servePage() {
  let tell;
  const result = new Promise((resolve) => (tell = resolve));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://page');
    const [prefix, folder] = Object.entries(folders).find(([each]) => pathname.startsWith(each)) ?? [];
    if (request.method === 'POST') {
      let text = '';
      request.on('data', (part) => (text += part));
      request.on('end', () => tell(JSON.parse(text)));
      response.end();
    } else if (prefix) {
      const file = new URL(folder + basename(pathname), import.meta.url);
      response.writeHead(existsSync(file) ? 200 : 404, { 'Content-Type': 'text/javascript' });
      response.end(existsSync(file) ? readFileSync(file) : '');
    } else {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end('<!doctype html><script type="module" src="/page/browser_page.mjs"></script>');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, result, close: () => server.close() };
}

test('a page records, asks and watches', { skip: !existsSync(chromium) && 'no Chromium', timeout: 60_000 }, async () => {
  const page = await servePage();
  const server = await Server.start('--allow-origin', page.origin);
  const profile = mkdtempSync(join(tmpdir(), 'whence-chromium-'));
  const browser = spawn(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
    `--user-data-dir=${profile}`, `${page.origin}/?server=${encodeURIComponent(server.url)}`], { stdio: 'ignore' });
  const ended = new Promise((resolve) => browser.on('exit', resolve));
  try {
    assert.deepEqual(await page.result, {
      flushed: { written: 1, dropped: 0, rejected: 0, pending: 0 },
      sources: ['file:a'],
      refused: -32020,
      seen: true,
    });
  } finally {
    browser.kill('SIGTERM');
    await ended;
    page.close();
    await server.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
