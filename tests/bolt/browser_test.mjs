// Neo4j's driver, as it is built for browsers, in Chromium: over WebSocket on Bolt's own port.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, noBrowser as skip, servePage } from './browser.mjs';
import { Server } from './server.mjs';

let pages;
let browser;
let server;
let page;

before(async () => {
  if (skip) return;
  pages = await servePage();
  server = await Server.start({ token: 'secret of the page', origin: pages.origin });
  browser = await launch();
  page = await browser.open(pages.origin);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  pages?.close();
});

test('sessions, values, transactions and a stream of rows', { skip }, async () => {
  const seen = await page.evaluate(
    async ([url, token]) => {
      const driver = neo4j.driver(url, neo4j.auth.basic('page', token), { disableLosslessIntegers: true });
      const x = { list: [1, 2.5, 'three', null, true], date: new neo4j.types.Date(2024, 2, 29) };
      const { records } = await driver.executeQuery('RETURN $x', { x });
      const back = records[0].get(0);
      const session = driver.session();
      const tx = await session.beginTransaction();
      const moment = (await tx.run('RETURN tx()')).records[0].get(0);
      await tx.commit();
      let rows = 0;
      for await (const record of session.run('UNWIND range(1, $n) AS i RETURN i', { n: neo4j.int(100000) })) {
        rows = record.get('i');
      }
      const bookmarks = session.lastBookmarks().length;
      await session.close();
      await driver.close();
      return { list: back.list, date: back.date.toString(), moment, rows, bookmarks };
    },
    [server.bolt, 'secret of the page'],
  );
  assert.deepEqual(seen, { list: [1, 2.5, 'three', null, true], date: '2024-02-29', moment: 0, rows: 100000, bookmarks: 1 });
});

test('a wrong token does not enter', { skip }, async () => {
  const code = await page.evaluate(async (url) => {
    const driver = neo4j.driver(url, neo4j.auth.basic('page', 'wrong'));
    try {
      await driver.executeQuery('RETURN $x', { x: 1 });
      return 'entered';
    } catch (error) {
      return error.code;
    } finally {
      await driver.close();
    }
  }, server.bolt);
  assert.equal(code, 'Neo.ClientError.Security.Unauthorized');
});

test('a page of another origin does not enter', { skip }, async () => {
  const other = await browser.open(pages.other);
  const outcome = await other.evaluate(
    (url) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      }),
    server.bolt.replace('bolt:', 'ws:'),
  );
  assert.equal(outcome, 'refused');
});

test('the main port has it at /bolt', { skip }, async () => {
  const outcome = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url);
        socket.binaryType = 'arraybuffer';
        socket.onopen = () =>
          socket.send(new Uint8Array([0x60, 0x60, 0xb0, 0x17, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        socket.onmessage = (message) => resolve([...new Uint8Array(message.data)]);
        socket.onerror = () => resolve('refused');
      }),
    `${server.http.replace('http:', 'ws:')}/bolt`,
  );
  assert.deepEqual(outcome, [0, 0, 4, 5]);
});
