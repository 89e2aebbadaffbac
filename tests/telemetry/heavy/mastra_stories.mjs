// The stories by agents of Mastra, traced by its exporter for OpenTelemetry or by its bridge to it (BY=bridge).
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Observability } from '@mastra/observability';
import { OtelBridge } from '@mastra/otel-bridge';
import { OtelExporter } from '@mastra/otel-exporter';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { z } from 'zod';
import { asked, names, tools } from '../stories.mjs';

const isBridge = process.env.BY === 'bridge';
const sdk = new NodeSDK();
if (isBridge) sdk.start();
const tracing = isBridge
  ? { bridge: new OtelBridge() }
  : { exporters: [new OtelExporter({ provider: { custom: { endpoint: `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`, protocol: 'http/protobuf' } } })] };

const schemas = { weather: z.object({ town: z.string() }), pack: z.object({ things: z.array(z.string()) }) };
const used = Object.fromEntries(
  Object.entries(tools).map(([name, { description, run }]) => [
    name,
    createTool({ id: name, description, inputSchema: schemas[name], execute: async (given) => run(given) }),
  ]),
);
const model = createOpenAICompatible({ name: 'local', baseURL: process.env.MODEL_URL, includeUsage: true })('small-model');
const stories = process.argv.slice(2);
const agents = Object.fromEntries(
  stories.map((story) => [
    story,
    new Agent({
      id: names.agent,
      name: names.agent,
      instructions: asked[story].system,
      model,
      maxRetries: 1,
      ...((story === 'agent' || story === 'stream') && { tools: used }),
    }),
  ]),
);
const mastra = new Mastra({
  logger: false,
  agents,
  observability: new Observability({ configs: { otel: { serviceName: names.service, ...tracing } } }),
});
async function tell(story) {
  const { question, questions } = asked[story];
  const agent = mastra.getAgent(story);
  if (story === 'turns') {
    const messages = [];
    for (const each of questions) {
      messages.push({ role: 'user', content: each });
      const { text } = await agent.generate(messages, {
        tracingOptions: { metadata: { sessionId: names.session, userId: names.user, threadId: names.session, resourceId: names.user } },
      });
      messages.push({ role: 'assistant', content: text });
    }
  } else if (story === 'stream') {
    const { textStream } = await agent.stream(question);
    for await (const _ of textStream);
  } else {
    await agent.generate(question);
  }
}

for (const story of stories) await tell(story);
await mastra.observability.shutdown?.();
await mastra.shutdown?.();
if (isBridge) await sdk.shutdown();
