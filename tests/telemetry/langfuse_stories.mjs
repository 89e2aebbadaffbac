// The stories by OpenAI's client, its chat completions or its responses (API=responses), observed by Langfuse's SDK, which
// sends by itself to LANGFUSE_BASE_URL.
import { observeOpenAI } from '@langfuse/openai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { observe, propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { OpenAI } from 'openai7';
import { byChat, byResponses, names, tell } from './stories.mjs';

const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] });
sdk.start();

const client = observeOpenAI(new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none', maxRetries: 0 }));
const ask = process.env.API === 'responses' ? byResponses(client) : byChat(client);
await tell(process.argv.slice(2), ask, {
  agent: (name, act, question) => observe((_) => act(), { name, asType: 'agent' })(question),
  tool: ({ name, arguments: given }, act) => observe((_) => act(), { name, asType: 'tool' })(given),
  retrieve: (question, act) =>
    startActiveObservation(
      'handbook',
      async (retriever) => {
        const found = await act();
        retriever.update({
          input: question,
          output: found.map(({ id, text, score }) => ({ id, content: text, score })),
        });
        return found;
      },
      { asType: 'retriever' },
    ),
  session: (act) => propagateAttributes({ sessionId: names.session, userId: names.user }, act),
});
await sdk.shutdown();
