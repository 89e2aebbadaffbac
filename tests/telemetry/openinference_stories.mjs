// The stories by OpenAI's client, its chat completions or its responses (API=responses), instrumented by OpenInference.
import {
  getRetrieverAttributes,
  setSession,
  setUser,
  traceAgent,
  traceRetriever,
  traceTool,
} from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { OpenAI } from 'openai7';
import { byChat, byResponses, names, tell } from './stories.mjs';

const sdk = new NodeSDK();
sdk.start();
new OpenAIInstrumentation().manuallyInstrument(OpenAI);

const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none', maxRetries: 0 });
const ask = process.env.API === 'responses' ? byResponses(client) : byChat(client);
await tell(process.argv.slice(2), ask, {
  agent: (name, act, question) => traceAgent((_) => act(), { name, attributes: { 'agent.name': name } })(question),
  tool: ({ name, arguments: given }, act) => traceTool((_) => act(), { name, attributes: { 'tool.name': name } })(given),
  retrieve: (question, act) =>
    traceRetriever((_) => act(), {
      name: 'handbook',
      processOutput: (found) =>
        getRetrieverAttributes({ documents: found.map(({ id, text, score }) => ({ id, content: text, score })) }),
    })(question),
  session: (act) => context.with(setUser(setSession(context.active(), { sessionId: names.session }), { userId: names.user }), act),
});
await sdk.shutdown();
