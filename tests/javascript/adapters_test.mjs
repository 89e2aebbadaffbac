// The adapters with the real packages, against a model on loopback.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { connect } from '../../tools/javascript/index.js';
import { whenceMiddleware } from '../../tools/javascript/ai.js';
import { wrap } from '../../tools/javascript/openai.js';
import { startModel } from '../telemetry/model_server.mjs';
import { Server } from './server.mjs';

async function withModel(script, act) {
  const server = await Server.start();
  const model = await startModel(script);
  try {
    const db = connect(server.url);
    await act(db, model.url);
  } finally {
    model.stop();
    await server.stop();
  }
}

async function responses(db) {
  const counts = await db.flush();
  assert.deepEqual([counts.dropped, counts.rejected, counts.pending], [0, 0, 0]);
  const { nodes } = await db.node.find('Response', { include: ['record'] });
  return nodes.map((node) => node.record);
}

test('a retrieval chain of LangChain.js', () =>
  withModel([{ say: '25 days.' }], async (db, url) => {
    // As an application has it: the package beside the framework.
    const folder = mkdtempSync(join(tmpdir(), 'whence-langchain-'));
    mkdirSync(join(folder, 'node_modules'));
    cpSync(new URL('../../tools/javascript', import.meta.url), join(folder, 'whence-client'), { recursive: true });
    symlinkSync(new URL('node_modules/@langchain', import.meta.url), join(folder, 'node_modules', '@langchain'));
    const { WhenceCallbackHandler } = await import(join(folder, 'whence-client', 'langchain.js'));
    rmSync(folder, { recursive: true });
    class Handbook extends BaseRetriever {
      lc_namespace = ['handbook'];
      async _getRelevantDocuments() {
        return [
          new Document({ pageContent: 'Holidays are 25 days a year.', metadata: { source: 'leave.md', score: 0.9 } }),
          new Document({ pageContent: 'Sick days are not holidays.', metadata: { source: 'sick.md', score: 0.4 } }),
        ];
      }
    }
    const chain = RunnableSequence.from([
      { context: new Handbook().pipe((found) => found.map((each) => each.pageContent).join('\n')), question: new RunnablePassthrough() },
      ChatPromptTemplate.fromMessages([['system', 'Answer from: {context}'], ['human', '{question}']]),
      new ChatOpenAI({ model: 'gpt-5', apiKey: 'none', configuration: { baseURL: url } }),
    ]);
    const handler = new WhenceCallbackHandler(db, { agent: 'handbook' });
    await chain.invoke('How many holidays are there?', { callbacks: [handler] });
    const [response, ...others] = await responses(db);
    assert.equal(others.length, 0);
    assert.equal(response.agent, 'handbook');
    assert.equal(response.content, '25 days.');
    assert.match(response.prompt, /human: How many holidays/);
    const { nodes } = await db.lineage.ancestors(response.id);
    const refs = nodes.map((node) => node.ref);
    assert.ok(refs.includes('Document:leave.md') && refs.includes('Document:sick.md'), `${refs}`);
    assert.equal((await db.node.find('Query', { include: ['record'] })).nodes[0].record.question, 'How many holidays are there?');
    assert.equal(handler.runs.size, 0);
  }));

test('the client of OpenAI', () =>
  withModel([{ say: 'It rains.' }], async (db, url) => {
    const client = wrap(new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }), db);
    const { data } = await client.chat.completions
      .create({
        model: 'gpt-5',
        messages: [
          { role: 'user', content: 'Weather?' },
          { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
          { role: 'tool', tool_call_id: 'c', content: 'rain' },
        ],
      })
      .withResponse();
    assert.equal(data.choices[0].message.content, 'It rains.');
    const [response] = await responses(db);
    assert.equal(response.content, 'It rains.');
    assert.equal(response.model, 'gpt-5-2026');
    assert.deepEqual(response.usage, { input_tokens: 21, output_tokens: 7 });
    const unit = (await db.node.find('ContextUnit', { include: ['record'] })).nodes[0].record;
    assert.deepEqual([unit.source, unit.content], ['tool:weather', 'rain']);
    await assert.rejects(wrap(new OpenAI({ apiKey: 'none', baseURL: 'http://127.0.0.1:1', maxRetries: 0 }), db).chat.completions.create({ model: 'm', messages: [] }));
  }));

test('prompts, failures and earlier answers of the client of OpenAI', () =>
  withModel([{ fail: 503 }, { say: 'Über den Grat. 🏔' }, { say: 'Five hours.' }], async (db, url) => {
    const asked = [{ role: 'system', content: 'Be short. 🏔' }, { role: 'user', content: 'Which way?' }];
    let person;
    const client = wrap(new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }), db, { conversation: 'c1', person: () => person });
    await assert.rejects(client.chat.completions.create({ model: 'm', messages: asked }));
    person = 'ann';
    const { choices } = await client.chat.completions.create({ model: 'm', messages: asked });
    const input = [...asked.slice(1), choices[0].message, { role: 'user', content: 'How long?' }];
    await client.responses.create({ model: 'm', instructions: asked[0].content, input });
    const all = await responses(db);
    const [failed, way, long] = [undefined, 'Über den Grat. 🏔', 'Five hours.'].map((said) => all.find(({ content }) => content === said));
    assert.equal(all.length, 3);
    assert.match(failed.attributes.error, /overloaded/);
    assert.deepEqual([failed.person, way.person, long.person, long.conversation], [undefined, 'ann', 'ann', 'c1']);
    assert.deepEqual([way.question, long.question], ['Which way?', 'How long?']);
    const points = [...long.prompt];
    assert.deepEqual(
      long.prompt_messages.map(({ role, start, end }) => [role, points.slice(start, end).join('')]),
      [['system', 'Be short. 🏔'], ['user', 'Which way?'], ['assistant', 'Über den Grat. 🏔'], ['user', 'How long?']],
    );
    const { nodes } = await db.lineage.ancestors(long.id);
    assert.ok(nodes.some(({ ref }) => ref === `Response:${way.id}`));
  }));

test('the Vercel AI SDK with a tool', () =>
  withModel([{ call: [{ name: 'weather', arguments: { town: 'Bern' } }] }, { say: 'It rains.' }], async (db, url) => {
    const provider = createOpenAICompatible({ name: 'local', baseURL: url });
    await generateText({
      model: wrapLanguageModel({ model: provider('small-model'), middleware: whenceMiddleware(db, { agent: 'forecast' }) }),
      prompt: 'What is the weather in Bern?',
      tools: {
        weather: tool({
          description: 'The weather of a town',
          inputSchema: jsonSchema({ type: 'object', properties: { town: { type: 'string' } }, required: ['town'] }),
          execute: async ({ town }) => `It rains in ${town}.`,
        }),
      },
      stopWhen: stepCountIs(3),
    });
    const all = await responses(db);
    assert.equal(all.length, 2);
    const last = all.find((response) => response.content === 'It rains.');
    assert.match(last.prompt, /weather in Bern/);
    const { nodes } = await db.lineage.ancestors(last.id, { include: ['record'] });
    assert.deepEqual(nodes.map((node) => [node.record.source, node.record.content]), [['tool:weather', 'It rains in Bern.']]);
  }));

test('streams of both', async () => {
  const server = await Server.start();
  const model = createServer((request, response) => {
    request.resume();
    response.setHeader('Content-Type', 'text/event-stream');
    const piece = (delta, finish_reason = null, usage) =>
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'streamed', choices: [{ index: 0, delta, finish_reason }], usage })}\n\n`);
    piece({ role: 'assistant', content: 'It ' });
    piece({ content: 'rains.' });
    piece({}, 'stop', { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${model.address().port}/v1`;
  try {
    const db = connect(server.url);
    const client = wrap(new OpenAI({ apiKey: 'none', baseURL: url }), db);
    let said = '';
    const stream = await client.chat.completions.create({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Weather?' }] });
    for await (const part of stream) said += part.choices[0].delta.content ?? '';
    assert.equal(said, 'It rains.');
    const wrapped = wrapLanguageModel({ model: createOpenAICompatible({ name: 'local', baseURL: url })('m'), middleware: whenceMiddleware(db) });
    assert.equal(await streamText({ model: wrapped, prompt: 'Weather?' }).text, 'It rains.');
    const all = await responses(db);
    assert.deepEqual(all.map(({ agent, model: named, content }) => [agent, named, content]).sort(), [
      ['ai-sdk', 'streamed', 'It rains.'],
      ['openai', 'streamed', 'It rains.'],
    ]);
    for (const { usage } of all) assert.deepEqual(usage, { input_tokens: 3, output_tokens: 2 });
  } finally {
    model.close();
    await server.stop();
  }
});
