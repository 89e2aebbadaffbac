// Claim: a program that is instrumented as the documentation of its packages says shows its lineage, with no other line
// of code: its exporter sends to Whence. Method: the real packages against a model on loopback; each program runs on its
// own, with the environment that README names. Needs WHENCE. Run with `node --test`.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startModel } from './model_server.mjs';
import { run } from './programs.mjs';
import { Server } from './server.mjs';

let server;
beforeEach(async () => {
  server = await Server.start();
});
afterEach(() => server.stop());

/** Runs a program to its end with a model that follows `script`. */
async function tell(program, script, { protocol = 'http/protobuf' } = {}) {
  const model = await startModel(script);
  const path = fileURLToPath(new URL(program, import.meta.url));
  await run(path, { model, server, env: { OTEL_SERVICE_NAME: undefined, OTEL_EXPORTER_OTLP_PROTOCOL: protocol } });
  model.stop();
}

/** The only record of a type. */
async function only(type) {
  const records = await server.records(type);
  assert.equal(records.length, 1, JSON.stringify(records));
  return records[0];
}

for (const protocol of ['http/protobuf', 'http/json']) {
  test(`a chat by OpenAI's client, over ${protocol}`, async () => {
    await tell('openai_app.cjs', [{ say: 'Returns are free for 30 days.' }], { protocol });
    const response = await only('Response');
    assert.equal(response.content, 'Returns are free for 30 days.');
    assert.equal(
      response.prompt,
      'system: Answer from: Returns are free for 30 days.\n\nuser: How long are returns free?',
    );
    assert.equal(response.model, 'gpt-5-2026');
    assert.equal(response.agent, 'shop');
    assert.deepEqual(response.usage, { input_tokens: 21, output_tokens: 7 });
    assert.equal((await only('Query')).question, 'How long are returns free?');
    const ancestors = await server.ancestors(`Response:${response.id}`);
    assert.ok(ancestors.includes('Document:faq.md'), ancestors.join(' '));
    const { nodes } = await server.rpc('lineage.descendants', { ref: 'Document:faq.md' });
    assert.ok(nodes.some((node) => node.ref === `Response:${response.id}`));
  });
}

test('a call with a tool by the Vercel AI SDK', async () => {
  await tell('vercel_app.mjs', [{ call: [{ name: 'weather', arguments: { town: 'Bern' } }] }, { say: 'It rains in Bern.' }]);
  const responses = await server.records('Response');
  assert.equal(responses.length, 2); // the one that calls the tool, and the one that answers
  const answer = responses.find((response) => response.content === 'It rains in Bern.');
  assert.equal(answer.agent, 'forecast');
  assert.equal(answer.model, 'small-model-2026');
  const units = await server.records('ContextUnit');
  const result = units.find((unit) => unit.source === 'tool:weather');
  assert.equal(result.content, 'It rains in Bern.'); // the span has it as JSON
  const question = units.find((unit) => unit.content === 'What is the weather in Bern?');
  const ancestors = await server.ancestors(`Response:${answer.id}`);
  assert.ok(ancestors.includes(`ContextUnit:${result.id}`), ancestors.join(' '));
  assert.ok(ancestors.includes(`ContextUnit:${question.id}`), ancestors.join(' '));
});

test('a retrieval chain of LangChain.js, instrumented by OpenInference', async () => {
  await tell('langchain_app.mjs', [{ say: '25 days.' }]);
  const response = await only('Response');
  assert.equal(response.content, '25 days.');
  const query = await only('Query');
  assert.equal(query.question, 'How many holidays are there?');
  const ancestors = await server.ancestors(`Response:${response.id}`);
  for (const ref of ['Document:leave.md', 'Document:sick.md']) assert.ok(ancestors.includes(ref), ancestors.join(' '));
  // Both texts are in the prompt: the passages are the causes, not the question that found them.
  assert.equal(ancestors.filter((ref) => ref.startsWith('RetrievedChunk:')).length, 2);
  assert.ok(!ancestors.includes(`Query:${query.request_id}`), ancestors.join(' '));
  const { nodes } = await server.rpc('node.get', { ref: `Query:${query.request_id}`, include: ['edges'] });
  const scores = nodes[0].edges.filter((edge) => edge.type === 'RETRIEVED_FOR').map((edge) => edge.similarity);
  assert.deepEqual(scores.sort(), [0.4, 0.9]);
});
