// All that a search finds, on a page of its own: snippets with what was sought, filters by type, more on demand.
import { asNamed, byId, h, show } from '../dom.js';
import { countText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { describe } from '../server/rpc.js';
import { DEFAULTS, go, hashOf, now, pageHash } from '../state.js';
import { momentOf } from '../server/load.js';
import { TYPES, typeName } from '../vocabulary.js';
import { titleOf } from '../read/names.js';
import { nothingYet } from './first_steps.js';
import { countOf, metaOf, snippet, typesWith } from './found.js';

const PAGE = 25;
/** For so many types the server is asked how many records there are. */
const COUNTED_MAX = 24;

export class ResultsPage {
  /** @param {import('./search.js').Search} search */
  constructor(search) {
    this.search = search;
    this.box = byId('found');
    this.turn = 0;
    this.box.addEventListener('keydown', (event) => this.key(event));
  }

  async show({ q, types, as_of: asOf }, info) {
    const turn = ++this.turn;
    const wanted = types ? types.split(',') : [];
    const isList = !q.trim() && TYPES[wanted[0]] !== undefined;
    document.title = asNamed(`${q || (isList ? typeName(wanted[0]) : 'Search')} · Whence`);
    if (document.activeElement !== this.search.input) this.search.input.value = q;
    if (isList) {
      await this.list(wanted[0], asOf, info, turn);
      return;
    }
    if (!q.trim()) {
      show(
        this.box,
        h(
          'div',
          { class: 'inner' },
          h('h1', {}, 'Search'),
          h('p', { class: 'sub' }, 'Write into the box above what you look for.'),
        ),
      );
      return;
    }
    const [answer, named] = await Promise.all([this.search.index.ask(q, { types: wanted, limit: PAGE, asOf }), this.search.byName(q)]);
    if (turn !== this.turn) return;
    if (answer) addNamed(answer, wanted.length ? named.filter(({ type }) => wanted.includes(type)) : named);
    if (!answer) {
      await this.withoutIndex(q, wanted, turn, nothingYet(info, asOf));
      return;
    }
    this.fill(titleOfSearch(q), answer, (cursor) => this.search.index.ask(q, { cursor, limit: PAGE }), turn, nothingYet(info, asOf));
    this.showFilters(wanted, answer, new Map());
    this.countTypes(q, wanted, answer, info, asOf, turn);
  }

  /** All records of a type, the newest first. */
  async list(type, asOf, info, turn) {
    const include = ['record', 'status'];
    const find = (params) => this.search.rpc.call('node.find', { ...params, limit: PAGE });
    const [answer, total] = await Promise.all([
      find({ type, order: { by: 'tx', desc: true }, include, ...momentOf(asOf) }),
      this.search.rpc.call('node.count', { type, ...momentOf(asOf) }).then(
        ({ count }) => count,
        () => undefined,
      ),
    ]);
    if (turn !== this.turn) return;
    this.fill([typeName(type)], { ...answer, total }, (cursor) => find({ cursor }), turn, nothingYet(info, asOf) ?? 'There was none at this moment.');
    show(
      this.filters,
      typesWith(info?.nodes).map((each) =>
        h('button', { type: 'button', 'aria-pressed': String(each === type), 'data-type': each, onclick: () => go({ types: each }) }, glyph(each), typeName(each)),
      ),
    );
  }

  /** A server without an index: what the search box finds then. */
  async withoutIndex(q, wanted, turn, nothing) {
    let found = [];
    await this.search.search(q, this.search.asked, (nodes) => (found = nodes));
    if (turn !== this.turn) return;
    this.search.close();
    const nodes = wanted.length ? found.filter(({ type }) => wanted.includes(type)) : found;
    this.fill(titleOfSearch(q), { nodes, complete: true }, null, turn, nothing);
    const note = 'This server has no index of words: ids, beginnings of fields, and the newest texts are searched.';
    this.box.querySelector('.inner').append(h('p', { class: 'sub' }, note));
    this.showFilters(wanted, { nodes: found }, new Map());
  }

  /** @param {(cursor: string) => Promise<object>} ask gives what comes after */
  fill(title, answer, ask, turn, nothing) {
    this.entries = h('div', { class: 'results', role: 'list' }, answer.nodes.map(entry));
    this.filters = h('div', { class: 'filters', role: 'group', 'aria-label': 'Types' });
    let { cursor } = answer;
    let shown = answer.nodes.length;
    const count = h('p', { class: 'sub', role: 'status' });
    const more = h('button', { type: 'button' }, 'More');
    const say = () => {
      show(count, shown ? countOf(shown, { ...answer, cursor }) : nothing ?? nothingHas(now().q));
      more.hidden = !cursor;
    };
    more.addEventListener('click', async () => {
      more.disabled = true;
      try {
        const next = await ask(cursor);
        if (turn !== this.turn) return;
        // What was found by its name stands above already.
        const entries = next.nodes.filter(({ ref }) => !answer.nodes.some((each) => each.ref === ref)).map(entry);
        this.entries.append(...entries);
        shown += entries.length;
        cursor = next.cursor;
        say();
        entries[0]?.querySelector('a').focus();
      } catch (error) {
        count.textContent = describe(error);
      }
      more.disabled = false;
    });
    say();
    show(
      this.box,
      h(
        'div',
        { class: 'inner' },
        h('h1', {}, title),
        count,
        offers(answer.suggestions),
        this.filters,
        this.entries,
        more,
      ),
    );
  }

  showFilters(wanted, { nodes, total, total_is_at_least: atLeast }, counts) {
    const types = [...new Set([...wanted, ...nodes.map(({ type }) => type), ...counts.keys()])];
    const toggle = (type) => {
      const left = wanted.includes(type) ? wanted.filter((each) => each !== type) : [...wanted, type];
      go({ types: left.join(',') });
    };
    const all = wanted.length || total === undefined ? '' : ` ${countText(total)}${atLeast ? '+' : ''}`;
    this.filters.hidden = types.length === 0;
    show(
      this.filters,
      h(
        'button',
        { type: 'button', 'aria-pressed': String(!wanted.length), onclick: () => go({ types: '' }) },
        `All${all}`,
      ),
      types.map((type) =>
        h(
          'button',
          {
            type: 'button',
            'aria-pressed': String(wanted.includes(type)),
            'data-type': type,
            onclick: () => toggle(type),
          },
          glyph(type),
          typeName(type),
          counts.has(type) && h('span', { class: 'count' }, counts.get(type)),
        ),
      ),
    );
  }

  /** How many there are of each type, asked one by one behind the page. */
  async countTypes(q, wanted, answer, info, asOf, turn) {
    if (answer.total === undefined) return;
    const counts = new Map();
    for (const type of typesWith(info?.nodes).slice(0, COUNTED_MAX)) {
      const found = await this.search.index.ask(q, { types: [type], limit: 1, asOf, include: [] }).catch(() => null);
      if (turn !== this.turn) return;
      if (found?.total) counts.set(type, `${countText(found.total)}${found.total_is_at_least ? '+' : ''}`);
    }
    const focused = document.activeElement?.dataset?.type;
    this.showFilters(wanted, answer, counts);
    if (focused) this.filters.querySelector(`[data-type="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Arrows walk through the results. */
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.entries || event.target.closest('button')) return;
    const links = [...this.entries.querySelectorAll('a.title')];
    const at = links.findIndex((link) => link.closest('.result').contains(document.activeElement));
    const next = links[at === -1 ? (step > 0 ? 0 : -1) : at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}

/** What a search without a result says. */
const nothingHas = (q) => (/\S\s+\S/.test(q) ? 'Nothing has all of these words.' : 'Nothing has this word.');

const titleOfSearch = (q) => ['Results for ', h('q', {}, h('bdi', {}, q.slice(0, 300)))];

/** Puts what is found by its name before what the index finds. */
function addNamed(answer, named) {
  const known = new Set(answer.nodes.map(({ ref }) => ref));
  const added = named.filter(({ ref }) => !known.has(ref));
  if (!added.length) return;
  answer.nodes = [...added, ...answer.nodes];
  answer.suggestions = [];
  if (answer.total !== undefined) answer.total += added.length;
}

function entry(node) {
  const picture = hashOf({ ...DEFAULTS, ref: node.ref, sel: node.ref, as_of: now().as_of });
  return h(
    'div',
    { class: 'result', role: 'listitem', 'data-ref': node.ref },
    glyph(node.type),
    h('a', { class: 'title', href: pageHash(node.ref) }, titleOf(node, 110)),
    h('a', { class: 'to-picture', href: picture, 'aria-label': `Picture of ${titleOf(node, 60)}` }, 'Picture'),
    (node.snippets ?? []).slice(0, 3).map(snippet),
    h('span', { class: 'sub' }, h('bdi', {}, metaOf(node))),
  );
}

/** Where nothing is found: what finds something. */
function offers(texts) {
  if (!texts?.length) return null;
  const links = texts.map((text) => h('a', { class: 'offer', href: hashOf({ ...now(), q: text }) }, h('bdi', {}, text)));
  return h('p', {}, 'This finds something: ', links.flatMap((link, i) => (i ? [' · ', link] : [link])));
}
