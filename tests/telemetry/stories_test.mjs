// Claim: of the programs that use the newest packages, as their documentation says, each call is recorded once as it was said, and
// what it rests on is known. Method: six stories by each package against a model on loopback; what is recorded is compared with
// what went over the wire. Needs WHENCE. Run with `node --test`; it prints a table.
import { fileURLToPath } from 'node:url';
import { tell } from './programs.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const asked = { isAsked: true };
const byLangChain = { agent: 'travel-service', ...asked };
// A failed attempt has no span in OpenInference's instrumentation of OpenAI's client and in AI SDK 7.
const silent = { isSilent: true };
const wrapped = { hasNoUnits: true, passages: false, agent: 'planner' };

tell('openai + @opentelemetry/instrumentation-openai', here('otel_stories.cjs'));
tell('openai + OpenInference', here('openinference_stories.mjs'), { retry: silent, stream: { ...asked, hasNoUsage: true } });
tell('openai, responses + OpenInference', here('openinference_stories.mjs'), { env: { API: 'responses' }, retry: silent });
tell('@langchain/openai + OpenInference', here('langchain_stories.mjs'), { all: byLangChain });
tell('ai 6', here('ai_sdk_stories.mjs'), { env: { SDK: '6' } });
tell('ai 7 + @ai-sdk/otel', here('ai_sdk_stories.mjs'), { env: { SDK: '7' }, retry: silent });
// Langfuse has no ids of calls in streams of chat completions; of a response with a text its text alone, of one that failed no instructions.
const unjoined = { hasUnjoinedCalls: true };
tell('openai + @langfuse/openai', here('langfuse_stories.mjs'), { stream: { ...asked, ...unjoined } });
tell('openai, responses + @langfuse/openai', here('langfuse_stories.mjs'), {
  env: { API: 'responses' },
  agent: { hasTextOnly: true, ...unjoined },
  retry: { hasNoInstructions: true },
});
tell('openai + whence-client', here('wrap_stories.mjs'), { all: wrapped });
tell('openai, responses + whence-client', here('wrap_stories.mjs'), { env: { API: 'responses' }, all: wrapped });
