// Calls of tools in what was said, and what tools gave, as those who record them write them: OpenTelemetry's conventions, the AI SDK,
// OpenAI, Anthropic, LangChain, Bedrock (with Strands) and Gemini.
import { readJson } from './json.js';

/** Texts that are JSON are read up to here. */
export const JSON_MAX = 200_000;

/** The value that a text is the JSON of: an object or a list; undefined where it is none. */
export function jsonIn(text) {
  const trimmed = text.length > JSON_MAX ? '' : text.trim();
  if (!/^(?:\{[^]*\}|\[[^]*\])$/.test(trimmed)) return undefined;
  try {
    return readJson(trimmed);
  } catch {
    return undefined;
  }
}

/** What a text of JSON says, else the value itself. */
const meant = (value) => (typeof value === 'string' ? (jsonIn(value) ?? value) : value);

const call = (id, name, given) => (typeof name === 'string' ? { call: { ...(id !== undefined && { id }), name, ...(given !== undefined && { arguments: meant(given) }) } } : null);

/** What a tool gave; a list of one text is that text. */
function result(id, name, given) {
  const parts = Array.isArray(given) ? given.map((each) => each?.text ?? each?.json) : [];
  const value = parts.length && parts.every((each) => each !== undefined) ? (parts.length === 1 ? parts[0] : parts) : given;
  return { result: { id, name, value: meant(value) ?? null } };
}

/** Forms that say by a member of which kind they are. */
const BY_MEMBER = {
  toolUse: ({ toolUseId, name, input }) => call(toolUseId, name, input),
  toolResult: ({ toolUseId, content }) => result(toolUseId, undefined, content),
  functionCall: ({ id, name, args }) => call(id, name, args),
  function_call: ({ id, name, args }) => call(id, name, args),
  functionResponse: ({ id, name, response }) => result(id, name, response),
  function_response: ({ id, name, response }) => result(id, name, response),
};

/** Forms that say it by their type. */
const BY_TYPE = {
  __proto__: null,
  tool_call: ({ id, name, arguments: given, args }) => call(id, name, given ?? args),
  tool_use: ({ id, name, input }) => call(id, name, input),
  // A tool that is described has the same type, and no arguments.
  function: ({ id, function: { name, arguments: given } = {} }) => (given === undefined ? null : call(id, name, given)),
  tool_call_response: ({ id, response, result: given }) => result(id, undefined, response ?? given),
  tool_result: ({ tool_use_id: id, content }) => result(id, undefined, content),
  'tool-result': ({ toolCallId: id, toolName: name, output, result: given }) => result(id, name, output?.value ?? output ?? given),
};

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The call of a tool or what a tool gave, that a value is; null where it is none. */
function actIn(value) {
  if (!isObject(value)) return null;
  const byType = BY_TYPE[value.type]?.(value);
  if (byType) return byType;
  for (const [name, read] of Object.entries(BY_MEMBER)) if (isObject(value[name]) && Object.keys(value).length === 1) return read(value[name]);
  const { toolCallId: id, toolName: name, input, args } = value;
  const given = input ?? args;
  return id === undefined || given === undefined ? null : call(id, name, given);
}

const partIn = (value) => actIn(value) ?? (isObject(value) && typeof value.text === 'string' && !value.thought ? { text: value.text } : null);

/** The parts of a value that is a call, or a list with calls or what tools gave, beside texts; null where it is none. */
function partsIn(value) {
  if (!Array.isArray(value)) return actIn(value) && [actIn(value)];
  const parts = value.map(partIn);
  return parts.every(Boolean) && parts.some(({ text }) => text === undefined) ? parts : null;
}

const TRIES = 8;

/** A line that has calls, or ends with them: what is before them, and their parts; null where it has none. */
function callsIn(line) {
  if (line.length > JSON_MAX || !/[}\]]\s*$/.test(line)) return null;
  const starts = /(?:^|\s)(?=\{\s*"|\[\s*\{)/g;
  for (let left = TRIES, found; left > 0 && (found = starts.exec(line)); left--) {
    const from = found.index + found[0].length;
    const parts = partsIn(jsonIn(line.slice(from)));
    if (parts) return { before: line.slice(0, from).trimEnd(), parts };
    if (found[0] === '') starts.lastIndex += 1;
  }
  return null;
}

/**
 * A message in its parts: calls of tools and what they gave, values of JSON, and text.
 * @returns {({call: {id?: string, name: string, arguments?: unknown}} | {result: {id?: string, name?: string, value: unknown}} |
 *   {value: unknown} | {text: string})[]}
 */
export function partsOf(message) {
  const whole = jsonIn(message);
  const own = partsIn(whole);
  if (own) return own;
  if (whole !== undefined) return [{ value: whole }];
  const parts = [];
  const say = (line) => {
    if (parts.at(-1)?.text !== undefined) parts.at(-1).text += `\n${line}`;
    else parts.push({ text: line });
  };
  for (const line of message.split('\n')) {
    const calls = callsIn(line);
    if (!calls || calls.before) say(calls ? calls.before : line);
    if (calls) parts.push(...calls.parts);
  }
  return parts.filter(({ text }) => text === undefined || /\S/.test(text));
}
