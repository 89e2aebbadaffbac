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

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Members that say nothing beside a call, what a tool gave, or a text. */
const SILENT = { __proto__: null, status: ['success'], is_error: [false], isError: [false] };

/** What an object says beside the members that were read: `{rest}`, or nothing. */
function beside(object, ...read) {
  const left = Object.entries(object).filter(([name, value]) => !read.includes(name) && value !== null && !SILENT[name]?.includes(value));
  return left.length ? { rest: Object.fromEntries(left) } : {};
}

const call = (id, name, given, more) =>
  typeof name === 'string' ? { call: { ...(id !== undefined && { id }), name, ...(given !== undefined && { arguments: meant(given) }) }, ...more } : null;

/** What an entry of what a tool gave says, where that is all of it. */
const saidAlone = (each) => (isObject(each) && Object.keys(each).every((name) => ['type', 'text', 'json'].includes(name)) ? (each.text ?? each.json) : undefined);

/** What a tool gave; a list of one text is that text. */
function result(id, name, given, more) {
  const parts = Array.isArray(given) ? given.map(saidAlone) : [];
  const value = parts.length && parts.every((each) => each !== undefined) ? (parts.length === 1 ? parts[0] : parts) : given;
  return { result: { id, name, value: meant(value) ?? null }, ...more };
}

const calledBy = (value, id, given) => call(value[id], value.name, value[given], beside(value, id, 'name', given));

const responseOf = (value) => result(value.id, value.name, value.response, beside(value, 'id', 'name', 'response'));

/** Forms that say by a member of which kind they are. */
const BY_MEMBER = {
  toolUse: (value) => calledBy(value, 'toolUseId', 'input'),
  toolResult: (value) => result(value.toolUseId, undefined, value.content, beside(value, 'toolUseId', 'content')),
  functionCall: (value) => calledBy(value, 'id', 'args'),
  function_call: (value) => calledBy(value, 'id', 'args'),
  functionResponse: responseOf,
  function_response: responseOf,
};

/** The value of what the AI SDK's tools gave; of another kind than a text or JSON, as an error, the whole. */
const outputIn = (output) => (isObject(output) && ['text', 'json'].includes(output.type) && Object.keys(output).length === 2 ? output.value : output);

/** Forms that say it by their type. */
const BY_TYPE = {
  __proto__: null,
  tool_call: (value) => calledBy(value, 'id', value.arguments === undefined ? 'args' : 'arguments'),
  tool_use: (value) => calledBy(value, 'id', 'input'),
  // A tool that is described has the same type, and no arguments.
  function: ({ id, function: own, ...others }) =>
    own?.arguments === undefined ? null : call(id, own.name, own.arguments, beside({ ...others, ...own }, 'name', 'arguments')),
  tool_call_response: ({ id, response, ...others }) =>
    result(id, undefined, response ?? others.result, beside(others, ...(response === undefined ? ['result'] : []))),
  tool_result: ({ tool_use_id: id, content, ...others }) => result(id, undefined, content, beside(others)),
  'tool-result': ({ toolCallId: id, toolName: name, output, ...others }) =>
    result(id, name, outputIn(output) ?? others.result, beside(others, ...(output === undefined ? ['result'] : []))),
};

/** The call of a tool or what a tool gave, that a value is, with what else it says; null where it is none. */
function actIn(value) {
  if (!isObject(value)) return null;
  const { type, ...own } = value;
  const byType = BY_TYPE[type]?.(own);
  if (byType) return byType;
  for (const [name, read] of Object.entries(BY_MEMBER)) if (isObject(value[name]) && Object.keys(value).length === 1) return read(value[name]);
  const { toolCallId: id, toolName: name, ...others } = value;
  const member = others.input === undefined ? 'args' : 'input';
  return id === undefined || others[member] === undefined ? null : call(id, name, others[member], beside(others, member, ...(type === 'tool-call' ? ['type'] : [])));
}

const TEXT_TYPES = ['text', 'input_text', 'output_text'];

/** A text with what else is said of it. */
const textIn = ({ text, type, ...others }) => ({ text, ...beside(TEXT_TYPES.includes(type) || type === undefined ? others : { type, ...others }) });

const partIn = (value) => actIn(value) ?? (isObject(value) && typeof value.text === 'string' && !value.thought ? textIn(value) : null);

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
 * A message in its parts: calls of tools and what they gave, values of JSON, and text. `rest` is what a part says beside that.
 * @returns {(({call: {id?: string, name: string, arguments?: unknown}} | {result: {id?: string, name?: string, value: unknown}} |
 *   {value: unknown} | {text: string}) & {rest?: object})[]}
 */
export function partsOf(message) {
  const whole = jsonIn(message);
  const own = partsIn(whole);
  if (own) return own;
  if (whole !== undefined) return [{ value: whole }];
  const parts = [];
  const say = (line) => {
    if (parts.at(-1)?.text !== undefined && !parts.at(-1).rest) parts.at(-1).text += `\n${line}`;
    else parts.push({ text: line });
  };
  for (const line of message.split('\n')) {
    const calls = callsIn(line);
    if (!calls || calls.before) say(calls ? calls.before : line);
    if (calls) parts.push(...calls.parts);
  }
  return parts.filter(({ text, rest }) => text === undefined || rest || /\S/.test(text));
}
