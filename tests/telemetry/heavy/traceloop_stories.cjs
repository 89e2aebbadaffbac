// The stories by the client of OpenAI, or of Anthropic (API=messages), instrumented by OpenLLMetry.
const traceloop = require('@traceloop/node-server-sdk');

traceloop.initialize({ appName: 'travel-service', baseUrl: process.env.OTEL_EXPORTER_OTLP_ENDPOINT, silenceInitializationMessage: true });

const { OpenAI } = require('openai');
const Anthropic = require('@anthropic-ai/sdk');

async function main() {
  const { byChat, byMessages, names, tell } = await import('../stories.mjs');
  const { MODEL_URL, API } = process.env;
  const openai = new OpenAI({ baseURL: MODEL_URL, apiKey: 'none', maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: MODEL_URL.replace(/\/v1$/, ''), apiKey: 'none', maxRetries: 0 });
  const ask = API === 'messages' ? byMessages(anthropic) : byChat(openai);
  const { SESSION_ID, USER_ID } = traceloop.AssociationProperty;
  await tell(process.argv.slice(2), ask, {
    agent: (name, act, question) => traceloop.withAgent({ name }, (_) => act(), question),
    tool: ({ name, arguments: given }, act) => traceloop.withTool({ name }, (_) => act(), given),
    retrieve: (question, act) =>
      traceloop.withVectorDBCall({ vendor: 'handbook', type: 'query' }, async ({ span }) => {
        const found = await act();
        span.reportQuery({ queryVector: [0.25, 0.5] });
        span.reportResults({
          results: found.map(({ id, text, score }) => ({ ids: id, scores: score, documents: text })),
        });
        return found;
      }),
    session: (act) => traceloop.withAssociationProperties({ [SESSION_ID]: names.session, [USER_ID]: names.user }, act),
  });
  await traceloop.forceFlush();
}

main();
