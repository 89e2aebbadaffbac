// As ../stories_test.mjs, by packages that take long to install.
import { fileURLToPath } from 'node:url';
import { tell } from '../programs.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

// A failed attempt has no span in OpenLLMetry's instrumentation of OpenAI's client and in Mastra.
const silent = { isSilent: true };
const mastra = { all: { passages: false, isShortened: true }, chat: { agent: 'planner' }, retry: silent };

tell('openai + @traceloop/node-server-sdk', here('traceloop_stories.cjs'), { retry: silent, stream: { hasNoUsage: true } });
// Of a failed attempt the span of Anthropic's client counts, which has no texts. In a stream calls of tools have no arguments for OpenLLMetry.
const retry = { hasNoTexts: true };
tell('@anthropic-ai/sdk + @traceloop/node-server-sdk', here('traceloop_stories.cjs'), { env: { API: 'messages' }, stream: null, retry });
tell('@anthropic-ai/sdk + OpenInference', here('anthropic_stories.mjs'), { retry });
tell('@mastra/core + @mastra/otel-exporter', here('mastra_stories.mjs'), mastra);
tell('@mastra/core + @mastra/otel-bridge', here('mastra_stories.mjs'), {
  ...mastra,
  env: { BY: 'bridge' },
  all: { ...mastra.all, hasNoModel: true, hasNoUsage: true },
});
