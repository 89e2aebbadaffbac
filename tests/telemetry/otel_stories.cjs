// The stories by OpenAI's client, instrumented by OpenTelemetry. Agents, tools and retrievals have spans of the program's own, by
// OpenTelemetry's conventions.
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');

const sdk = new NodeSDK({ instrumentations: [new OpenAIInstrumentation({ captureMessageContent: true })] });
sdk.start();

const { trace } = require('@opentelemetry/api');
const { OpenAI } = require('openai');

const tracer = trace.getTracer('travel');
const inSpan = (name, attributes, act) =>
  tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await act(span);
    } finally {
      span.end();
    }
  });

async function main() {
  const { byChat, names, tell } = await import('./stories.mjs');
  const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none', maxRetries: 0 });
  let attributes = {};
  await tell(process.argv.slice(2), byChat(client), {
    agent: (name, act) => inSpan(`invoke_agent ${name}`, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name, ...attributes }, act),
    tool: ({ id, name, arguments: given }, act) =>
      inSpan(
        `execute_tool ${name}`,
        {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': id,
          'gen_ai.tool.call.arguments': JSON.stringify(given),
        },
        async (span) => {
          const result = await act();
          span.setAttribute('gen_ai.tool.call.result', JSON.stringify(result));
          return result;
        },
      ),
    retrieve: (question, act) =>
      inSpan('retrieval handbook', { 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.query.text': question }, async (span) => {
        const found = await act();
        const documents = found.map(({ id, text, score }) => ({ id, content: text, score }));
        span.setAttribute('gen_ai.retrieval.documents', JSON.stringify(documents));
        return found;
      }),
    session: (act) => {
      attributes = { 'gen_ai.conversation.id': names.session, 'user.id': names.user };
      return act();
    },
  });
  await sdk.shutdown();
}

main();
