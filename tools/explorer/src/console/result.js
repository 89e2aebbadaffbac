// An answer as a table of its list, as a tree of its parts, or as a graph: the refs that it names.
import { h, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { isScalar, Written } from '../json.js';
import { pageHash } from '../state.js';
import { cut } from '../vocabulary.js';

const ROWS_MAX = 500;
const COLUMNS_MAX = 14;
const CHILDREN_STEP = 100;
const TEXT_MAX = 400;
const REFS_MAX = 300;
const DEPTH_MAX = 60;
const PARTS_MAX = 50; // nodes of a path or a list in one cell

const isRef = (value) => typeof value === 'string' && value.length < 1100 && /^[A-Z]\w+:[^\s]/.test(value);

/** The rows of a query, each a list with a value for each of its columns; null where the answer is none of a query. */
export function queryRows(result) {
  const rows = result?.rows ?? result?.items;
  return Array.isArray(result?.columns) && Array.isArray(rows) ? rows : null;
}

/** The list of an answer that a table shows: that of its nodes, else the longest of its lists of objects. */
export function rowsOf(result) {
  if (!result || typeof result !== 'object') return [];
  const asked = queryRows(result);
  if (asked) return asked;
  const lists = Object.values(result).filter(
    (value) => Array.isArray(value) && value.some((each) => !isScalar(each)),
  );
  const hasRefs = (list) => Number(typeof list[0]?.ref === 'string');
  return lists.sort((a, b) => hasRefs(b) - hasRefs(a) || b.length - a.length)[0] ?? [];
}

/** Members as columns; the members of a record stand on their own. */
function columnsOf(row) {
  const { record, ...own } = isScalar(row) ? { value: row } : row;
  const inner = record && typeof record === 'object' ? record : {};
  const columns = { ...own };
  for (const [name, value] of Object.entries(inner)) if (name !== '$type$' && !(name in columns)) columns[name] = value;
  return columns;
}

const short = (value) => {
  if (value instanceof Written) return String(value);
  const text =
    typeof value === 'string' ? value.slice(0, 4 * TEXT_MAX) : (JSON.stringify(value)?.slice(0, 4 * TEXT_MAX) ?? '');
  return cut(text, 160);
};

export function tableOf(result) {
  const rows = rowsOf(result);
  if (queryRows(result)) return queryTable(result.columns, rows);
  if (!rows.length) return h('p', { class: 'sub' }, 'This answer has no list to show as a table.');
  const shown = rows.slice(0, ROWS_MAX).map(columnsOf);
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, COLUMNS_MAX);
  return table(
    rows.length,
    names,
    shown.map((row) => names.map((name) => name in row && cellOf(row[name]))),
  );
}

/** The query's own columns, all of them; a query without rows shows their names. */
export function queryTable(columns, rows, most = ROWS_MAX) {
  const shown = rows.slice(0, most).map((row) => (Array.isArray(row) ? row : [row]));
  return table(
    rows.length,
    columns,
    shown.map((row) => columns.map((_, i) => valueOf(row[i]))),
    most,
  );
}

/** A table, and above it how many of the rows it has where it has not all. */
function table(count, names, rows, most = ROWS_MAX) {
  return [
    count > most &&
      h('p', { class: 'sub' }, `The first ${countText(most)} of ${plural(count, 'row')}.`),
    count === 0 && h('p', { class: 'sub' }, 'No rows.'),
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          names.map((name) => h('th', { scope: 'col' }, cut(String(name), 80))),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((cells) =>
          h(
            'tr',
            {},
            cells.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  ];
}

export const isNode = (value) => isRef(value?.ref) && Array.isArray(value.labels);
export const isRelation = (value) => typeof value?.type === 'string' && isRef(value.from) && isRef(value.to);
export const isPath = (value) => Array.isArray(value?.nodes) && Array.isArray(value?.relations);

/** A relation's type with the number it carries, such as `USED_IN 0.65`; of an influence also the edge's own type. */
function relationText({ type, properties = {} }) {
  const words = [type, properties.type, properties.weight ?? properties.confidence];
  return words.filter((each) => each !== undefined).join(' ');
}

/** A value of a query's row: nodes and the nodes of paths lead to their pages. */
function valueOf(value) {
  if (value === null || value === undefined) return null;
  if (isNode(value)) return link(value.ref);
  if (isRelation(value)) return h('bdi', {}, `-[${relationText(value)}]->`);
  if (Array.isArray(value) && value.some(isNode)) return [value.slice(0, PARTS_MAX).map(listed), more(value)];
  if (!isPath(value)) return cellOf(value);
  const steps = value.nodes.slice(0, PARTS_MAX).map((node, i) => {
    const by = value.relations[i - 1];
    const words = by && h('bdi', {}, by.to === node.ref ? ` -[${relationText(by)}]-> ` : ` <-[${relationText(by)}]- `);
    return [words, link(node.ref)];
  });
  return [steps, more(value.nodes)];
}

/** How many parts a cell leaves out. */
const more = (parts) => parts.length > PARTS_MAX && ` and ${countText(parts.length - PARTS_MAX)} more`;

const listed = (value, i) => [i > 0 && ', ', valueOf(value)];

const link = (ref) => h('a', { href: pageHash(ref) }, cut(ref, 80));

const cellOf = (value) => (isRef(value) ? link(value) : h('bdi', {}, short(value)));

/** JSON whose parts are folded; what is folded is made when it is opened. */
export function treeOf(result) {
  return h('div', { class: 'tree' }, branch('', result, 0));
}

function branch(name, value, depth) {
  const label = name === '' ? null : h('span', { class: 'name' }, `${name}: `);
  if (isScalar(value)) return h('div', { class: 'leaf' }, label, leaf(value));
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

/** A value that is no text, as a query writes it: a zero keeps its sign. */
export const scalarText = (value) => (Object.is(value, -0) ? '-0.0' : String(value));

function leaf(value) {
  if (isRef(value)) return h('a', { href: pageHash(value) }, cut(value, 200));
  if (typeof value !== 'string') return h('span', { class: value === null ? 'null' : value instanceof Written ? 'number' : typeof value }, scalarText(value));
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
    // What a record says is not what the answer names, be it in `record` or in the properties of a query's nodes.
    for (const [name, each] of Object.entries(value))
      if (name !== 'record' && name !== 'properties') gather(each, depth + 1);
  };
  gather(result, 0);
  return [...refs].slice(0, REFS_MAX);
}
