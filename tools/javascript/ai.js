// Middleware of the Vercel AI SDK: wrapLanguageModel({ model, middleware: whenceMiddleware(db) }).
import { distinct, quietly, toolUnit, usageOf } from './calls.js';

export function whenceMiddleware(db, { agent = 'ai-sdk' } = {}) {
  const recorder = (params, model) => {
    const began = Date.now();
    return (content, usage, answered) =>
      quietly(() =>
        db.record({
          agent,
          model: answered ?? model.modelId,
          prompt: params.prompt.map((message) => `${message.role}: ${said(message.content)}`).join('\n'),
          content,
          usage: usageOf(usage?.inputTokens?.total, usage?.outputTokens?.total),
          latency_ms: Date.now() - began,
          context_units: distinct(
            params.prompt
              .filter(({ role }) => role === 'tool')
              .flatMap((message) => message.content)
              .filter(({ type }) => type === 'tool-result')
              .map((part) => toolUnit(part.toolName, part.output?.value ?? part.output)),
          ),
        }),
      );
  };
  return {
    specificationVersion: 'v3',
    async wrapGenerate({ doGenerate, params, model }) {
      const done = recorder(params, model);
      const result = await doGenerate();
      quietly(() => done(said(result.content), result.usage, result.response?.modelId));
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      const done = recorder(params, model);
      const { stream, ...rest } = await doStream();
      const parts = [];
      let answered;
      const recording = new TransformStream({
        transform(part, controller) {
          if (part.type === 'text-delta') parts.push(part.delta);
          else if (part.type === 'tool-call') quietly(() => parts.push(said([part])));
          else if (part.type === 'response-metadata') answered = part.modelId;
          else if (part.type === 'finish') done(parts.join(''), part.usage, answered);
          controller.enqueue(part);
        },
      });
      return { stream: stream.pipeThrough(recording), ...rest };
    },
  };
}

/** The text of a message's parts; other parts than text as JSON. */
const said = (content) =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n');
