// JSON as text that somebody is writing: where its parts are, where it is broken, and what the cursor is in.
import { readIntegers } from '../json.js';

/**
 * Reads JSON text and keeps where each value begins and ends.
 * @returns {{value?: any, places: Map<string, {from: number, to: number}>, error?: {message: string, at: number}}} places by
 *   JSON Pointer
 */
export function parseText(text) {
  const places = new Map();
  let at = 0;
  const fail = (message) => {
    throw Object.assign(new Error(message), { at });
  };
  const space = () => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const readString = () => {
    const from = at;
    at += 1;
    while (text[at] !== '"') {
      if (at >= text.length || text[at] === '\n') {
        at = from;
        fail('This text has no end: a quotation mark is missing.');
      }
      at += text[at] === '\\' ? 2 : 1;
    }
    at += 1;
    try {
      return JSON.parse(text.slice(from, at));
    } catch {
      at = from;
      return fail('This text has an escape that JSON does not know.');
    }
  };
  const readList = (path, depth) => {
    const list = [];
    at += 1;
    space();
    if (text[at] === ']') {
      at += 1;
      return list;
    }
    for (;;) {
      list.push(readValue(`${path}/${list.length}`, depth));
      space();
      if (text[at] === ']') break;
      if (text[at] !== ',') fail('A comma or ] is missing here.');
      at += 1;
    }
    at += 1;
    return list;
  };
  const readObject = (path, depth) => {
    const object = {};
    at += 1;
    space();
    if (text[at] === '}') {
      at += 1;
      return object;
    }
    for (;;) {
      space();
      if (text[at] !== '"') fail('The name of a member, in quotation marks, is missing here.');
      const from = at;
      const name = readString();
      const own = `${path}/${escaped(name)}`;
      places.set(`${own}#`, { from, to: at });
      space();
      if (text[at] !== ':') fail('A colon is missing here.');
      at += 1;
      const value = readValue(own, depth);
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      space();
      if (text[at] === '}') break;
      if (text[at] !== ',') fail('A comma or } is missing here.');
      at += 1;
    }
    at += 1;
    return object;
  };
  const readValue = (path, depth) => {
    space();
    if (depth > 100) fail('This is nested too deep.');
    const from = at;
    let value;
    if (text[at] === '{') value = readObject(path, depth + 1);
    else if (text[at] === '[') value = readList(path, depth + 1);
    else if (text[at] === '"') value = readString();
    else {
      const word = /^[^\s,\]}]*/.exec(text.slice(at, at + 64))[0];
      try {
        value = readIntegers(word);
      } catch {
        fail(word ? `${word} is no JSON value; texts need quotation marks.` : 'A value is missing here.');
      }
      at += word.length;
    }
    places.set(path, { from, to: at });
    return value;
  };
  try {
    const value = readValue('', 0);
    space();
    if (at < text.length) fail('The JSON ends before this.');
    return { value, places };
  } catch (error) {
    if (error.at === undefined) throw error;
    return { places, error: { message: error.message, at: error.at } };
  }
}

const escaped = (name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

export const pointerOf = (path) => path.map((part) => `/${escaped(part)}`).join('');

/** Where a path of the params is in the text: the value, else its name, else what is nearest around it. */
export function placeOfPath(places, pointer) {
  for (let path = pointer; ; path = path.slice(0, path.lastIndexOf('/'))) {
    const place = places.get(path) ?? places.get(`${path}#`);
    if (place || !path) return place ?? null;
  }
}

/** Line and column, both from 1. */
export function lineOf(text, at) {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: before.at(-1).length + 1 };
}

/**
 * What the cursor is in.
 * @returns {{path: (string|number)[], at: 'key'|'value'|'', from: number, typed: string, isQuoted: boolean, known: string[]}}
 *   `from` is where the typed part begins, with its quotation mark
 */
export function contextAt(text, cursor) {
  const stack = [];
  let expects = 'value';
  let i = 0;
  const top = () => stack.at(-1);
  const pathOf = () => stack.map((level) => (level.isList ? level.index : level.key)).filter((part) => part !== null);
  const answer = (at, from, typed, isQuoted) => ({
    path: at === 'key' ? stack.slice(0, -1).map((level) => (level.isList ? level.index : level.key)) : pathOf(),
    at,
    from,
    typed,
    isQuoted,
    known: at === 'key' ? (top()?.known ?? []) : [],
  });
  while (i < cursor) {
    const char = text[i];
    if (char === '"') {
      let end = i + 1;
      while (end < cursor && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      if (end >= cursor) return answer(expects, i, text.slice(i + 1, cursor), true);
      const content = text.slice(i + 1, end);
      if (expects === 'key' && top()) {
        top().key = content;
        top().known.push(content);
        expects = 'colon';
      } else expects = 'comma';
      i = end + 1;
      continue;
    }
    if (char === '{') {
      stack.push({ isList: false, key: null, known: [] });
      expects = 'key';
    } else if (char === '[') {
      stack.push({ isList: true, index: 0 });
      expects = 'value';
    } else if (char === '}' || char === ']') {
      stack.pop();
      expects = 'comma';
    } else if (char === ':') expects = 'value';
    else if (char === ',') {
      if (top()?.isList) top().index += 1;
      else if (top()) top().key = null;
      expects = top()?.isList ? 'value' : 'key';
    } else if (!/\s/.test(char)) {
      let end = i;
      while (end < cursor && /[^\s,:\]}{["]/.test(text[end])) end += 1;
      if (end >= cursor) return answer(expects, i, text.slice(i, cursor), false);
      expects = expects === 'value' ? 'comma' : expects;
      i = end;
      continue;
    }
    i += 1;
  }
  return ['key', 'value'].includes(expects) ? answer(expects, cursor, '', false) : answer('', cursor, '', false);
}
