// A call with a tool by the Vercel AI SDK, with its telemetry switched on as its documentation says.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';

const sdk = new NodeSDK({ serviceName: 'weather' });
sdk.start();

const provider = createOpenAICompatible({ name: 'local', baseURL: process.env.MODEL_URL });
await generateText({
  model: provider('small-model'),
  prompt: 'What is the weather in Bern?',
  tools: {
    weather: tool({
      description: 'The weather of a town',
      inputSchema: jsonSchema({ type: 'object', properties: { town: { type: 'string' } }, required: ['town'] }),
      execute: async ({ town }) => `It rains in ${town}.`,
    }),
  },
  stopWhen: stepCountIs(3),
  experimental_telemetry: { isEnabled: true, functionId: 'forecast' },
});
await sdk.shutdown();
