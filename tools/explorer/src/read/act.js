// The page of an answer: the question, the text with what it cites beside it, the sources by their share, what became of
// them since, and the ratings. A response and the answer of the same request are one act and have one page.
import { partsOf } from '../calls.js';
import { h } from '../dom.js';
import { costText, countText, latencyText, percent, plural, scoreText } from '../form.js';
import { typeOfRef } from '../vocabulary.js';
import { answerText } from './answer_text.js';
import { effects, historySection, timeOfValue } from './generic.js';
import { firstWords, nodeLine, pageLink, titleOf } from './names.js';
import { ratingForm, raterLink, ratingsList, ratingsOf } from './ratings.js';
import { sinceThen } from './since.js';
import { Sources } from './sources.js';
import { bounded, callsOf, failureOf, lineOf, partsShown, plainText } from './texts.js';
import { questionIn, responseIn } from './xml.js';

const LOW = 0;

/** Everything that the server knows of the act. */
async function gather(view) {
  const { ask, node } = view;
  const same = node.edges?.find((edge) => edge.type === 'SAME_ACT');
  const otherRef = same && (same.from === node.ref ? same.to : same.from);
  const other = otherRef ? (await ask.nodes([otherRef], ['record', 'status'])).get(otherRef) : null;
  const response = node.type === 'Response' ? node : other;
  const answer = node.type === 'Answer' ? node : other;
  const request = answer?.id ?? response?.record?.request_id;
  const near = (method, type) =>
    response
      ? ask
          .withRecords(method, { ref: response.ref, depth: 1, edge_types: [type], include: ['record'], limit: 50 })
          .then(({ nodes }) => nodes)
          .catch(() => [])
      : [];
  const [rag, prompts, rendered, feedback, history] = await Promise.all([
    request ? ask.optional('rag.get', { request_id: request }) : null,
    near('lineage.ancestors', 'PROMPTED'),
    near('lineage.descendants', 'RENDERED_AS'),
    ratingsOf(view),
    ask.optional('history.get', { ref: node.ref, limit: 1 }),
  ]);
  const ofType = (nodes, type) => nodes.find((each) => each.type === type);
  const [query, reply] = await Promise.all(
    [ofType(prompts, 'XMLMessageAttachment'), ofType(rendered, 'XMLMessageAttachment')].map((each) =>
      each ? ask.xmlOf(each) : null,
    ),
  );
  const message = ofType(rendered, 'XMLMessageAttachment')?.record;
  const asked = rag?.query || query || response?.record?.prompt || !message ? null : await askedBefore(ask, message);
  return { response, answer, rag, prompts, rendered, feedback, history, query, reply, message, asked };
}

/** What was asked last before a message of a conversation: the question, where the response names none. */
async function askedBefore(ask, { topicId, createdAt }) {
  const listed = await ask.optional('attachment.list', { topicId, format: 'llm-query', limit: 1000 });
  const record = listed?.records.findLast((each) => each.createdAt <= createdAt);
  const xml = record && (await ask.xmlOf({ id: record.hash, record }));
  return xml ? questionIn(xml) : null;
}

/** The text that was answered, from wherever it was recorded. */
function textOf({ answer, response, reply }) {
  if (answer?.record?.answer) return answer.record.answer;
  if (response?.record?.content) return response.record.content;
  return reply ? responseIn(reply) : null;
}

function questionOf({ rag, query, response, asked }) {
  if (rag?.query?.question) return rag.query.question;
  return (query && questionIn(query)) || response?.record?.question || response?.record?.prompt || asked || null;
}

export async function actPage(view) {
  const { node } = view;
  const act = await gather(view);
  const question = questionOf(act);
  const text = textOf(act);
  const record = { ...act.answer?.record, ...act.response?.record };
  const failure = failureOf(act.response?.record);
  const sources = new Sources(view, act);
  const mean = act.feedback?.feedback_count > 0 ? act.feedback.mean_score : null;
  const dialogue = dialogueSection(view, act);
  const isLong = question && question.length > 200 && !dialogue;
  return {
    kind: act.response && act.answer ? 'Response and answer of one request' : undefined,
    title: firstWords(question, 200) || firstWords(text && lineOf(text), 160) || titleOf(node, 160),
    facts: factsOf(record, act),
    chips: [
      mean !== null &&
        h(
          'span',
          { class: `chip ${mean < LOW ? 'deprecated' : 'good'}` },
          `rated ${scoreText(mean)} in ${plural(act.feedback.feedback_count, 'rating')}`,
        ),
      mean !== null && mean < LOW && remark(act.feedback.records),
      failure && text && h('span', { class: 'chip deprecated' }, h('bdi', {}, `failed: ${firstWords(failure, 120)}`)),
      ...(record.flags ?? []).map((flag) => h('span', { class: 'chip' }, flag.replaceAll('_', ' '))),
      ...(act.answer?.record?.flags ?? [])
        .filter((flag) => !record.flags?.includes(flag))
        .map((flag) => h('span', { class: 'chip' }, flag.replaceAll('_', ' '))),
    ],
    sections: [
      isLong && { name: 'question', title: 'Question', body: plainText(view, 'question', question, { first: 2000 }) },
      {
        name: 'answer',
        title: 'Answer',
        body: text
          ? (callsIn(view, text, act) ?? answerText(view, text, act))
          : h(
              'p',
              { class: 'faint' },
              act.answer?.record?.message ??
                (node.expired
                  ? 'Its text is gone.'
                  : failure
                    ? ['The call failed: ', h('bdi', {}, firstWords(failure, 1000))]
                    : 'The text of this response was not recorded, only what it was made from.'),
              !failure && isWithoutTexts(act.response, record) && textsSwitch(),
            ),
      },
      dialogue,
      mean !== null && mean < LOW && { name: 'suspects', title: 'Blame: where to look first', body: () => sources.suspects() },
      { name: 'sources', title: 'Why: its sources', note: ' by their share in this answer, question and instructions last', body: () => sources.list(text) },
      { name: 'since', title: 'Stale: what changed since', body: () => sinceThen(view, act, sources) },
      {
        name: 'ratings',
        title: 'Ratings',
        note:
          act.feedback?.feedback_count > 0 && ` ${countText(act.feedback.feedback_count)}${mean === null ? '' : `, mean ${scoreText(mean)}`}`,
        body:
          ratingsList(view, act.feedback?.records ?? [], act.feedback?.feedback_count) ??
          h('p', { class: 'faint' }, 'Nobody has rated it yet.'),
      },
      !view.isKept && { name: 'rate', element: ratingForm(view, act.response ?? act.answer) },
      { name: 'effects', title: 'Impact: what came of it', body: () => effects(view, node.ref) },
      promptSection(view, act, dialogue ? { ...record, prompt: undefined } : record, Boolean(dialogue)),
      historySection(view),
    ].filter(Boolean),
  };
}

/** What the newest bad rating says, beside the mean. */
function remark(records) {
  const said = records.filter(({ score, feedback_text: text }) => score < LOW && text).sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0];
  return said && h('span', { class: 'remark' }, '“', h('bdi', {}, firstWords(said.feedback_text, 300)), '”', said.user_id && [' ', raterLink(said.user_id)]);
}

/** An answer that calls tools, in its parts; null where it is a text, or cites. */
function callsIn(view, text, { answer }) {
  return answer?.record?.citations?.length ? null : callsOf(view, 'answer', text);
}

/** Whether a response of telemetry has neither prompt nor answer: a failed call has its prompt, where texts are sent. */
const isWithoutTexts = (response, record) =>
  response &&
  !response.expired &&
  /^resp_[0-9a-f]{32}_[0-9a-f]{16}$/.test(response.id) &&
  !record.content &&
  !record.prompt &&
  !record.prompt_messages?.length;

/** What to switch on in a program whose spans come without texts. */
const textsSwitch = () =>
  h('span', { id: 'texts-switch' }, [
    ' The program that sent it does not send texts. To have them, set ',
    h('code', {}, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true'),
    ' (OpenTelemetry), ',
    h('code', {}, 'TRACELOOP_TRACE_CONTENT=true'),
    ' (OpenLLMetry), ',
    h('code', {}, 'OPENINFERENCE_HIDE_INPUTS=false'),
    ' and ',
    h('code', {}, 'OPENINFERENCE_HIDE_OUTPUTS=false'),
    ' (OpenInference), or ',
    h('code', {}, 'recordInputs: true, recordOutputs: true'),
    ' (AI SDK).',
  ]);

const topicLink = (topic, text = topic) => pageLink(`Topic:${topic}`, text);

function factsOf(record, { answer, message, rag }) {
  const counted = [['in', record.usage?.input_tokens], ['out', record.usage?.output_tokens]].filter(([, count]) => count !== undefined);
  return [
    (record.timestamp || answer?.record?.timestamp) && [
      'when',
      timeOfValue(record.timestamp ?? answer.record.timestamp),
    ],
    !record.timestamp && rag?.query?.timestamp && ['asked', timeOfValue(rag.query.timestamp)],
    record.agent && ['agent', h('bdi', {}, record.agent)],
    record.model && ['model', h('bdi', {}, record.model)],
    counted.length
      ? ['tokens', counted.map(([way, count]) => `${countText(count)} ${way}`).join(', ')]
      : record.token_count !== undefined && ['tokens', countText(record.token_count)],
    record.latency_ms !== undefined
      ? ['took', latencyText(record.latency_ms)]
      : record.processing_time_ms > 0 && ['took', latencyText(record.processing_time_ms)],
    record.cost !== undefined && ['cost', costText(record.cost)],
    answer?.record?.confidence !== undefined && ['confidence', percent(answer.record.confidence)],
    message?.topicId && message.topicId !== record.conversation && ['conversation', topicLink(message.topicId)],
    record.person && ['person', pageLink(`Person:${record.person}`, record.person)],
    record.conversation && [
      'session',
      // A conversation may be a session and a topic of one name: it is named once.
      [pageLink(`Session:${record.conversation}`, record.conversation), message?.topicId === record.conversation && [' · ', topicLink(message.topicId, 'messages')]],
    ],
  ].filter(Boolean);
}

/** The messages that the model was given, in their order, each once: calls of tools as calls, with what they gave. */
function dialogueSection(view, { response, prompts }) {
  const { prompt, prompt_messages: places } = response?.record ?? {};
  if (!prompt || !places?.length) return null;
  // Places are in code points.
  const points = /[\uD800-\uDBFF]/.test(prompt) ? Array.from(prompt) : null;
  const textAt = ({ start, end }) => (points ? points.slice(start, end).join('') : prompt.slice(start, end));
  const messages = places.map((place) => ({ role: place.role, parts: partsOf(textAt(place)), text: textAt(place) }));
  const calls = new Map(messages.flatMap(({ parts }) => parts.filter(({ call }) => call?.id).map(({ call }) => [call.id, call.name])));
  const units = new Map(prompts.filter(({ record }) => record?.content).map((unit) => [unit.record.content, unit]));
  const bubble = ({ role, parts, text }, i) => {
    const unit = units.get(text);
    const given = parts.find(({ result }) => result)?.result;
    const name = given?.name ?? calls.get(given?.id ?? unit?.record.attributes?.call_id);
    return h(
      'li',
      { class: `bubble ${role === 'user' ? 'mine' : ''}`, 'data-entry': i },
      h(
        'p',
        { class: 'who' },
        h('b', {}, h('bdi', {}, role)),
        name && h('span', {}, ' what ', h('code', {}, h('bdi', {}, name)), ' gave'),
        unit && h('span', { class: 'notes' }, pageLink(unit.ref, 'as a source')),
      ),
      partsShown(view, `dialogue ${i}`, parts),
    );
  };
  return {
    name: 'dialogue',
    title: 'Dialogue',
    note: ' what the model was given',
    body: h('ol', { class: 'plain conversation' }, bounded(view, 'dialogue', messages, 12, bubble)),
  };
}

function promptSection(view, { rag, prompts, response }, record, isTold) {
  const context = rag?.prompt_context;
  const refs = isTold ? [] : prompts.filter((each) => each.type !== 'XMLMessageAttachment');
  const parts = [
    context?.system_prompt && [
      h('h3', {}, 'System prompt'),
      plainText(view, 'system', context.system_prompt, { first: 2000 }),
    ],
    context?.formatted_context && [
      h('h3', {}, 'Context as the model saw it'),
      plainText(view, 'formatted', context.formatted_context, { first: 2000 }),
    ],
    record.prompt && [h('h3', {}, 'Prompt'), plainText(view, 'prompt', record.prompt, { first: 2000 })],
    refs.length > 0 && [
      h('h3', {}, 'Made from'),
      h(
        'ul',
        { class: 'plain' },
        refs.map((each) => h('li', {}, nodeLine(each))),
      ),
    ],
  ].filter(Boolean);
  if (parts.length === 0) return null;
  const summary = [
    context ? plural(context.retrieved_chunks.length, 'passage') : null,
    record.prompt && response?.record?.prompt ? `${countText(response.record.prompt.length)} characters` : null,
    ...new Set(
      refs.map((each) =>
        typeOfRef(each.ref)
          .replace(/([a-z])([A-Z])/g, '$1 $2')
          .toLowerCase(),
      ),
    ),
  ].filter(Boolean);
  return {
    name: 'prompt',
    title: 'Prompt',
    body: view.fold('prompt', `Show the prompt (${summary.join(', ')})`, parts),
  };
}
