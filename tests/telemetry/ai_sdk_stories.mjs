// The stories by the Vercel AI SDK, version 6 or 7 (SDK), with its telemetry switched on as its documentation says.
import { trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { asked, names, passages, tools } from './stories.mjs';

const isNewest = process.env.SDK === '7';
const { generateText, jsonSchema, registerTelemetry, stepCountIs, streamText, tool } = await import(isNewest ? 'ai7' : 'ai');
const { createOpenAICompatible } = await import(isNewest ? '@ai-sdk/openai-compatible7' : '@ai-sdk/openai-compatible');

const sdk = new NodeSDK();
sdk.start();
if (isNewest) {
  const { OpenTelemetry } = await import('@ai-sdk/otel');
  registerTelemetry(new OpenTelemetry({ runtimeContext: true }));
}

const provider = createOpenAICompatible({ name: 'local', baseURL: process.env.MODEL_URL, includeUsage: true });
const used = Object.fromEntries(
  Object.entries(tools).map(([name, { description, parameters, run }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: async (given) => run(given) }),
  ]),
);

async function tell(story) {
  const { system, question, questions } = asked[story];
  const telemetry = story === 'chat' ? {} : { functionId: names.agent };
  const call = {
    model: provider('small-model'),
    [isNewest ? 'instructions' : 'system']: system,
    prompt: question,
    maxRetries: 1,
    stopWhen: stepCountIs(5),
    ...(isNewest ? { telemetry } : { experimental_telemetry: { isEnabled: true, ...telemetry } }),
  };

  if (story === 'turns') {
    const messages = [];
    for (const each of questions) {
      messages.push({ role: 'user', content: each });
      const of = { sessionId: names.session, userId: names.user };
      const more = isNewest
        ? { runtimeContext: of, telemetry: { ...telemetry, includeRuntimeContext: { sessionId: true, userId: true } } }
        : { experimental_telemetry: { ...call.experimental_telemetry, metadata: of } };
      const { text } = await generateText({ ...call, ...more, prompt: undefined, messages });
      messages.push({ role: 'assistant', content: text });
    }
  } else if (story === 'stream') {
    await streamText({ ...call, tools: used }).text;
  } else if (story === 'rag') {
    // The SDK has no retrieval of its own: the program has a span for it, by OpenTelemetry's conventions.
    await trace.getTracer('travel').startActiveSpan('POST /ask', async (request) => {
      trace.getTracer('travel').startActiveSpan('retrieval handbook', (span) => {
        span.setAttributes({
          'gen_ai.operation.name': 'retrieval',
          'gen_ai.retrieval.query.text': question,
          'gen_ai.retrieval.documents': JSON.stringify(passages.map(({ id, text, score }) => ({ id, content: text, score }))),
        });
        span.end();
      });
      await generateText(call);
      request.end();
    });
  } else {
    await generateText({ ...call, ...(story === 'agent' && { tools: used }) });
  }
}

for (const story of process.argv.slice(2)) await tell(story);
await sdk.shutdown();
