// Records of every kind of page, beside the demo's: what the page tests and their pictures are made of.

const at = (minute) => new Date(Date.UTC(2025, 10, 3, 9, minute)).toISOString().replace('.000', '');
const ms = (minute) => Date.UTC(2025, 10, 3, 9, minute);

export const HOSTILE =
  '<img src=x onerror=alert(1)> "quoted" \u202Edesrever\u202C \u0007 [wiring.pdf] & <b>bold</b> '.repeat(3);

/** An answer and its response as one act, with citations, a prompt, units, a badly rated passage and what came of it. */
export async function writeAct(server) {
  await server.write(
    {
      $type$: 'Document',
      document_name: 'wiring.pdf',
      title: 'Wiring handbook',
      uri: 'postgres://db:5432/public.handbook',
      timestamp: at(0),
    },
    ...[1, 2, 5, 5, 7].map((page, i) => ({
      $type$: 'RetrievedChunk',
      chunk_id: `wiring_${i}`,
      content: [
        'Only trained staff may open a cabinet. Report every defect to the control room before work begins.',
        'Before work begins the main switch is opened and secured against being closed by others.',
        'A residual current device trips at 30 milliamperes within 300 milliseconds. Test it every month with its button.',
        'Sockets in wet rooms need a residual current device of their own.',
        'Cables of aluminium may be joined to copper with the clamp of type C only.',
      ][i],
      metadata: {
        document_name: 'wiring.pdf',
        page_number: page,
        section: i === 2 ? 'Protection, wet rooms' : undefined,
        chunk_index: i,
      },
    })),
    {
      $type$: 'Query',
      request_id: 'req_wiring_1',
      question: 'How often must a residual current device be tested, and at what current does it trip?',
      timestamp: at(1),
    },
    ...[2, 3, 1].map((chunk, i) => ({
      $type$: 'RetrievedChunk',
      chunk_id: `wiring_${chunk}`,
      content: [
        'Before work begins the main switch is opened and secured against being closed by others.',
        'A residual current device trips at 30 milliamperes within 300 milliseconds. Test it every month with its button.',
        'Sockets in wet rooms need a residual current device of their own.',
      ][chunk - 1],
      metadata: {
        document_name: 'wiring.pdf',
        page_number: [2, 5, 5][chunk - 1],
        section: chunk === 2 ? 'Protection, wet rooms' : undefined,
        chunk_index: chunk,
      },
      request_id: 'req_wiring_1',
      similarity_score: [0.93, 0.81, 0.66][i],
      rank: i + 1,
    })),
    {
      $type$: 'PromptContext',
      request_id: 'req_wiring_1',
      question: 'How often must a residual current device be tested, and at what current does it trip?',
      retrieved_chunks: [{ chunk_id: 'wiring_2' }, { chunk_id: 'wiring_3' }, { chunk_id: 'wiring_1' }],
      system_prompt: 'Answer from the context only. Cite with [NAME, page N].',
      formatted_context:
        'Context 1 [wiring.pdf, p.5]: A residual current device trips at 30 milliamperes within 300 milliseconds.',
    },
    {
      $type$: 'Answer',
      request_id: 'req_wiring_1',
      answer:
        'It trips at 30 milliamperes within 300 milliseconds [wiring.pdf, page 5].\n\n' +
        'Test it every month with its button [wiring.pdf, section Protection, wet rooms]. Before that, secure the main switch [wiring.pdf, page 2].\n\n' +
        'Nothing else is needed.',
      confidence: 0.8,
      processing_time_ms: 1840,
    },
    {
      $type$: 'ContextUnit',
      id: 'cu_tone_1',
      type: 'System',
      source: 'prompt:tone',
      timestamp: at(0),
      content: 'Answer in short sentences.\nName the page that you read.',
    },
    {
      $type$: 'Response',
      id: 'resp_wiring_1',
      request_id: 'req_wiring_1',
      timestamp: at(2),
      agent: 'handbook-assistant',
      model: 'gpt-4-turbo',
      prompt: 'You answer questions about the handbook.',
      content:
        'It trips at 30 milliamperes within 300 milliseconds. Test it every month with its button. Before that, secure the main switch.',
      usage: { input_tokens: 812, output_tokens: 61 },
      latency_ms: 1840,
      context_units: [
        { context_unit_id: 'cu_tone_1', weight: 0.25 },
        { ref: 'RetrievedChunk:wiring_2', weight: 0.75 },
      ],
    },
  );
  await server.write({
    $type$: 'FeedbackRecord',
    id: 'fb_wiring_1',
    response_id: 'resp_wiring_1',
    timestamp: at(3),
    score: -0.9,
    feedback_text: 'It is 10 milliamperes in wet rooms.',
    user_id: 'electrician',
  });
  await server.write({
    $type$: 'ContextUnit',
    id: 'cu_tone_2',
    type: 'System',
    source: 'prompt:tone',
    timestamp: at(4),
    content: 'Answer in full sentences.\nName the page and the section that you read.',
    version: 2,
    previous_version_id: 'cu_tone_1',
  });
}

/** A rated response of which only the sources were recorded. */
export async function writeWithoutText(server) {
  await server.write(
    {
      $type$: 'Response',
      id: 'resp_without_text',
      timestamp: at(5),
      agent: 'night-clerk',
      model: 'gpt-4-turbo',
      context_units: [
        { context_unit_id: 'cu_values_yaml_005', weight: 0.65 },
        { context_unit_id: 'cu_argo_appset_001', weight: 0.35 },
      ],
    },
    {
      $type$: 'FeedbackRecord',
      id: 'fb_without_text',
      response_id: 'resp_without_text',
      timestamp: at(6),
      score: 0.9,
      feedback_text: 'Nothing to complain of.',
    },
  );
}

/** A conversation of three exchanges, from which summaries, subjects and keywords come. */
export async function writeConversation(server) {
  const said = [
    [
      'When should we sow tomatoes?',
      'Sow them indoors in March, in a light place.',
      'tomatoes',
      'sowing',
      'Sowing times were explained.',
    ],
    ['And on a balcony?', 'In pots of ten litres, watered daily.', 'balcony', 'pots', 'Pots and watering were added.'],
    ['What about frost?', 'Not before the middle of May.', 'tomatoes', 'frost', 'Frost was named as the limit.'],
  ];
  const records = [{ $type$: 'Topic', id: 'garden', name: 'The garden', createdAt: ms(10) }];
  said.forEach(([question, answer, subject, term, update], i) => {
    const minute = 10 + 2 * i;
    records.push(
      { $type$: 'Message', id: `garden_q${i}`, topicId: 'garden', createdAt: ms(minute), role: 'user' },
      {
        $type$: 'XMLMessageAttachment',
        topicId: 'garden',
        messageId: `garden_q${i}`,
        format: 'llm-query',
        createdAt: ms(minute),
        xml: `<llmQuery><userMessage>${question}</userMessage><context topicId="garden" messageCount="${i}"><activeSubjects>${subject}</activeSubjects></context></llmQuery>`,
      },
      { $type$: 'Message', id: `garden_a${i}`, topicId: 'garden', createdAt: ms(minute + 1), role: 'assistant' },
      {
        $type$: 'XMLMessageAttachment',
        topicId: 'garden',
        messageId: `garden_a${i}`,
        format: 'llm-response',
        createdAt: ms(minute + 1),
        xml:
          `<llmResponse><response>${answer}</response><analysis><subject name="${subject}" description="What was said of ${subject}" isNew="${i < 2}">` +
          `<keyword term="${term}" confidence="0.9"/><keyword term="light" confidence="0.8"/></subject><summaryUpdate>${update}</summaryUpdate></analysis></llmResponse>`,
      },
    );
  });
  await server.rpc('records.write', { records });
}

/** A discussion of three rounds, two of them replaced by a summary, the last one open. */
export async function writeDiscussion(server) {
  const whose = { userId: 'plant', discussionId: 'pump/7' };
  const response = (persona, content) => ({ persona, content });
  const round = (roundNumber, texts) => ({
    $type$: 'DiscussionRound',
    ...whose,
    roundNumber,
    timestamp: ms(20 + roundNumber),
    analyzerResponse: response('Analyzer AI', texts[0]),
    solverResponse: response('Solver AI', texts[1]),
    moderatorResponse: response('Moderator AI', texts[2]),
  });
  await server.write(
    {
      $type$: 'Discussion',
      ...whose,
      topic: 'Why does pump 7 stop?',
      createdAt: ms(20),
      updatedAt: ms(20),
      needsUserInput: true,
    },
    round(1, ['It stops when the tank is full.', 'The float switch may stick.', 'Look at the switch first.']),
  );
  await server.write({
    ...round(1, ['It stops when the tank is full.', 'The float switch may stick.', 'Look at the switch first.']),
    questions: { switch: 'Is it wet?' },
    userAnswers: ['Yes, it is wet.'],
  });
  await server.write(round(2, ['Water got in.', 'Seal it, or move it up.', 'Seal it.']));
  await server.write({
    $type$: 'SummaryEntry',
    ...whose,
    roundNumber: 2,
    summary: 'The float switch was wet; it is sealed.',
    replacesRounds: [1, 2],
    createdAt: ms(24),
  });
  await server.rpc('discussion.addResponse', await opened(server, whose));
}

async function opened(server, whose) {
  const { roundNumber } = await server.rpc('discussion.open', whose);
  return { ...whose, roundNumber, persona: 'Analyzer AI', content: 'It ran for a week.' };
}

/** A pipeline that writes the table which the handbook is loaded from, twice. */
export async function writePipeline(server) {
  const job = { namespace: 'airflow', name: 'load_handbook' };
  const table = (name, facets = {}, outputFacets = undefined) => ({
    namespace: 'postgres://db:5432',
    name,
    facets,
    ...(outputFacets && { outputFacets }),
  });
  const facet = (value) => ({ _producer: 'https://example.org/p', _schemaURL: 'https://example.org/s', ...value });
  const columns = (...names) => ({ schema: facet({ fields: names.map((name) => ({ name, type: 'text' })) }) });
  const event = (eventType, runId, minute, columnNames, rows) => ({
    eventType,
    eventTime: at(minute),
    producer: 'https://example.org/p',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId, facets: {} },
    job: {
      ...job,
      facets: {
        documentation: facet({ description: 'Loads the handbook from the archive.' }),
        sql: facet({ query: 'INSERT INTO handbook SELECT * FROM archive' }),
      },
    },
    inputs: [table('public.archive', columns('id', 'page'))],
    outputs:
      eventType === 'COMPLETE'
        ? [table('public.handbook', columns(...columnNames), { outputStatistics: facet({ rowCount: rows }) })]
        : [],
  });
  for (const [run, minute, names, rows] of [
    ['01890000-0000-7000-8000-000000000001', 30, ['page', 'text'], 5],
    ['01890000-0000-7000-8000-000000000002', 40, ['page', 'text', 'section'], 8],
  ]) {
    for (const [type, after] of [
      ['START', 0],
      ['COMPLETE', 2],
    ]) {
      const answer = await fetch(`${server.url}/api/v1/lineage`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(event(type, run, minute + after, names, rows)),
      });
      if (!answer.ok) throw new Error(await answer.text());
    }
  }
}

/** Texts that nobody should trust, and long ones. */
export async function writeHostile(server) {
  await server.write(
    {
      $type$: 'ContextUnit',
      id: 'cu_hostile',
      type: 'External',
      source: `web:${HOSTILE}`.slice(0, 255),
      timestamp: at(50),
      content: HOSTILE,
      summary: HOSTILE.slice(0, 200),
    },
    {
      $type$: 'ContextUnit',
      id: 'cu_unbroken',
      type: 'External',
      source: 'web:long',
      timestamp: at(50),
      content: 'x'.repeat(4000),
    },
    {
      $type$: 'Response',
      id: 'resp_hostile',
      timestamp: at(51),
      agent: HOSTILE.slice(0, 90),
      model: 'm'.repeat(100),
      prompt: HOSTILE,
      content: `${HOSTILE}\n\n${'word '.repeat(200_000)}`,
      context_units: [
        { context_unit_id: 'cu_hostile', weight: 0.5 },
        { context_unit_id: 'cu_unbroken', weight: 0.5 },
      ],
    },
    {
      $type$: 'FeedbackRecord',
      id: 'fb_hostile',
      response_id: 'resp_hostile',
      timestamp: at(52),
      score: -1,
      feedback_text: HOSTILE,
      user_id: HOSTILE.slice(0, 90),
    },
  );
}

/** A response that many units and many responses lead to, a document of many passages, a long conversation. */
export async function writeLarge(server, { chunks = 1200, messages = 600 } = {}) {
  for (let from = 0; from < chunks; from += 500) {
    await server.rpc('records.write', {
      records: Array.from({ length: Math.min(500, chunks - from) }, (_, i) => ({
        $type$: 'RetrievedChunk',
        chunk_id: `long_${String(chunks - from - i).padStart(6, '0')}`,
        content: `Passage ${from + i} of the long document. `.repeat(8),
        metadata: { document_name: 'long.pdf', page_number: 1 + Math.floor((from + i) / 4), chunk_index: from + i },
      })),
    });
  }
  await server.rpc('records.write', {
    records: [{ $type$: 'Topic', id: 'long', name: 'A long talk', createdAt: ms(0) }],
  });
  for (let from = 0; from < messages; from += 500) {
    await server.rpc('records.write', {
      records: Array.from({ length: Math.min(500, messages - from) }, (_, i) => ({
        $type$: 'Message',
        id: `long_${from + i}`,
        topicId: 'long',
        createdAt: ms(0) + from + i,
        role: i % 2 ? 'assistant' : 'user',
        text: `Message number ${from + i}.`,
      })),
    });
  }
}
