// Results of many rows: a reader's pace is the server's, over TCP and over WebSocket, and others do not wait for it.
//
// Claim: what a result holds on the server does not grow with its rows, nor with a reader that stops. Method: rows of about 420 bytes
// (WHENCE_BOLT_ROWS of them, 50,000 where it is not set) are read to their end, and the server's resident memory is looked at all the
// while; then readers stop in the middle for as long as the server makes rows, and go on.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { launch, noBrowser, servePage } from './browser.mjs';
import { Program, skip, waitUntil } from './program.mjs';
import { RawClient } from './raw.mjs';

const ROWS = Number(process.env.WHENCE_BOLT_ROWS ?? 50_000);
const FETCH = 1_000;
const GROWTH_MIB = 16; // of the server, less than all rows would take
// Two lists of a thousand numbers or so: that of all numbers would be held.
const STATEMENT = `UNWIND range(0, $n / 1000 - 1) AS a UNWIND range(1, 1000) AS b WITH 1000 * a + b AS i RETURN i, 'row ' + toString(i) + ' ${'x'.repeat(400)}' AS text`;

let program;
let pages;
let browser;
let page;

before(async () => {
  if (skip) return;
  pages = await servePage();
  program = await Program.start({ flags: ['--allow-origin', pages.origin] });
  if (noBrowser) return;
  browser = await launch();
  page = await browser.open(pages.origin);
});

after(async () => {
  await browser?.close();
  pages?.close();
  await program?.stop();
});

/** Runs `read` and says how long it took and what the server's memory grew by at most; the rows are its answer. */
async function watched(test, what, read) {
  const base = program.rss();
  let peak = base;
  const watch = setInterval(() => (peak = Math.max(peak, program.rss())), 20);
  const began = performance.now();
  const rows = await read();
  const seconds = (performance.now() - began) / 1000;
  clearInterval(watch);
  peak = Math.max(peak, program.rss());
  test.diagnostic(
    `${what}: ${rows} rows in ${seconds.toFixed(2)} s, ${Math.round(rows / seconds)} rows/s, ` +
      `server ${base.toFixed(1)} MiB before, ${peak.toFixed(1)} MiB at most`,
  );
  assert.ok(peak - base < GROWTH_MIB, `the server grew from ${base} to ${peak} MiB`);
  return rows;
}

/** Until the server has made no row for 200 ms, which is what a reader that stops has to lead to. */
async function stopped() {
  let made = -1;
  await waitUntil(async () => {
    const now = await program.metric('whence_bolt_rows_total');
    const isSame = now === made;
    made = now;
    if (!isSame) await setTimeout(200);
    return isSame;
  }, 'the server to make no more rows');
  return made;
}

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  test(`${name}: all rows, as they are taken`, { skip }, async (t) => {
    const driver = neo4j.driver(program.bolt, neo4j.auth.none(), { disableLosslessIntegers: true });
    const session = driver.session({ fetchSize: FETCH });
    const rows = await watched(t, name, async () => {
      let sum = 0;
      let count = 0;
      for await (const record of session.run(STATEMENT, { n: neo4j.int(ROWS) })) {
        sum += record.get('i');
        count += 1;
      }
      assert.equal(sum, (ROWS * (ROWS + 1)) / 2);
      return count;
    });
    assert.equal(rows, ROWS);
    await driver.close();
  });
}

test('a reader that stops holds up nobody, and goes on', { skip }, async () => {
  const driver = neo4j5.driver(program.bolt, neo4j5.auth.none(), { disableLosslessIntegers: true });
  /** How long twenty short statements take, in ms. */
  const answers = async () => {
    const began = performance.now();
    for (let i = 0; i < 20; i++) {
      const { records } = await driver.executeQuery('RETURN $i AS i', { i });
      assert.equal(records[0].get('i'), i);
    }
    return performance.now() - began;
  };
  const alone = await answers();
  const session = driver.session({ fetchSize: FETCH });
  const before = await program.metric('whence_bolt_rows_total');
  let rows = 0;
  for await (const record of session.run(STATEMENT, { n: neo4j5.int(ROWS) })) {
    rows += 1;
    assert.equal(record.get('i'), rows);
    if (rows !== 1_500) continue;
    const made = (await stopped()) - before;
    assert.ok(made <= 4 * FETCH, `${made} rows were made for a reader of 1,500`);
    assert.ok((await answers()) < Math.max(5_000, 20 * alone), 'others wait for a reader that has stopped');
  }
  assert.equal(rows, ROWS);
  await driver.close();
  await program.idle();
});

test('a socket that is not read stops the rows, and gets all of them later', { skip }, async (t) => {
  const client = await RawClient.enter(program.authority);
  const rows = Math.max(ROWS, 200_000); // more than what all the buffers between hold
  const before = await program.metric('whence_bolt_rows_total');
  await watched(t, 'a socket, PULL of all', async () => {
    client.send('run', STATEMENT, { n: rows }, {});
    await client.success();
    client.socket.pause();
    client.send('pull', { n: -1 });
    const made = (await stopped()) - before;
    assert.ok(made > 0 && made < rows, `${made} rows of ${rows} were made for a socket that is not read`);
    assert.equal(await program.metric('whence_bolt_results'), 1);
    client.socket.resume();
    const { has_more: hasMore } = await client.success();
    assert.equal(hasMore, undefined);
    return client.records;
  });
  assert.equal(client.records, rows);
  client.socket.destroy();
  await program.idle();
});

test('all rows over a WebSocket, in a browser, whose reader stops in the middle', { skip: skip || noBrowser }, async (t) => {
  await watched(t, 'driver 5 in Chromium', async () => {
    const reading = page.evaluate(
      async ([url, statement, n, fetchSize]) => {
        const driver = neo4j.driver(url, neo4j.auth.none(), { disableLosslessIntegers: true });
        const session = driver.session({ fetchSize });
        let count = 0;
        let sum = 0;
        for await (const record of session.run(statement, { n: neo4j.int(n) })) {
          count += 1;
          sum += record.get('i');
          if (count === n / 2) {
            window.isStopped = true;
            await new Promise((resolve) => (window.goOn = resolve));
          }
        }
        await driver.close();
        return { count, sum };
      },
      [program.bolt, STATEMENT, ROWS, FETCH],
    );
    await page.waitForFunction(() => window.isStopped, null, { timeout: 110_000 });
    await stopped();
    assert.equal(await program.metric('whence_bolt_results'), 1);
    await page.evaluate(() => window.goOn());
    const { count, sum } = await reading;
    assert.equal(sum, (ROWS * (ROWS + 1)) / 2);
    return count;
  });
  await program.idle();
});
