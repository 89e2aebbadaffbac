// Compares what a server recorded of a program's calls with what went over the wire to the model.
import { inPrompt } from './stories.mjs';

const sameJson = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** All objects and lists in a text of JSON pieces between other text. */
function jsonIn(text) {
  const found = [];
  for (let at = 0; at < text.length; ++at) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    for (let end = text.length; end > at; --end) {
      if (text[end - 1] !== '}' && text[end - 1] !== ']') continue;
      try {
        found.push(JSON.parse(text.slice(at, end)));
        at = end - 1;
        break;
      } catch {
        // a shorter piece may be JSON
      }
    }
  }
  return found;
}

/** Every object within a value, values of JSON texts included. */
function* objectsIn(value) {
  if (typeof value === 'string') {
    if (/^\s*[{[]/.test(value)) {
      try {
        yield* objectsIn(JSON.parse(value));
      } catch {
        // no JSON
      }
    }
    return;
  }
  if (!value || typeof value !== 'object') return;
  yield value;
  for (const each of Object.values(value)) yield* objectsIn(each);
}

/** Does the text name this call of a tool, by its name and its arguments? */
function saysCall(text, call) {
  const objects = [...objectsIn(jsonIn(text))];
  return objects.some((each) => each.name === call.name || each.toolName === call.name) && objects.some((each) => sameJson(each, call.arguments));
}

/** What is wrong with a text that should be a message's text and calls. */
function unlike(text, { text: said = '', calls = [] }) {
  const wrong = [];
  if (calls.length === 0 ? text !== said : !text.includes(said)) wrong.push(`${JSON.stringify(text)} is not ${JSON.stringify(said)}`);
  for (const call of calls) if (!saysCall(text, call)) wrong.push(`${JSON.stringify(text)} lacks the call ${JSON.stringify(call)}`);
  return wrong;
}

/** Messages of the model, and results of tools, that follow each other are one: what protocols call a message differs in these. */
function joined(messages) {
  const found = [];
  for (const { role, text, calls = [] } of messages) {
    const last = found.at(-1);
    if (last && last.role === role && (role === 'assistant' || role === 'tool')) {
      last.texts.push(text);
      last.calls.push(...calls);
    } else {
      found.push({ role, texts: [text], calls: [...calls] });
    }
  }
  return found.map(({ role, texts, calls }) => ({ role, text: texts.filter(Boolean).join('\n\n'), calls }));
}

/** What a call was made from: results of tools, passages and answers in its prompt. */
function truth(request, earlier, hasPassages) {
  const expected = [];
  for (const { role, text, result } of request.messages) if (role === 'tool') expected.push({ kind: 'tool', text, id: result });
  if (hasPassages) for (const { id, text } of inPrompt) if (request.messages.some((each) => each.text.includes(text))) expected.push({ kind: 'passage', id, text });
  for (const each of earlier) {
    const isGiven = request.messages.some(
      ({ role, text, calls }) =>
        role === 'assistant' && (each.calls.length > 0 ? sameJson(calls.map(({ id }) => id), each.calls.map(({ id }) => id)) : text === each.say),
    );
    if (isGiven) expected.push({ kind: 'answer', request: each });
  }
  return expected;
}

/**
 * Compares the records on `server` with `requests` of a model server. `expect` of each says what the package can say: `agent`,
 * `conversation`, `person`, `passages`; `isAsked`: the model is that which was asked for, `hasNoUsage`, `hasNoModel`, `hasNoUnits`:
 * its messages are no records; `isShortened`: of calls and results of tools the prompt has the tools' names alone, so that results are known by
 * place and answers that are calls are not; `hasTextOnly`, `hasUnjoinedCalls`: of an answer with calls it says the text alone, or
 * no ids of calls, so that later prompts do not join it; `hasNoInstructions`, `hasNoTexts`: of an attempt that failed; `isSilent`: of an attempt that failed. Returns the numbers and what is wrong.
 */
export async function score(server, requests) {
  const wrong = [];
  const result = { calls: requests.length, responses: 0, right: 0, wrong: 0, missing: 0, faults: wrong };
  const responses = await server.records('Response');
  result.responses = responses.length;
  const left = new Set(responses);
  const recorded = new Map();
  for (const request of requests) {
    if (request.fail && request.expect.isSilent) continue; // the package does not tell of it
    const isIt = (each) => {
      if (request.fail) return !each.content && /503|overloaded/i.test(JSON.stringify(each));
      if (!each.content) return false;
      const isText = request.expect.hasTextOnly && request.say;
      return unlike(each.content, { text: request.say, calls: isText ? [] : request.calls }).length === 0;
    };
    const found = [...left].find(isIt);
    if (found) {
      left.delete(found);
      recorded.set(request, found);
    } else {
      wrong.push(`no response for ${JSON.stringify(request.fail ?? { say: request.say, calls: request.calls })}`);
    }
  }
  for (const each of left) wrong.push(`a response too many: ${JSON.stringify({ id: each.id, content: each.content, prompt: each.prompt })}`);

  for (const [at, request] of requests.entries()) {
    const response = recorded.get(request);
    if (!response) continue;
    const { expect } = request;
    const say = (text) => wrong.push(`call ${at + 1}: ${text}`);
    const same = (name, value, right) => {
      if (!sameJson(value, right)) say(`${name} is ${JSON.stringify(value)}, not ${JSON.stringify(right)}`);
    };
    const points = [...(response.prompt ?? '')];
    const said = (response.prompt_messages ?? []).map(({ role, start, end }) => ({ role, text: points.slice(start, end).join('') }));
    if (request.fail && expect.hasNoTexts) continue;
    const told = request.fail && expect.hasNoInstructions ? request.messages.filter(({ role }) => role !== 'system') : request.messages;
    const [recordedMessages, sent] = [joined(said), joined(told)];
    if (recordedMessages.length !== sent.length) {
      say(`messages ${JSON.stringify(said)}, sent were ${JSON.stringify(request.messages)}`);
    } else {
      for (const [n, message] of sent.entries()) {
        // Results of tools are said by the user to Anthropic's models.
        const isToAnthropic = request.protocol === '/messages' && recordedMessages[n].role === 'user';
        if (message.role !== 'tool' || !isToAnthropic) same(`role ${n}`, recordedMessages[n].role, message.role);
        if (expect.isShortened && ['assistant', 'tool'].includes(message.role)) continue;
        for (const each of unlike(recordedMessages[n].text, message)) say(`message ${n}: ${each}`);
      }
    }
    same('question', response.question, request.messages.filter(({ role }) => role === 'user').at(-1).text);
    same('agent', response.agent, expect.agent);
    if (!expect.hasNoModel) same('model', response.model, request.fail || expect.isAsked ? request.model : `${request.model}-2026`);
    if (!request.fail) same('usage', response.usage, expect.hasNoUsage ? undefined : { input_tokens: 21, output_tokens: 7 });
    same('conversation', response.conversation, expect.conversation);
    same('person', response.person, expect.person);

    const expected = truth(request, requests.slice(0, at), expect.passages);
    const { nodes } = await server.rpc('lineage.ancestors', { ref: `Response:${response.id}`, depth: 1, include: ['record', 'edges'] });
    const taken = new Set();
    const messages = [];
    for (const node of nodes) {
      const edge = node.edges.find(({ from, to }) => from === `Response:${response.id}` || to === `Response:${response.id}`);
      const { $type$: type } = node.record;
      const content = node.record.content ?? '';
      const match = expected.find((each) => {
        if (taken.has(each)) return false;
        if (each.kind === 'answer') return type === 'Response' && node.record.id === recorded.get(each.request)?.id;
        if (each.kind === 'passage') return type === 'RetrievedChunk' && content === each.text && node.record.metadata.document_name === each.id;
        return type === 'ContextUnit' && /^tool:/.test(node.record.source) && (content === each.text || sameJson(content, each.text));
      });
      if (match) {
        taken.add(match);
        ++result.right;
        if (edge.basis === 'place' && !expect.isShortened) say(`known by place only: ${JSON.stringify(match)}`);
      } else if (edge.role) {
        messages.push(`${edge.role}: ${content}`);
      } else {
        ++result.wrong;
        const isOfCall = /^message:(assistant|tool)$/.test(node.record.source);
        if (!(isOfCall || type === 'Response') || !(expect.isShortened || expect.hasUnjoinedCalls)) say(`wrong source ${JSON.stringify({ type, id: node.id, source: node.record.source, content, basis: edge.basis })}`);
      }
    }
    const roles = { system: 'instruction', user: 'question' };
    const own = told.filter(({ role }) => roles[role]).map(({ role, text }) => `${roles[role]}: ${text}`);
    if (!expect.hasNoUnits) same('its instructions and questions', messages.sort(), own.sort());
    for (const each of expected) {
      if (taken.has(each)) continue;
      ++result.missing;
      if (!each.request?.calls.length || !(expect.isShortened || expect.hasUnjoinedCalls)) say(`missing source ${JSON.stringify({ ...each, request: undefined })}`);
    }
  }
  return result;
}

