// An answer as a table of its list, as a tree of its parts, or as a graph: the refs that it names.
import { h, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { pageHash } from '../state.js';
import { cut } from '../vocabulary.js';

const ROWS_MAX = 500;
const COLUMNS_MAX = 14;
const CHILDREN_STEP = 100;
const TEXT_MAX = 400;
const REFS_MAX = 300;
const DEPTH_MAX = 60;

const isRef = (value) => typeof value === 'string' && value.length < 1100 && /^[A-Z]\w+:[^\s]/.test(value);

/** The list of an answer that a table shows: that of its nodes, else the longest of its lists of objects. */
export function rowsOf(result) {
  if (!result || typeof result !== 'object') return [];
  const lists = Object.values(result).filter(
    (value) => Array.isArray(value) && value.some((each) => each && typeof each === 'object'),
  );
  const hasRefs = (list) => Number(typeof list[0]?.ref === 'string');
  return lists.sort((a, b) => hasRefs(b) - hasRefs(a) || b.length - a.length)[0] ?? [];
}

/** Members as columns; the members of a record stand on their own. */
function columnsOf(row) {
  const { record, ...own } = row && typeof row === 'object' ? row : { value: row };
  const inner = record && typeof record === 'object' ? record : {};
  const columns = { ...own };
  for (const [name, value] of Object.entries(inner)) if (name !== '$type$' && !(name in columns)) columns[name] = value;
  return columns;
}

const short = (value) => {
  const text =
    typeof value === 'string' ? value.slice(0, 4 * TEXT_MAX) : (JSON.stringify(value)?.slice(0, 4 * TEXT_MAX) ?? '');
  return cut(text, 160);
};

export function tableOf(result) {
  const rows = rowsOf(result);
  if (!rows.length) return h('p', { class: 'sub' }, 'This answer has no list to show as a table.');
  const shown = rows.slice(0, ROWS_MAX).map(columnsOf);
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, COLUMNS_MAX);
  return [
    rows.length > ROWS_MAX &&
      h('p', { class: 'sub' }, `The first ${countText(ROWS_MAX)} of ${plural(rows.length, 'row')}.`),
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          names.map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h(
        'tbody',
        {},
        shown.map((row) =>
          h(
            'tr',
            {},
            names.map((name) => h('td', {}, name in row && cellOf(row[name]))),
          ),
        ),
      ),
    ),
  ];
}

const cellOf = (value) =>
  isRef(value) ? h('a', { href: pageHash(value) }, cut(value, 80)) : h('bdi', {}, short(value));

/** JSON whose parts are folded; what is folded is made when it is opened. */
export function treeOf(result) {
  return h('div', { class: 'tree' }, branch('', result, 0));
}

function branch(name, value, depth) {
  const label = name === '' ? null : h('span', { class: 'name' }, `${name}: `);
  if (value === null || typeof value !== 'object') return h('div', { class: 'leaf' }, label, leaf(value));
  const entries = Array.isArray(value) ? value.map((each, i) => [i, each]) : Object.entries(value);
  const kind = Array.isArray(value) ? `[${countText(entries.length)}]` : `{${countText(entries.length)}}`;
  if (!entries.length || depth > DEPTH_MAX)
    return h('div', { class: 'leaf' }, label, h('span', { class: 'size' }, kind));
  const inside = h('div', { class: 'inside' });
  const details = h(
    'details',
    { open: depth < 2 && entries.length <= 30 },
    h('summary', {}, label, h('span', { class: 'size' }, kind), ' ', h('span', { class: 'hint' }, hintOf(value))),
    inside,
  );
  const fill = () => {
    if (details.open && !inside.childElementCount) addSome(inside, entries, 0, depth);
  };
  details.addEventListener('toggle', fill);
  fill();
  return details;
}

function addSome(inside, entries, from, depth) {
  const some = entries.slice(from, from + CHILDREN_STEP);
  inside.append(...some.map(([name, value]) => branch(name, value, depth + 1)));
  const left = entries.length - from - some.length;
  if (left <= 0) return;
  const more = h('button', { type: 'button', class: 'link' }, `${countText(left)} more`);
  more.addEventListener('click', () => {
    more.remove();
    addSome(inside, entries, from + CHILDREN_STEP, depth);
  });
  inside.append(more);
}

/** What a folded object is about: the first of its members that name it. */
function hintOf(value) {
  for (const name of ['ref', 'id', 'name', 'path', 'type', 'value', 'lane'])
    if (typeof value[name] === 'string') return cut(value[name].slice(0, 400), 70);
  return '';
}

function leaf(value) {
  if (isRef(value)) return h('a', { href: pageHash(value) }, cut(value, 200));
  if (typeof value !== 'string') return h('span', { class: value === null ? 'null' : typeof value }, String(value));
  if (value.length <= TEXT_MAX) return h('span', { class: 'text' }, `“${value}”`);
  const text = h('span', { class: 'text' }, `“${cut(value, TEXT_MAX)}”`);
  const button = h('button', { type: 'button', class: 'link' }, ` all ${countText(value.length)} characters`);
  button.addEventListener('click', () => {
    show(text, `“${value}”`);
    button.remove();
  });
  return h('span', {}, text, button);
}

/** The refs that an answer names as nodes or as ends of edges, at most as many as a picture shows. */
export function refsOf(result) {
  const refs = new Set();
  const gather = (value, depth) => {
    if (refs.size >= REFS_MAX || depth > 8 || value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      for (const each of value) {
        if (isRef(each)) refs.add(each);
        else gather(each, depth + 1);
      }
      return;
    }
    for (const name of ['ref', 'from', 'to', 'cause', 'effect', 'response', 'node'])
      if (isRef(value[name])) refs.add(value[name]);
    for (const [name, each] of Object.entries(value)) if (name !== 'record') gather(each, depth + 1);
  };
  gather(result, 0);
  return [...refs].slice(0, REFS_MAX);
}
