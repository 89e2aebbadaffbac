// A model on loopback that speaks OpenAI's chat completions and responses and Anthropic's messages, streams included. It
// follows a script: one step for each request, in the order in which they come.
//   { say: 'Yes.' }                       a text
//   { call: [{ name, arguments }, ...] }  calls of tools, with `say` also a text before them
//   { fail: 503 }                         an error with this status
// `requests` has what was asked and answered, in a form that all three protocols share: what really went over the wire.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const usage = { in: 21, out: 7 };

/** Starts it. */
export async function startModel(script) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const body = JSON.parse(text);
    const protocol = protocols.find((each) => request.url.split('?')[0].endsWith(each.path));
    const step = script[requests.length];
    if (!protocol || !step) {
      response.statusCode = 404;
      response.end(JSON.stringify({ error: { message: `no answer for ${request.url}`, type: 'not_found' } }));
      return;
    }
    const number = requests.length + 1;
    const calls = (step.call ?? []).map((call, at) => ({ id: protocol.callId(`${number}.${at}`), ...call }));
    requests.push({ protocol: protocol.path, model: body.model, messages: protocol.messages(body), fail: step.fail, say: step.say, calls });
    if (step.fail) {
      response.statusCode = step.fail;
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('retry-after-ms', '1');
      response.end(JSON.stringify(protocol.error));
      return;
    }
    const answer = { number, model: `${body.model}-2026`, say: step.say, calls };
    if (body.stream) {
      response.setHeader('Content-Type', 'text/event-stream');
      for (const [name, event] of protocol.events(answer, body)) {
        if (name) response.write(`event: ${name}\n`);
        response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
      }
      response.end();
    } else {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(protocol.answer(answer, body)));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, stop: () => server.close() };
}

/** Letters and digits such as ids have, the same for the same text. */
const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 24);
/** A text in a few pieces. */
const pieces = (text) => (text ?? '').match(/.{1,7}/gsu) ?? [];
const parsed = (text) => (typeof text === 'string' ? JSON.parse(text) : text);
/** The text of a content that is a text or a list of parts. */
const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? part.refusal ?? '').join('');

const chat = {
  path: '/chat/completions',
  callId: (of) => `call_${digest(of)}`,
  error: { error: { message: 'The model is overloaded.', type: 'server_error', param: null, code: 'overloaded' } },
  messages: ({ messages }) =>
    messages.map((message) => ({
      role: message.role === 'developer' ? 'system' : message.role,
      text: textOf(message.content),
      calls: (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        arguments: parsed(call.function.arguments),
      })),
      ...(message.role === 'tool' && { result: message.tool_call_id }),
    })),
  calls: (calls) =>
    calls.map(({ id, name, arguments: given }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(given) } })),
  answer: ({ number, model, say, calls }) => ({
    id: `chatcmpl-${digest(String(number))}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: say ?? null,
          refusal: null,
          annotations: [],
          ...(calls.length > 0 && { tool_calls: chat.calls(calls) }),
        },
        logprobs: null,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out },
  }),
  *events({ number, model, say, calls }, body) {
    const chunk = (choices, more = {}) => [
      '',
      { id: `chatcmpl-${digest(String(number))}`, object: 'chat.completion.chunk', created: 1_700_000_000, model, choices, ...more },
    ];
    const delta = (value, finish = null) => chunk([{ index: 0, delta: value, logprobs: null, finish_reason: finish }]);
    yield delta({ role: 'assistant', content: say === undefined ? null : '' });
    for (const piece of pieces(say)) yield delta({ content: piece });
    for (const [index, call] of chat.calls(calls).entries()) {
      yield delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] });
      for (const piece of pieces(call.function.arguments)) yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    yield delta({}, calls.length > 0 ? 'tool_calls' : 'stop');
    if (body.stream_options?.include_usage) {
      yield chunk([], { usage: { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out } });
    }
    yield ['', '[DONE]'];
  },
};

const responses = {
  path: '/responses',
  callId: chat.callId,
  error: chat.error,
  messages({ instructions, input }) {
    const found = instructions ? [{ role: 'system', text: instructions, calls: [] }] : [];
    for (const item of typeof input === 'string' ? [{ role: 'user', content: input }] : input) {
      if (item.type === 'function_call') {
        const call = { id: item.call_id, name: item.name, arguments: parsed(item.arguments) };
        const last = found.at(-1);
        if (last?.role === 'assistant') last.calls.push(call);
        else found.push({ role: 'assistant', text: '', calls: [call] });
      } else if (item.type === 'function_call_output') {
        found.push({ role: 'tool', text: textOf(item.output), calls: [], result: item.call_id });
      } else if (item.content !== undefined) {
        found.push({ role: item.role === 'developer' ? 'system' : item.role, text: textOf(item.content), calls: [] });
      }
    }
    return found;
  },
  output: ({ number, say, calls }) => [
    ...(say === undefined
      ? []
      : [
          {
            id: `msg_${digest(String(number))}`,
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: say, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, arguments: given }) => ({
      id: id.replace('call_', 'fc_'),
      type: 'function_call',
      status: 'completed',
      call_id: id,
      name,
      arguments: JSON.stringify(given),
    })),
  ],
  answer(answer, body) {
    const output = responses.output(answer);
    return {
      id: `resp_${digest(String(answer.number))}`,
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: body.instructions ?? null,
      metadata: {},
      model: answer.model,
      output,
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: 'auto',
      tools: body.tools ?? [],
      top_p: 1,
      usage: {
        input_tokens: usage.in,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: usage.out,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.in + usage.out,
      },
    };
  },
  *events(answer, body) {
    let at = 0;
    const event = (type, more) => [type, { type, sequence_number: at++, ...more }];
    const whole = responses.answer(answer, body);
    const begun = { ...whole, status: 'in_progress', output: [], usage: null };
    yield event('response.created', { response: begun });
    yield event('response.in_progress', { response: begun });
    for (const [index, item] of whole.output.entries()) {
      const place = { output_index: index, item_id: item.id };
      if (item.type === 'message') {
        const [part] = item.content;
        yield event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', content: [] } });
        yield event('response.content_part.added', { ...place, content_index: 0, part: { ...part, text: '' } });
        for (const delta of pieces(part.text)) yield event('response.output_text.delta', { ...place, content_index: 0, delta, logprobs: [] });
        yield event('response.output_text.done', { ...place, content_index: 0, text: part.text, logprobs: [] });
        yield event('response.content_part.done', { ...place, content_index: 0, part });
      } else {
        yield event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', arguments: '' } });
        for (const delta of pieces(item.arguments)) yield event('response.function_call_arguments.delta', { ...place, delta });
        yield event('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
      }
      yield event('response.output_item.done', { output_index: index, item });
    }
    yield event('response.completed', { response: whole });
  },
};

const anthropic = {
  path: '/messages',
  callId: (of) => `toolu_${digest(of)}`,
  error: { type: 'error', error: { type: 'overloaded_error', message: 'The model is overloaded.' } },
  messages({ system, messages }) {
    const found = system ? [{ role: 'system', text: textOf(system), calls: [] }] : [];
    for (const { role, content } of messages) {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      for (const part of parts.filter(({ type }) => type === 'tool_result')) {
        found.push({ role: 'tool', text: textOf(part.content), calls: [], result: part.tool_use_id });
      }
      const said = parts.filter(({ type }) => type === 'text');
      const calls = parts.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, arguments: input }));
      if (said.length > 0 || calls.length > 0) found.push({ role, text: textOf(said), calls });
    }
    return found;
  },
  answer: ({ number, model, say, calls }) => ({
    id: `msg_${digest(String(number))}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(say === undefined ? [] : [{ type: 'text', text: say, citations: null }]),
      ...calls.map(({ id, name, arguments: given }) => ({ type: 'tool_use', id, name, input: given })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: usage.in, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: usage.out },
  }),
  *events(answer) {
    const event = (type, more) => [type, { type, ...more }];
    const { content, stop_reason, usage: counted, ...message } = anthropic.answer(answer);
    yield event('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...counted, output_tokens: 1 } },
    });
    for (const [index, block] of content.entries()) {
      const isText = block.type === 'text';
      yield event('content_block_start', { index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } });
      for (const piece of pieces(isText ? block.text : JSON.stringify(block.input))) {
        const delta = isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece };
        yield event('content_block_delta', { index, delta });
      }
      yield event('content_block_stop', { index });
    }
    yield event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.out } });
    yield event('message_stop', {});
  },
};

const protocols = [chat, responses, anthropic];
