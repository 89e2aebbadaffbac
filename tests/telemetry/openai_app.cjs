// A program that retrieves a passage and asks OpenAI's client, instrumented as the package's documentation says. The
// retrieval has a span of its own, by OpenTelemetry's conventions.
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');

const sdk = new NodeSDK({
  serviceName: 'shop',
  instrumentations: [new OpenAIInstrumentation({ captureMessageContent: true })],
});
sdk.start();

const { trace } = require('@opentelemetry/api');
const { OpenAI } = require('openai');

const tracer = trace.getTracer('shop');

function retrieve(question) {
  return tracer.startActiveSpan('retrieval faq', (span) => {
    const documents = [{ id: 'faq.md', content: 'Returns are free for 30 days.', score: 0.82 }];
    span.setAttributes({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': question,
      'gen_ai.retrieval.documents': JSON.stringify(documents),
    });
    span.end();
    return documents;
  });
}

async function main() {
  const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none' });
  await tracer.startActiveSpan('POST /ask', async (span) => {
    const question = 'How long are returns free?';
    const [{ content }] = retrieve(question);
    await client.chat.completions.create({
      model: 'gpt-5',
      messages: [
        { role: 'system', content: `Answer from: ${content}` },
        { role: 'user', content: question },
      ],
    });
    span.end();
  });
  await sdk.shutdown();
}

main();
