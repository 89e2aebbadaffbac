// The search box: refs as pasted, beginnings of fields asked of the server, and words found in records read before.
import { byId, debounced, h, show } from '../dom.js';
import { countText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { now, open } from '../state.js';
import { TYPES, labelOf, typeName } from '../vocabulary.js';

const RESULTS_MAX = 40;
const PREFIX_HITS_MAX = 8;
const WORDS_PER_TYPE_MAX = 1000;
const WORDS_CHARACTERS_MAX = 4_000_000;
const WORDS_PAGE = 250;

/** The members by which a record of a type is found; ids are found by prefix, too. */
const fieldsOf = (type) => ['id', ...TYPES[type].labels, ...TYPES[type].searched];

export class Search {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {() => object|null} info the counts of server.info */
  constructor(rpc, info) {
    this.rpc = rpc;
    this.info = info;
    this.input = byId('search');
    this.box = byId('results-box');
    this.list = byId('results');
    this.found = [];
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
    if (!this.box.hidden) this.run();
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
    const found = new Map();
    const take = (nodes) => {
      if (turn !== this.asked) return;
      for (const node of nodes) if (!found.has(node.ref)) found.set(node.ref, node);
      this.show([...found.values()].slice(0, RESULTS_MAX));
    };
    await Promise.all([this.byRef(text).then(take), this.byPrefix(text, take, () => turn === this.asked)]);
    if (turn !== this.asked) return;
    take(await this.byWords(text));
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
    const spellings = [...new Set([text, text.toLowerCase(), text[0].toUpperCase() + text.slice(1)])];
    for (const type of this.types()) {
      if (!isWanted()) return;
      const questions = fieldsOf(type).flatMap((field) => spellings.map((prefix) => this.find(type, field, prefix)));
      take((await Promise.all(questions)).flat());
    }
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

  show(nodes) {
    this.found = nodes;
    this.at = Math.min(Math.max(this.at, 0), nodes.length - 1);
    show(
      this.list,
      nodes.map((node, i) => this.entry(node, i)),
    );
    show(byId('results-note'), nodes.length ? '' : 'Searching…');
    this.box.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.mark();
  }

  entry(node, i) {
    const pick = (event) => {
      event.preventDefault();
      this.pick(i);
    };
    return h(
      'li',
      { role: 'option', id: `result-${i}`, 'data-ref': node.ref, onmousedown: pick },
      glyph(node.type),
      h('span', { class: 'ellipsis' }, labelOf(node, 100)),
      h(
        'span',
        { class: 'sub' },
        `${typeName(node.type)} · ${node.id}${node.status === 'deprecated' ? ' · deprecated' : ''}`,
      ),
    );
  }

  note(count) {
    const counts = this.info()?.nodes ?? {};
    const long = this.types().filter((type) => counts[type] > WORDS_PER_TYPE_MAX);
    const limit = long.length
      ? ` Words inside texts are searched in the newest ${countText(WORDS_PER_TYPE_MAX)} of each type; ` +
        'ids and beginnings of fields in all.'
      : '';
    const head = count === 0 ? 'Nothing found.' : count > RESULTS_MAX ? `The first ${RESULTS_MAX} are shown.` : '';
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
      const count = this.found.length;
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

  pick(i) {
    const node = this.found[i];
    if (!node) return;
    this.asked += 1;
    this.close();
    this.input.value = '';
    this.input.blur();
    open(node.ref);
    byId('picture').focus({ preventScroll: true });
  }
}

function wordsOf(node) {
  const texts = [node.id];
  const gather = (value) => {
    if (typeof value === 'string') texts.push(value);
    else if (value && typeof value === 'object') Object.values(value).forEach(gather);
  };
  gather(node.record ?? {});
  return texts.join('\n').toLowerCase();
}
