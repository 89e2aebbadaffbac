// What the programs do: six stories, the same for every package. `scripts` is what the model says in each.
// A program is run with the names of its stories, and MODEL_URL in its environment.

/** Passages of a handbook, the best first; a prompt gets the first two. */
export const passages = [
  { id: 'leave.md', text: 'Holidays are 25 days a year.', score: 0.9 },
  { id: 'part-time.md', text: 'Part-time staff have holidays in proportion to their hours.', score: 0.7 },
  { id: 'sick.md', text: 'Sick days are not taken off the holidays.', score: 0.4 },
  { id: 'pay.md', text: 'Salaries are paid on the 25th day of a month.', score: 0.2 },
];
export const inPrompt = passages.slice(0, 2);

/** What the tools give. One result is a text, one is JSON. */
export const tools = {
  weather: {
    description: 'The weather of a town',
    parameters: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
    run: ({ town }) => (town === 'Bern' ? 'It rains in Bern, 8 degrees.' : { town, sky: 'clear', degrees: 24 }),
  },
  pack: {
    description: 'Packs things for a trip',
    parameters: { type: 'object', properties: { things: { type: 'array', items: { type: 'string' } } }, required: ['things'] },
    run: ({ things }) => `Packed: ${things.join(' and ')}.`,
  },
};

export const scripts = {
  chat: [{ say: 'Returns are free for 30 days.' }],
  rag: [{ say: 'You have 25 days.' }],
  agent: [
    {
      call: [
        { name: 'weather', arguments: { town: 'Bern' } },
        { name: 'weather', arguments: { town: 'Rome' } },
      ],
    },
    { say: 'I pack for both.', call: [{ name: 'pack', arguments: { things: ['coat', 'hat'] } }] },
    { say: 'Wear the coat in Bern and the hat in Rome.' },
  ],
  stream: [{ call: [{ name: 'weather', arguments: { town: 'Bern' } }] }, { say: 'It rains in Bern today, so take an umbrella with you.' }],
  retry: [{ fail: 503 }, { say: 'The second attempt has an answer.' }],
  turns: [{ say: 'The way to the Niesen is steep and has a fine view.' }, { say: 'It takes five hours to the top.' }],
};

export const names = { service: 'travel-service', agent: 'planner', session: 'session-7', user: 'ann' };

export const asked = {
  chat: { system: 'You answer for a shop.', question: 'How long are returns free?' },
  rag: { system: `Answer from these passages:\n${inPrompt.map(({ text }) => text).join('\n')}`, question: 'How many holidays do I have?' },
  agent: { system: 'You plan trips.', question: 'What should I wear in Bern and in Rome?' },
  stream: { system: 'You plan trips.', question: 'Do I need an umbrella in Bern?' },
  retry: { system: 'You answer for a shop.', question: 'Is there an answer now?' },
  turns: { system: 'You know the mountains.', questions: ['Which way near Bern has a view?', 'How long does it take?'] },
};

/**
 * Runs stories with a client of a model. `ask(messages, {tools, stream})` gives `{text, calls, message}`. What the package has
 * for it, else nothing, is around: `agent(name, act)`, `tool(call, act)`, `retrieve(question, act)`, `session(act)`.
 */
export async function tell(stories, ask, around = {}) {
  for (const story of stories) await tellOne(story, ask, around);
}

async function tellOne(story, ask, around) {
  const { agent, tool, retrieve, session } = {
    agent: (_, act) => act(),
    tool: (_, act) => act(),
    retrieve: (_, act) => act(),
    session: (act) => act(),
    ...around,
  };
  const { system, question, questions } = asked[story];
  const messages = [{ role: 'system', text: system }];

  /** Asks until there is no call of a tool. */
  async function answer(options) {
    for (;;) {
      const { text, calls, message } = await ask(messages, options);
      messages.push({ role: 'assistant', text, calls, message });
      if (calls.length === 0) return text;
      const results = await Promise.all(
        calls.map(async (call) => ({ call, result: await tool(call, async () => tools[call.name].run(call.arguments)) })),
      );
      for (const { call, result } of results) {
        messages.push({ role: 'tool', id: call.id, text: typeof result === 'string' ? result : JSON.stringify(result) });
      }
    }
  }

  if (story === 'turns') {
    for (const each of questions) {
      messages.push({ role: 'user', text: each });
      await session(() => agent(names.agent, () => answer({}), each));
    }
    return;
  }
  messages.push({ role: 'user', text: question });
  if (story === 'chat') await answer({});
  else if (story === 'rag') {
    await agent(
      names.agent,
      async () => {
        await retrieve(question, async () => passages);
        return answer({});
      },
      question,
    );
  } else if (story === 'agent' || story === 'stream') {
    await agent(names.agent, () => answer({ tools, stream: story === 'stream' }), question);
  } else if (story === 'retry') {
    await agent(names.agent, () => answer({}).catch(() => answer({})), question);
  }
}

const functions = (given) =>
  Object.entries(given ?? {}).map(([name, { description, parameters }]) => ({ name, description, parameters }));

/** OpenAI's chat completions. `how` is added to each request. */
export const byChat = (client, how = {}) =>
  async function ask(messages, { tools: given, stream }) {
    const body = {
      model: 'gpt-5',
      messages: messages.map(
        ({ role, text, id, message }) => message ?? (role === 'tool' ? { role, tool_call_id: id, content: text } : { role, content: text }),
      ),
      ...(given && { tools: functions(given).map((each) => ({ type: 'function', function: each })) }),
      ...how,
    };
    let message;
    if (stream) {
      message = { role: 'assistant', content: null };
      for await (const { choices } of await client.chat.completions.create({ ...body, stream, stream_options: { include_usage: true } })) {
        const { content, tool_calls: calls } = choices[0]?.delta ?? {};
        if (content) message.content = (message.content ?? '') + content;
        for (const call of calls ?? []) {
          message.tool_calls ??= [];
          const known = (message.tool_calls[call.index] ??= { id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } });
          known.function.arguments += call.function.arguments;
        }
      }
    } else {
      const { content, tool_calls: calls } = (await client.chat.completions.create(body)).choices[0].message;
      message = { role: 'assistant', content, ...(calls && { tool_calls: calls }) };
    }
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: JSON.parse(text) }));
    return { text: message.content ?? '', calls, message };
  };

/** OpenAI's responses. */
export const byResponses = (client) =>
  async function ask(messages, { tools: given, stream }) {
    const [{ text: instructions }, ...rest] = messages;
    const body = {
      model: 'gpt-5',
      instructions,
      input: rest.flatMap(({ role, text, id, message }) => {
        if (message) return message;
        return role === 'tool' ? { type: 'function_call_output', call_id: id, output: text } : { role, content: text };
      }),
      ...(given && { tools: functions(given).map((each) => ({ type: 'function', strict: false, ...each })) }),
    };
    let whole;
    if (stream) {
      for await (const event of await client.responses.create({ ...body, stream })) {
        if (event.type === 'response.completed') whole = event.response;
      }
    } else {
      whole = await client.responses.create(body);
    }
    const calls = whole.output
      .filter(({ type }) => type === 'function_call')
      .map((each) => ({ id: each.call_id, name: each.name, arguments: JSON.parse(each.arguments) }));
    const said = whole.output.filter(({ type }) => type === 'message').flatMap(({ content }) => content.map(({ text }) => text));
    return { text: said.join(''), calls, message: whole.output };
  };

/** Anthropic's messages. */
export const byMessages = (client) =>
  async function ask(messages, { tools: given, stream }) {
    const [{ text: system }, ...rest] = messages;
    const body = { model: 'claude-5', max_tokens: 1000, system, messages: [] };
    for (const { role, text, id, message } of rest) {
      if (role !== 'tool') body.messages.push(message ?? { role, content: text });
      else {
        const part = { type: 'tool_result', tool_use_id: id, content: text };
        const last = body.messages.at(-1);
        if (last.role === 'user') last.content.push(part);
        else body.messages.push({ role: 'user', content: [part] });
      }
    }
    if (given) body.tools = functions(given).map(({ parameters, ...each }) => ({ ...each, input_schema: parameters }));
    let content;
    if (stream) {
      content = [];
      for await (const event of await client.messages.create({ ...body, stream })) {
        const { type, index, content_block: block, delta } = event;
        if (type === 'content_block_start') content[index] = block.type === 'tool_use' ? { ...block, input: '' } : block;
        if (delta?.type === 'text_delta') content[index].text += delta.text;
        if (delta?.type === 'input_json_delta') content[index].input += delta.partial_json;
      }
      for (const block of content) if (block.type === 'tool_use') block.input = JSON.parse(block.input);
    } else {
      ({ content } = await client.messages.create(body));
    }
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, arguments: input }));
    const text = content.map((part) => part.text ?? '').join('');
    return { text, calls, message: { role: 'assistant', content } };
  };
