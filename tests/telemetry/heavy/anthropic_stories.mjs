// The stories by Anthropic's client, instrumented by OpenInference.
import Anthropic from 'anthropic1';
import { setSession, setUser, traceAgent, traceTool, traceRetriever, getRetrieverAttributes } from '@arizeai/openinference-core';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { context } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { byMessages, names, tell } from '../stories.mjs';

const sdk = new NodeSDK();
sdk.start();
new AnthropicInstrumentation().manuallyInstrument(Anthropic);

const client = new Anthropic({ baseURL: process.env.MODEL_URL.replace(/\/v1$/, ''), apiKey: 'none', maxRetries: 0 });
await tell(process.argv.slice(2), byMessages(client), {
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
