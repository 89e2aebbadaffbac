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
      similarity_score: Math.min(1, Math.max(0, Number(score) || 0)),
    });
  }
  return records;
}
