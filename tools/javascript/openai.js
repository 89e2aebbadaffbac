// Records the chat completions and the responses of an OpenAI client.
import { callOf, distinct, errorOf, promptOf, quietly, saidBefore, toolUnit, usageOf } from './calls.js';

/**
 * Makes `client` record its `chat.completions` and `responses`, streams and failed calls included, and returns it. `conversation` and
 * `person` may be functions that say it of each call.
 */
export function wrap(client, db, { agent = 'openai', conversation, person } = {}) {
  const earlier = saidBefore();
  const own = (held) => (typeof held === 'function' ? held() : held) || undefined;
  const recorded = (place, reading) => {
    if (!place?.create) return;
    const create = place.create.bind(place);
    place.create = (body, options) => {
      const began = Date.now();
      const asked = quietly(() => ({
        agent,
        conversation: own(conversation),
        person: own(person),
        ...promptOf(reading.messages(body)),
        context_units: distinct([...reading.results(body), ...earlier.in(reading.messages(body))]),
      }));
      const done = ({ model, text = '', calls = [], usage, error }) =>
        quietly(() => {
          const content = [text, calls.length > 0 ? JSON.stringify(calls) : ''].filter(Boolean).join('\n\n');
          const id = db.record({
            ...asked,
            model: model ?? body.model,
            content: error === undefined ? content : undefined,
            usage,
            latency_ms: Date.now() - began,
            ...(error !== undefined && { attributes: { error: errorOf(error) } }),
          });
          if (error === undefined) earlier.note(id, text, calls);
        });
      const answer = create(body, options);
      answer.then(
        (result) =>
          quietly(() => {
            if (body.stream) followStream(result, reading.stream(body), done);
            else done(reading.answer(result));
          }),
        (error) => done({ error }),
      );
      return answer;
    };
  };
  recorded(client.chat?.completions, completions);
  recorded(client.responses, responses);
  return client;
}

const completions = {
  messages: ({ messages = [] }) =>
    messages.map(({ role, content, tool_calls: calls, tool_call_id: result }) => ({ role, content, calls: calls?.map(callOf), result })),

  /** The results of tools that a prompt contains. */
  results({ messages = [] }) {
    const names = new Map(messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function?.name])));
    return messages
      .filter(({ role }) => role === 'tool')
      .map((message) => toolUnit(names.get(message.tool_call_id) ?? 'tool', message.content));
  },

  answer({ model, choices, usage }) {
    const { content, refusal, tool_calls: calls } = choices[0].message;
    return { model, text: content ?? refusal ?? '', calls: calls?.map(callOf), usage: usageOf(usage?.prompt_tokens, usage?.completion_tokens) };
  },

  stream({ model }) {
    let text = '';
    let usage;
    const calls = [];
    return {
      take(piece) {
        model = piece.model || model;
        usage = piece.usage ?? usage;
        const delta = piece.choices?.[0]?.delta;
        text += delta?.content ?? '';
        for (const { index, id, function: named } of delta?.tool_calls ?? []) {
          const call = (calls[index] ??= { id, function: { name: '', arguments: '' } });
          call.function.name ||= named?.name ?? '';
          call.function.arguments += named?.arguments ?? '';
        }
      },
      whole: () => ({ model, text, calls: calls.filter(Boolean).map(callOf), usage: usageOf(usage?.prompt_tokens, usage?.completion_tokens) }),
    };
  },
};

const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? part.refusal ?? '').join(''));

const responses = {
  /** Items that follow each other and are of the model are one message. */
  messages({ instructions, input }) {
    const messages = instructions ? [{ role: 'system', content: instructions }] : [];
    for (const item of itemsOf(input)) {
      const last = messages.at(-1);
      if (item.type === 'function_call') {
        if (last?.role === 'assistant') (last.calls ??= []).push(callOf(item));
        else messages.push({ role: 'assistant', content: '', calls: [callOf(item)] });
      } else if (item.type === 'function_call_output') {
        messages.push({ role: 'tool', content: item.output, result: item.call_id });
      } else {
        const isText = Array.isArray(item.content) && item.content.every((part) => typeof part.text === 'string');
        messages.push({ role: item.role ?? 'assistant', content: isText ? textOf(item.content) : (item.content ?? item) });
      }
    }
    return messages;
  },

  results({ input }) {
    const items = itemsOf(input);
    const names = new Map(items.filter(({ type }) => type === 'function_call').map((item) => [item.call_id, item.name]));
    return items
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => toolUnit(names.get(item.call_id) ?? 'tool', item.output));
  },

  answer: ({ model, output = [], usage, error }) => ({
    model,
    text: output
      .filter(({ type }) => type === 'message')
      .map(({ content }) => textOf(content))
      .join(''),
    calls: output.filter(({ type }) => type === 'function_call').map(callOf),
    usage: usageOf(usage?.input_tokens, usage?.output_tokens),
    ...(error && { error }),
  }),

  stream({ model }) {
    let text = '';
    let whole;
    return {
      take(event) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        if (event.response) model = event.response.model || model;
        if (['response.completed', 'response.incomplete', 'response.failed'].includes(event.type)) whole = event.response;
      },
      whole: () => (whole ? responses.answer(whole) : { model, text }),
    };
  },
};

const itemsOf = (input) => (typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []));

function followStream(stream, reading, done) {
  const original = stream.iterator.bind(stream);
  stream.iterator = async function* () {
    let failed;
    try {
      for await (const piece of original()) {
        quietly(() => reading.take(piece));
        yield piece;
      }
    } catch (error) {
      failed = { error };
      throw error;
    } finally {
      done(quietly(() => ({ ...reading.whole(), ...failed })) ?? {});
    }
  };
}
