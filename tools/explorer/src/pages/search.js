// The search box: refs as pasted, and words found by the server's index. A server without one is asked for beginnings of
// fields, and words are sought in records read before.
import { byId, debounced, h, show } from '../dom.js';
import { countText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { go, now, openPage } from '../state.js';
import { titleOf } from '../read/names.js';
import { Index, countOf, metaOf, snippet } from './found.js';
import { TYPES } from '../vocabulary.js';

const RESULTS_MAX = 40;
/** Results of the index in the box; all of them have a page. */
const INDEX_MAX = 12;
const PREFIX_HITS_MAX = 8;
const WORDS_PER_TYPE_MAX = 1000;
const WORDS_CHARACTERS_MAX = 4_000_000;
const WORDS_PAGE = 250;
/** Types whose records have no words but a name, which the index does not read. */
const NAMED = ['Person', 'Session'];

/** The members by which a record of a type is found; ids are found by prefix, too. */
const fieldsOf = (type) => ['id', ...TYPES[type].labels, ...TYPES[type].searched];

export class Search {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {() => object|null} info the counts of server.info */
  constructor(rpc, info) {
    this.rpc = rpc;
    this.info = info;
    this.index = new Index(rpc);
    this.input = byId('search');
    this.box = byId('results-box');
    this.list = byId('results');
    this.found = [];
    this.count = 0;
    this.more = [];
    this.suggestions = [];
    this.isIndexed = false;
    this.at = -1;
    this.asked = 0;
    this.unknownFields = new Set();
    this.read = new Map();
    const run = debounced(() => this.run(), 130);
    this.input.addEventListener('input', run);
    this.input.addEventListener('focus', () => this.input.value && run());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 150));
  }

  /** Puts the box into another place, or back into the head of the page; the text and the cursor stay. */
  moveTo(place) {
    const box = byId('search-box');
    const to = place ?? document.querySelector('header');
    if (box.parentElement === to) return;
    const hadFocus = document.activeElement === this.input;
    if (place) place.append(box);
    else to.querySelector('nav').before(box);
    if (hadFocus) this.input.focus();
  }

  /** Something was written: what was read is old. */
  refresh() {
    this.read.clear();
    if (!this.box.hidden && this.input === document.activeElement) this.run();
  }

  /** Another page was opened: what was sought for the one before goes. */
  empty() {
    this.asked += 1;
    this.input.value = '';
    this.close();
  }

  close() {
    this.box.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  async run() {
    const text = this.input.value.trim();
    const turn = ++this.asked;
    if (!text) {
      this.close();
      return;
    }
    this.at = 0;
    const answer = await this.byIndex(text, turn);
    if (turn !== this.asked || answer) return;
    await this.search(text, turn, (nodes) => this.show(nodes));
  }

  /** Asks the index; null where there is none, or where it finds nothing and beginnings may. */
  async byIndex(text, turn) {
    Object.assign(this, { suggestions: [], isIndexed: false });
    if (this.index.isMissing) return null;
    show(byId('results-note'), 'Searching…');
    const [exact, named, answer] = await Promise.all([
      this.byRef(text),
      this.byName(text),
      this.index.ask(text, { limit: INDEX_MAX, asOf: now().as_of }).catch(() => null),
    ]);
    if (!answer || turn !== this.asked) return null;
    this.isIndexed = true;
    const first = [...exact, ...named.filter(({ ref }) => ref !== exact[0]?.ref)];
    const known = new Set(first.map(({ ref }) => ref));
    const nodes = [...first, ...answer.nodes.filter(({ ref }) => !known.has(ref))];
    if (!nodes.length) {
      this.suggestions = answer.suggestions ?? [];
      return null;
    }
    this.at = 0;
    this.show(nodes, text);
    show(byId('results-note'), `${countOf(nodes.length, { ...answer, total: (answer.total ?? 0) + nodes.length - answer.nodes.length })} · Enter opens the page`);
    return answer;
  }

  /** Where no index found anything: refs, beginnings, words in what is newest; `show` is called as they come. */
  async search(text, turn, show) {
    const found = new Map();
    const take = (nodes) => {
      if (turn !== this.asked) return;
      for (const node of nodes) if (!found.has(node.ref)) found.set(node.ref, node);
      show([...found.values()].slice(0, RESULTS_MAX));
    };
    await Promise.all([this.byRef(text).then(take), this.byPrefix(text, take, () => turn === this.asked)]);
    if (turn !== this.asked) return;
    take(await this.byWords(text)); // an index knows no attributes and no parts of words
    if (turn === this.asked) this.note(found.size);
  }

  async byRef(text) {
    if (!/^(\w+:.|cu_|resp_|fb_)/.test(text)) return [];
    return this.rpc.call('node.get', { ref: text, include: ['record', 'status'], ...this.moment() }).then(
      (answer) => answer.nodes,
      () => [],
    );
  }

  types() {
    const counts = this.info()?.nodes ?? {};
    return Object.keys(TYPES).filter((type) => counts[type] > 0);
  }

  moment() {
    return now().as_of === null ? {} : { as_of: now().as_of };
  }

  /** Asks type by type, so that a search that was given up soon stops asking. */
  async byPrefix(text, take, isWanted) {
    const spellings = spellingsOf(text);
    for (const type of this.types()) {
      if (!isWanted()) return;
      const questions = fieldsOf(type).flatMap((field) => spellings.map((prefix) => this.find(type, field, prefix)));
      take((await Promise.all(questions)).flat());
    }
  }

  /** Persons and sessions by a beginning of their id or name, or by words in it; the type may stand before it, as in a ref. */
  async byName(text) {
    const types = this.types().filter((type) => NAMED.includes(type));
    const found = await Promise.all(
      types.map(async (type) => {
        const isOfType = text.toLowerCase().startsWith(`${type.toLowerCase()}:`);
        const name = (isOfType ? text.slice(type.length + 1) : text).trim();
        if (!isOfType && name.length < 2) return [];
        const prefixes = name ? spellingsOf(name) : [];
        const [latest, ...begun] = await Promise.all([this.latest(type), ...fieldsOf(type).flatMap((field) => prefixes.map((prefix) => this.find(type, field, prefix)))]);
        const words = name.toLowerCase().split(/\s+/);
        return [...begun.flat(), ...latest.filter((each) => words.every((word) => each.words.includes(word))).map(({ node }) => node)];
      }),
    );
    return [...new Map(found.flat().map((node) => [node.ref, node])).values()].slice(0, PREFIX_HITS_MAX);
  }

  async find(type, field, prefix) {
    const key = `${type}.${field}`;
    if (this.unknownFields.has(key)) return [];
    const params = {
      type,
      where: { [field]: { prefix } },
      limit: PREFIX_HITS_MAX,
      include: ['record', 'status'],
      ...this.moment(),
    };
    try {
      return (await this.rpc.call('node.find', params)).nodes;
    } catch (error) {
      if (error.code === -32602) this.unknownFields.add(key);
      return [];
    }
  }

  async byWords(text) {
    const words = text.toLowerCase().split(/\s+/);
    if (text.length < 2) return [];
    const pages = await Promise.all(this.types().map((type) => this.latest(type)));
    const hits = [];
    for (const { node, words: content } of pages.flat()) {
      if (words.every((word) => content.includes(word))) hits.push(node);
      if (hits.length === RESULTS_MAX) break;
    }
    return hits;
  }

  /** The newest records of a type, with their words in lower case; read once for a moment. */
  latest(type) {
    const key = `${type} ${now().as_of}`;
    if (!this.read.has(key))
      this.read.set(
        key,
        this.readLatest(type).catch(() => []),
      );
    return this.read.get(key);
  }

  /** Reads pages until there are enough records, or enough text: some types hold texts of a megabyte. */
  async readLatest(type) {
    const params = { type, order: { by: 'tx', desc: true }, include: ['record', 'status'], ...this.moment() };
    const read = [];
    let characters = 0;
    let cursor;
    do {
      const answer = await this.rpc.call('node.find', { ...(cursor ? { cursor } : params), limit: WORDS_PAGE });
      for (const node of answer.nodes) {
        const words = wordsOf(node);
        characters += words.length;
        read.push({ node, words });
      }
      cursor = answer.cursor;
    } while (cursor && read.length < WORDS_PER_TYPE_MAX && characters < WORDS_CHARACTERS_MAX);
    return read;
  }

  /** @param {string} text what all results are of, where they have a page */
  show(nodes, text = '') {
    this.found = nodes;
    const all = { class: 'all', says: 'All results on a page', act: () => go({ view: 'search', q: text, types: '', ref: '', sel: '' }) };
    const nearly = (each) => ({ class: 'all', says: ['This finds something: ', h('bdi', {}, each)], act: () => this.seek(each) });
    this.more = text ? [all] : nodes.length ? [] : this.suggestions.map(nearly);
    this.count = nodes.length + this.more.length;
    this.at = Math.min(Math.max(this.at, 0), this.count - 1);
    show(
      this.list,
      nodes.map((node, i) => this.entry(node, i)),
      this.more.map(({ class: kind, says }, i) => this.option(nodes.length + i, { class: kind }, says)),
    );
    if (!nodes.length) show(byId('results-note'), 'Searching…');
    this.box.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.mark();
  }

  option(i, attributes, ...children) {
    const pick = (event) => {
      event.preventDefault();
      this.pick(i);
    };
    return h('li', { role: 'option', id: `result-${i}`, onmousedown: pick, ...attributes }, children);
  }

  entry(node, i) {
    return this.option(
      i,
      { 'data-ref': node.ref },
      glyph(node.type),
      h('span', { class: 'ellipsis' }, titleOf(node, 110)),
      h('span', { class: 'sub' }, metaOf(node)),
      node.snippets?.[0] && snippet(node.snippets[0]),
    );
  }

  note(count) {
    const counts = this.info()?.nodes ?? {};
    const long = this.types().filter((type) => counts[type] > WORDS_PER_TYPE_MAX);
    const inNewest = this.isIndexed ? 'Attributes and parts of words' : 'Words inside texts';
    const limit = long.length
      ? ` ${inNewest} are searched in the newest ${countText(WORDS_PER_TYPE_MAX)} of each type; ` +
        `${this.isIndexed ? 'whole words of texts, ' : ''}ids and beginnings of fields in all.`
      : '';
    const head =
      count === 0
        ? 'Nothing found: no record has all of these words.'
        : count > RESULTS_MAX
          ? `The first ${RESULTS_MAX} are shown.`
          : '';
    show(byId('results-note'), `${head}${limit}`.trim() || `${count} found`);
  }

  mark() {
    for (const [i, entry] of [...this.list.children].entries()) {
      entry.setAttribute('aria-selected', String(i === this.at));
      if (i === this.at) entry.scrollIntoView({ block: 'nearest' });
    }
    if (this.at >= 0) this.input.setAttribute('aria-activedescendant', `result-${this.at}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const { count } = this;
      if (count) this.at = (this.at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
      this.mark();
    } else if (event.key === 'Enter' && this.at >= 0 && !this.box.hidden) {
      event.preventDefault();
      this.pick(this.at);
    } else if (event.key === 'Escape') {
      this.close();
      if (!this.input.value) this.input.blur();
    }
  }

  /** Searches a text that finds something in the place of the one that was typed. */
  seek(text) {
    this.input.value = text;
    this.input.focus();
    this.run();
  }

  /** Opens the page of what was found, or does what is offered behind it. */
  pick(i) {
    const node = this.found[i];
    const more = this.more[i - this.found.length];
    if (!node && !more) return;
    this.asked += 1;
    this.close();
    this.input.blur();
    if (!node) {
      more.act();
      return;
    }
    this.input.value = '';
    openPage(node.ref);
  }
}

const spellingsOf = (text) => [...new Set([text, text.toLowerCase(), text[0].toUpperCase() + text.slice(1)])];

function wordsOf(node) {
  const texts = [node.id];
  const gather = (value) => {
    if (typeof value === 'string') texts.push(value);
    else if (value && typeof value === 'object') Object.values(value).forEach(gather);
  };
  gather(node.record ?? {});
  return texts.join('\n').toLowerCase();
}
