// Spans of Bolt's requests, at a collector of the test: in the trace that a transaction's metadata names.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import neo4j from 'neo4j-driver';
import { Program, skip, waitUntil } from './program.mjs';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const spans = [];
let collector;
let program;
let driver;

before(async () => {
  if (skip) return;
  collector = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end('{}');
  });
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const flags = ['--trace-to', `http://127.0.0.1:${collector.address().port}/v1/traces`, '--trace-sample', '0'];
  program = await Program.start({ flags });
  driver = neo4j.driver(program.bolt, undefined, { disableLosslessIntegers: true });
});
after(async () => {
  await driver?.close();
  await program?.stop();
  collector?.close();
});

/** What came since the last call, once there are `count`. */
async function arrived(count) {
  await waitUntil(() => spans.length >= count, `${count} spans`);
  return spans.splice(0).map((span) => {
    const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue]));
    assert.equal(attributes['rpc.system'], 'bolt');
    assert.equal(span.name, `Bolt ${attributes['rpc.method']}`);
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano));
    return { ...span, code: attributes['db.response.status_code'] };
  });
}

test('a statement is spans of the trace that its metadata names', { skip }, async () => {
  const session = driver.session();
  const metadata = { traceparent: `00-${TRACE}-${SPAN}-01` };
  await session.run('RETURN 1');
  await session.run('RETURN 1', {}, { metadata: { traceparent: 'of no form' } }); // as none: sampled, at 0
  await session.run('RETURN 1', {}, { metadata: { traceparent: `00-${TRACE}-${SPAN}-00` } });
  await session.run('UNWIND range(1, 5000) AS i RETURN i', {}, { metadata });
  const all = await arrived(6);
  assert.deepEqual(all.map(({ name }) => name).slice(0, 2), ['Bolt RUN', 'Bolt PULL']);
  assert.ok(all.slice(1).every(({ name }) => name === 'Bolt PULL'), 'a driver pulls 1,000 rows at a time');
  for (const span of all) {
    assert.deepEqual([span.traceId, span.parentSpanId, span.kind, span.status], [TRACE, SPAN, 2, undefined]);
  }
  await session.close();
});

test('a transaction and its failure', { skip }, async () => {
  const session = driver.session();
  const tx = await session.beginTransaction({ metadata: { traceparent: `00-${TRACE}-${SPAN}-01` } });
  await tx.run('RETURN 1');
  await assert.rejects(tx.run('RETURN 1 +'));
  const all = await arrived(4);
  assert.deepEqual(all.map(({ name }) => name).slice(0, 4), ['Bolt BEGIN', 'Bolt RUN', 'Bolt PULL', 'Bolt RUN']);
  const code = 'Neo.ClientError.Statement.SyntaxError';
  assert.deepEqual([all[3].code, all[3].status, all[2].code], [code, { code: 2, message: code }, undefined]);
  assert.ok(all.every(({ traceId }) => traceId === TRACE));
  await session.close();
});
