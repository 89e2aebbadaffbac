// What the adapters share: calls of models and retrievals as records.

const text = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A unit of a tool's result. Equal results of one tool are one unit. */
export const toolUnit = (name, result) => ({ type: 'External', source: `tool:${name}`.slice(0, 255), content: text(result) });

/** Each source once. */
export const distinct = (units) => [...new Map(units.map((unit) => [JSON.stringify(unit), unit])).values()];

/** `{input_tokens, output_tokens}` without what is not known, or undefined. */
export function usageOf(input, output) {
  const usage = { ...(input >= 0 && { input_tokens: input }), ...(output >= 0 && { output_tokens: output }) };
  return Object.keys(usage).length ? usage : undefined;
}

/** A call of a tool as `{id, name, arguments}`, of a chat completion or a response; arguments that are JSON as their value. */
export function callOf({ id, call_id: called = id, function: named, name = named?.name, arguments: given = named?.arguments }) {
  const value = quietly(() => JSON.parse(given)) ?? given;
  return { type: 'tool_call', id: called, name, arguments: value };
}

const questionBytesMax = 1000;
const messagesMax = 10_000;

/** As much of a text as a question may have. */
function questionOf(given) {
  const bytes = new TextEncoder().encode(given);
  return bytes.length <= questionBytesMax ? given : new TextDecoder().decode(bytes.slice(0, questionBytesMax)).replace(/\uFFFD+$/u, '');
}

/** `prompt`, the messages in it by their places, and the question of messages `{role, content, calls}`. */
export function promptOf(messages) {
  let prompt = '';
  let length = 0; // in code points
  let question;
  const places = [];
  for (const { role, content, calls } of messages) {
    const said = [content === null || content === undefined ? '' : text(content), calls?.length ? JSON.stringify(calls) : ''].filter(Boolean).join('\n\n');
    const head = `${prompt && '\n\n'}${role}: `;
    const start = length + [...head].length;
    prompt += head + said;
    length = start + [...said].length;
    places.push({ role, start, end: length });
    if (role === 'user') question = said;
  }
  if (!prompt) return {};
  return { prompt, ...(places.length <= messagesMax && { prompt_messages: places }), ...(question && { question: questionOf(question) }) };
}

const earlierMax = 1000;

/** The latest answers that were recorded, to find them in later prompts. */
export function saidBefore() {
  const ids = new Map();
  const keyOf = (said, calls) => (calls?.length ? JSON.stringify(calls.map(({ id }) => id)) : `=${text(said ?? '')}`);
  return {
    note(id, said, calls) {
      if (!said && !calls?.length) return;
      const key = keyOf(said, calls);
      ids.delete(key);
      ids.set(key, id);
      if (ids.size > earlierMax) ids.delete(ids.keys().next().value);
    },
    in: (messages) =>
      messages.filter(({ role }) => role === 'assistant').flatMap(({ content, calls }) => ids.get(keyOf(content, calls)) ?? []),
  };
}

/** What an error says, shortened. */
export const errorOf = (error) => String(error?.message ?? error).slice(0, 1000);

/** Does the adapter's part of the work: nothing of it may reach the application. */
export function quietly(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** A chunk's id, as the server makes it of a passage. */
async function chunkId(document, page, content) {
  const crypto = globalThis.crypto?.subtle ? globalThis.crypto : (await import('node:crypto')).webcrypto;
  const bytes = new TextEncoder().encode(JSON.stringify([document, page ?? null, content]));
  const digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))];
  return `chunk_${digest.slice(0, 16).map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Whether a score is a number, or the text of one. */
const isSaid = (score) => (typeof score === 'number' || (typeof score === 'string' && score.trim() !== '')) && Number.isFinite(Number(score));

/** The records of a retrieval. `documents`: `{content, name, page, score}`. */
export async function retrieval(requestId, question, documents) {
  const timestamp = new Date().toISOString();
  const records = [{ $type$: 'Query', request_id: requestId, question: text(question).slice(0, 250).padEnd(3), timestamp }];
  for (const [index, { content, name, page, score }] of documents.entries()) {
    const document = String(name ?? 'unnamed').slice(0, 255) || 'unnamed';
    const number = Number.isInteger(page) && page >= 0 ? page : undefined;
    records.push({
      $type$: 'RetrievedChunk',
      request_id: requestId,
      rank: index + 1,
      chunk_id: await chunkId(document, number, content),
      content,
      metadata: { document_name: document, chunk_index: 0, ...(number !== undefined && { page_number: number }) },
      ...(isSaid(score) && { similarity_score: Math.min(1, Math.max(0, Number(score))) }),
    });
  }
  return records;
}
