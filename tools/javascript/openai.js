// Records the chat completions of an OpenAI client.
import { distinct, quietly, toolUnit, usageOf } from './calls.js';

/** Makes `client` record its `chat.completions`, streams included, and returns it. */
export function wrap(client, db, { agent = 'openai' } = {}) {
  const { completions } = client.chat;
  const create = completions.create.bind(completions);
  completions.create = (body, options) => {
    const began = Date.now();
    const done = (model, content, usage) =>
      quietly(() =>
        db.record({
          agent,
          model,
          prompt: body.messages.map(({ role, content: said }) => `${role}: ${typeof said === 'string' ? said : JSON.stringify(said ?? '')}`).join('\n'),
          content,
          usage: usageOf(usage?.prompt_tokens, usage?.completion_tokens),
          latency_ms: Date.now() - began,
          context_units: toolResults(body.messages),
        }),
      );
    const answer = create(body, options);
    answer.then(
      (result) =>
        quietly(() => {
          if (body.stream) followStream(result, body.model, done);
          else done(result.model, textOf(result.choices[0].message), result.usage);
        }),
      () => {},
    );
    return answer;
  };
  return client;
}

const textOf = (message) => message.content || JSON.stringify(message.tool_calls ?? '');

/** The results of tools that a prompt contains. */
function toolResults(messages) {
  const names = new Map(messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function?.name])));
  return distinct(
    messages.filter(({ role }) => role === 'tool').map((message) => toolUnit(names.get(message.tool_call_id) ?? 'tool', message.content)),
  );
}

function followStream(stream, asked, done) {
  const original = stream.iterator.bind(stream);
  stream.iterator = async function* () {
    let model = asked;
    let content = '';
    let usage;
    try {
      for await (const piece of original()) {
        quietly(() => {
          model = piece.model || model;
          content += piece.choices?.[0]?.delta?.content ?? '';
          usage = piece.usage ?? usage;
        });
        yield piece;
      }
    } finally {
      done(model, content, usage);
    }
  };
}
