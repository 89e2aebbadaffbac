// The whole state of the page, kept in the address's hash: what a permalink restores and back and forward walk through.

/** @typedef {typeof DEFAULTS} State */
export const DEFAULTS = Object.freeze({
  view: '', // '' (a node's neighbourhood, or the start page without ref), 'page' (the node to read), 'impact', 'answers'
  ref: '', // the node in the middle
  as_of: null, // transaction id, null = now
  up: 2,
  down: 2,
  w: 0, // least weight of an edge shown
  sel: '', // selected node
  focus: false, // only the selected node's ancestors and descendants
  x: Object.freeze([]), // what was opened: 'causes REF' or 'effects REF', once for each time, or 'node REF', in order
  pin: Object.freeze([]), // pinned nodes: drawn whatever else is shown
  all: 0, // up to how many nodes are drawn without groups; 0 = in groups
  hide: '', // types that are not drawn, with commas between
  path: '', // the other end of the path to the selected node
  by: '', // how the list of the selected group is divided
  with: '', // compared with: 'tx:N' or a ref
  table: false,
  details: false, // the panel of the node in the middle; another one that is selected has it at once
  live: true,
  q: '', // what is searched
  cypher: '', // the query that was run last
  kind: '', // of the answers: '' (responses), 'answer' (answers of retrieval)
  agent: '', // the answers' filters, empty where any will do
  model: '',
  person: '',
  conversation: '',
  topic: '',
  flag: '',
  rated: '', // 'bad', 'neutral', 'good'
  from: '', // two times, the second one excluded
  to: '',
  sort: '-time', // the column that orders the answers, with - the largest first
  cols: '', // the columns, with commas between; those that the answers have where empty
  split: '', // what has a line of its own in the charts: 'agent', 'model', 'topic'
  types: '', // the types searched, with commas between
});

/** Changes to these are steps that "back" undoes; the others replace the present entry. */
const STEPS = ['view', 'ref', 'with', 'kind', 'agent', 'model', 'person', 'conversation', 'topic', 'flag', 'rated', 'from', 'to'];

const OF_ANSWERS =
  'kind agent model person conversation topic flag rated from to sort cols split'.split(' ');

/** Members that belong to some views, and are in the address of these only. */
const OF_VIEW = {
  ...Object.fromEntries(OF_ANSWERS.map((name) => [name, ['answers']])),
  q: ['search', 'answers'],
  types: ['search'],
  cypher: ['cypher', 'answer'],
};

/** Most nodes that an address may ask for. */
export const ALL_MAX = 2000;

/** Says in an address that nothing is selected; without `sel` the node in the middle is. */
const NOTHING = '-';

const state = { ...DEFAULTS };
const listeners = [];

/** @returns {State} the present state; change it with `go` */
export const now = () => state;

/** Calls `listener(state, before)` after each change. */
export const onChange = (listener) => listeners.push(listener);

/** Changes some members, the address, and notifies the listeners. */
export function go(changes) {
  const before = { ...state };
  const next = { ...state, ...changes };
  if (hashOf(next) === hashOf(before)) return;
  const isStep = STEPS.some((name) => next[name] !== before[name]);
  history[isStep ? 'pushState' : 'replaceState'](null, '', hashOf(next) || '#');
  become(next, before);
}

/** Shows another node, with what belonged to the last one dropped. */
export const open = (ref, changes = {}) =>
  go({ view: '', ref, sel: ref, focus: false, x: [], with: '', path: '', ...changes });

/** Opens a node's page to read, as of the moment that is shown. */
export const openPage = (ref, changes = {}) => open(ref, { view: 'page', ...changes });

/** The permalink of a node's page, for links that a reader may open elsewhere. */
export const pageHash = (ref) => hashOf({ ...DEFAULTS, view: 'page', ref, sel: ref, as_of: state.as_of });

export function startState() {
  const read = () => become(parse(location.hash), { ...state });
  addEventListener('popstate', read);
  addEventListener('hashchange', () => {
    if (hashOf(parse(location.hash)) !== hashOf(state)) read();
  });
  read();
}

function become(next, before) {
  Object.assign(state, next);
  for (const listener of listeners) listener(state, before);
}

/** The permalink of a state: what differs from the defaults. */
export function hashOf(of) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(of)) {
    if (OF_VIEW[name] && !OF_VIEW[name].includes(of.view)) continue;
    if (name === 'x' || name === 'pin') value.forEach((each) => parts.append(name, each));
    else if (name === 'sel') {
      if (value !== of.ref) parts.set('sel', value || NOTHING);
    } else if (value !== DEFAULTS[name]) parts.set(name, typeof value === 'boolean' ? Number(value) : value);
  }
  if (of.ref && of.view !== 'answers' && of.view !== 'page') {
    parts.set('up', of.up);
    parts.set('down', of.down);
  }
  const text = parts.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replace(/\+/g, '%20');
  return text ? `#${text}` : '';
}

/** @returns {State} */
function parse(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, '').replace(/\+/g, '%2B'));
  const next = { ...DEFAULTS, x: parts.getAll('x').slice(0, 100), pin: parts.getAll('pin').slice(0, 20) };
  for (const name of ['view', 'ref', 'sel', 'with', 'hide', 'path', 'by', ...Object.keys(OF_VIEW)])
    next[name] = parts.get(name) ?? DEFAULTS[name];
  for (const name of ['focus', 'table', 'live', 'details']) if (parts.has(name)) next[name] = parts.get(name) === '1';
  next.up = number(parts.get('up'), DEFAULTS.up, 0, 10);
  next.down = number(parts.get('down'), DEFAULTS.down, 0, 10);
  next.w = number(parts.get('w'), 0, 0, 1);
  next.all = Math.round(number(parts.get('all'), 0, 0, ALL_MAX));
  next.as_of = parseMoment(parts.get('as_of'));
  for (const name of ['from', 'to']) if (Number.isNaN(Date.parse(next[name]))) next[name] = '';
  next.sel = next.sel === NOTHING ? '' : next.sel || next.ref;
  return next;
}

/** A transaction id, or a time as the protocol takes it. */
function parseMoment(text) {
  if (!text) return null;
  return /^\d+$/.test(text) ? Number(text) : text;
}

function number(text, fallback, min, max) {
  const value = text === null || text === '' ? NaN : Number(text);
  return Number.isNaN(value) ? fallback : Math.min(max, Math.max(min, value));
}
