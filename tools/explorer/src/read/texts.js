// Texts of any length: their first part, and more of it by a click. Set as text only, each with its own direction.
import { h } from '../dom.js';
import { JSON_MAX, partsOf } from '../calls.js';
import { countText, plural } from '../form.js';
import { isScalar, laidOut as inLines } from '../json.js';

const FIRST = 6000;
const MORE = 10;

const ENTRIES_MAX = 8;

/** The entries of an object in a line: `order: 4711, fields: 2 entries`. */
function entriesIn(value) {
  if (isScalar(value)) return String(value);
  if (Array.isArray(value)) return value.every(isScalar) ? value.slice(0, ENTRIES_MAX).join(', ') : plural(value.length, 'entry', 'entries');
  return Object.entries(value)
    .slice(0, ENTRIES_MAX)
    .map(([name, each]) => `${name}: ${Array.isArray(each) || isScalar(each) ? entriesIn(each) : '…'}`)
    .join(', ');
}

function wordsOf({ text, call, result, value }) {
  if (call) return `${call.name}(${entriesIn(call.arguments ?? {})})`;
  return text ?? entriesIn(result ? result.value : value);
}

/** A message in a line, without the signs of JSON: `find_order(order: 4711)`. */
export const lineOf = (message) => partsOf(message.slice(0, JSON_MAX)).map(wordsOf).join(' ');

/** A value of JSON laid out, bounded. */
export function laidOut(view, key, value) {
  const text = inLines(value);
  return [h('pre', { class: 'json', dir: 'ltr' }, upTo(text, shownOf(view, key, text, 2000))), moreOfText(view, key, text, 2000)];
}

/** How much of a text is shown by now; grows tenfold by each click. */
export const shownOf = (view, key, text, first = FIRST) => Math.min(text.length, view.limit(key, first));

/** The part of `text` up to `end`, not cutting a character in two. */
export const upTo = (text, end) =>
  end >= text.length ? text : text.slice(0, /[\uD800-\uDBFF]/.test(text[end - 1]) ? end - 1 : end);

/** A button that shows more of a text, null where all of it is shown. */
export function moreOfText(view, key, text, first = FIRST) {
  const end = shownOf(view, key, text, first);
  if (end >= text.length) return null;
  return h(
    'p',
    { class: 'more' },
    h('button', { type: 'button', 'data-more': key, onclick: () => view.more(key, end * MORE) }, 'Show more'),
    h('span', { class: 'faint' }, ` ${countText(end)} of ${countText(text.length)} characters`),
  );
}

/** A text as it was written, bounded. */
export function plainText(view, key, text, { first = FIRST, kind = '' } = {}) {
  return [
    h('div', { class: `text ${kind}`, dir: 'auto' }, upTo(text, shownOf(view, key, text, first))),
    moreOfText(view, key, text, first),
  ];
}

/** A part of a message: its words, JSON laid out, or a call with its arguments; then what else it says. */
function partOf(view, key, { text, call, result, value, rest }) {
  const said = text ?? result?.value;
  const whole = result ? result.value : value;
  return [
    call && h('p', { class: 'call' }, 'calls ', h('code', {}, h('bdi', {}, call.name))),
    typeof said === 'string' && plainText(view, key, said, { first: 1200 }),
    call ? call.arguments !== undefined && laidOut(view, key, call.arguments) : typeof said !== 'string' && laidOut(view, key, whole),
    rest && laidOut(view, `${key} rest`, rest),
  ];
}

const PARTS = 50;

/** The parts of a message, the first of many. */
export function partsShown(view, key, parts) {
  const make = (part, i) => partOf(view, `${key} ${i}`, part);
  if (parts.length <= PARTS) return parts.map(make);
  return h('ul', { class: 'plain' }, bounded(view, `${key} parts`, parts, PARTS, (part, i) => h('li', { 'data-entry': i }, make(part, i))));
}

/** The parts of a message that calls tools, or is what they gave; null of any other text. */
export function callsOf(view, key, text) {
  const parts = partsOf(text);
  return parts.some(({ call, result }) => call || result) ? partsShown(view, key, parts) : null;
}

/**
 * The first `limit` entries of a list and a button for more of them. `total` where the server has more than are here,
 * null where they were not counted.
 */
export function bounded(view, key, entries, step, make, total = entries.length) {
  const shown = Math.min(entries.length, view.limit(key, step));
  const onMore = () => view.more(key, shown + Math.max(step * 2, shown), `[data-entry="${shown}"]`);
  return [
    entries.slice(0, shown).map(make),
    shown < (total ?? entries.length) &&
      h(
        'li',
        { class: 'more' },
        h('button', { type: 'button', 'data-more': key, onclick: onMore }, 'Show more'),
        h('span', { class: 'faint' }, total === null ? '' : ` ${countText(shown)} of ${countText(total)}`),
      ),
  ];
}

/** As `bounded`, of entries that were asked for with one more than is shown: it is not known how many there are. */
export const boundedFound = (view, key, entries, step, make) => bounded(view, key, entries, step, make, null);

/** Where telemetry says why a call failed, the plainest first. */
const WHY_FAILED = ['otel.status_description', 'exception.message', 'error.type', 'exception.type'];

/** Why the call of a response failed, as its telemetry or its client says; '' where nothing says that it did. */
export function failureOf({ attributes, content } = {}) {
  if (attributes?.['otel.status_code'] === 'OK') return '';
  const status = attributes?.['otel.status_code'] === 'ERROR';
  // A client of ours names an error where there is no text; with one it may be anybody's word.
  const names = content ? WHY_FAILED : [...WHY_FAILED, 'error'];
  const said = names.filter((name) => status || name !== WHY_FAILED[0]).map((name) => attributes?.[name]);
  return said.filter((each) => ['string', 'number'].includes(typeof each)).find((each) => String(each).trim())?.toString() ?? (status ? 'without a reason' : '');
}

/** Prompts beyond this are not taken apart: a glance at a row is not worth it. */
const PARSED_MAX = 1_000_000;

const textOfMessage = ({ content, text, parts }) => {
  const said = content ?? text ?? parts;
  if (typeof said === 'string') return said;
  if (!Array.isArray(said)) return '';
  return said.map((part) => (typeof part === 'string' ? part : (part?.text ?? part?.content ?? ''))).filter((each) => typeof each === 'string').join(' ');
};

/**
 * What was asked: as the record says it, else the last message of a user in a prompt that is a list of messages, else the prompt.
 * @returns {string}
 */
export function questionOf({ question, prompt }) {
  if (typeof question === 'string' && question) return question;
  if (typeof prompt !== 'string') return '';
  if (!/^\s*[[{]/.test(prompt.slice(0, 100)) || prompt.length > PARSED_MAX) return prompt;
  try {
    const read = JSON.parse(prompt);
    const messages = Array.isArray(read) ? read : read.messages;
    const asked = messages.filter((message) => ['user', 'human'].includes(message?.role)).at(-1);
    return (asked && textOfMessage(asked)) || prompt;
  } catch {
    return prompt; // it is a text that begins like JSON
  }
}
