// What a file of tests of the page shares: a server with the demo's story, a browser, and tests that have a page of their own.
// Importing it starts both, and they end with the file; each file is a process of its own.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launch, look, openPage, ready } from './browser.mjs';
import { Server } from './server.mjs';

export const server = await Server.start();

export const browser = await launch().catch(async (error) => {
  await server.stop();
  throw error;
});

after(async () => {
  await browser.close();
  await server.stop();
});

/** A test on the page that `open` gives; it fails on whatever the page complains of, and leaves a picture of a failure. */
export function testOn(name, open, run) {
  test(name, async () => {
    const page = await open();
    try {
      await run(page);
      assert.deepEqual(page.faults, []);
    } catch (error) {
      await look(page, `failed-${name.replace(/\W+/g, '-')}`);
      throw error;
    } finally {
      await page.context().close();
    }
  });
}

/** A test with a page at a hash, once it is drawn. */
export function pageTest(name, hash, run, options = {}) {
  const open = () => openPage(browser, `${server.url}/${hash}`, options);
  testOn(name, open, async (page) => {
    await ready(page);
    await run(page);
  });
}

/** The decoded hash of a page's address. */
export const hashOf = (page) => decodeURIComponent(new URL(page.url()).hash);
