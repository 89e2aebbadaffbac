// Answers: a table of what was answered, filtered and ordered by the server and read page by page, under charts of how many there
// were, how they were rated, how long they took and what they cost. The address holds all of it.
import { byId, debounced, h, menu, show } from '../dom.js';
import { costText, countText, latencyText, minuteText, plural, scoreText, shortNumber, timeText } from '../form.js';
import { momentOf } from '../server/load.js';
import { Questions } from '../server/questions.js';
import { describe } from '../server/rpc.js';
import { DEFAULTS, go, hashOf, now, pageHash } from '../state.js';
import { failureOf } from '../read/texts.js';
import { shortId, timeOf } from '../vocabulary.js';
import { firstWords, nameOfAct, ratingOf, shownAtOnce, wholeAct } from './acts.js';
import { LANES_MAX, chart, lanesLegend, lanesOf, shortCount } from './chart.js';
import {
  CHOICES_MAX,
  FILTERS,
  READ_MAX,
  TOO_FEW,
  byActivity,
  byPeriod,
  canOrder,
  choicesQuery,
  columnOf,
  countQuery,
  countRetrieved,
  findOf,
  findRetrieved,
  isCounted,
  isJoined,
  isQueried,
  orderedPage,
  ratingsQuery,
  retrievedPage,
  searchedPage,
  sumsQuery,
  topicsQuery,
  whereOf,
} from './answers_ask.js';
import { nothingYet } from './first_steps.js';
import { endOf, isoText, periodsOf } from './periods.js';

const PAGE = 50;
/** The value of the entry of a list that asks for a name. */
const OTHER = '\u0001';
/** How long an answer may take before it is said that it is waited for. */
const READING_MS = 400;
const TYPING_MS = 180;
/** While records come in, the charts are asked for again this often at most. */
const CHARTS_MS = 10_000;

const number = (value, digits = 0) => (typeof value === 'number' || value instanceof Number ? value.toLocaleString(undefined, { maximumFractionDigits: digits }) : '');

/** Tokens as they were given: of the prompt and the output, else the size of the answer. */
export function tokensText({ usage, token_count: size }) {
  const { input_tokens: input, output_tokens: output } = usage ?? {};
  if (input !== undefined || output !== undefined) return `${number(input) || '?'} + ${number(output) || '?'}`;
  return number(size);
}

/** The reader's day, as an input has it. */
const dayOf = (at) => (Number.isNaN(at) ? '' : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 10));

const chooseText = (member, value) => (value ? filterLink(member, value) : '');

const filterLink = (member, value) =>
  h(
    'button',
    { type: 'button', class: 'link', title: `Only ${value}`, onclick: () => go({ [member]: value }) },
    h('bdi', { class: 'clamp' }, firstWords(value, 40)),
  );

/**
 * A column: its name, its cell made from an act and its record, and what an answer must have for it to be shown unchosen: one of `members`,
 * or `isThere`.
 */
export const COLUMNS = {
  question: { name: 'Question', cell: (act) => questionCell(act) },
  said: { name: 'Answer', cell: (act) => saidCell(act) },
  agent: { name: 'Agent', cell: ({ record }) => chooseText('agent', record.agent) },
  model: { name: 'Model', cell: ({ record }) => chooseText('model', record.model) },
  rating: { name: 'Rating', class: 'number', cell: (act) => ratingOf(act) },
  time: { name: 'Time', class: 'time', cell: ({ node, time }) => ((at) => (at === null ? '' : minuteText(at)))(timeOf(node) ?? time ?? null) },
  latency: { name: 'Latency', class: 'number', members: ['latency_ms', 'processing_time_ms'], cell: ({ record }) => ((ms) => (typeof ms === 'number' ? latencyText(ms) : ''))(record.latency_ms ?? record.processing_time_ms) },
  tokens: { name: 'Tokens', class: 'number', members: ['usage', 'token_count'], title: 'Of the prompt + of the output; else the size of the answer', cell: ({ record }) => tokensText(record) },
  cost: { name: 'Cost', class: 'number', members: ['cost'], cell: ({ record }) => (typeof record.cost === 'number' ? costText(record.cost) : '') },
  flags: { name: 'Flags', isThere: ({ record, node }) => node.expired || record.flags?.length > 0, cell: ({ record, node }) => flagsCell(record.flags ?? [], node) },
  person: { name: 'Person', members: ['person'], cell: ({ record }) => chooseText('person', record.person) },
  // As on the answer's page: what the record names, else the conversation that its message belongs to.
  conversation: { name: 'Conversation', isThere: ({ record, topic }) => record.conversation || topic, cell: ({ record, topic }) => chooseText('conversation', record.conversation) || chooseText('topic', topic) },
  id: { name: 'Id', cell: ({ node }) => h('span', { class: 'mono' }, shortId(node.id, 28)) },
};

/** What is listed, one and many: where there are responses and answers of retrieval, which of them. */
const KINDS = { any: ['answer', 'answers'], response: ['response', 'responses'], answer: ['answer of retrieval', 'answers of retrieval'] };

const without = (names) => Object.fromEntries(names.map((name) => [name, '']));

/** Columns of texts, of which the first press puts the first of the alphabet on top; of numbers it does so with the largest. */
const TEXTS = new Set(['question', 'said', 'agent', 'model']);

/** What an order goes by where it is not what the cell shows. */
const ORDER_NOTES = {
  question: 'Ordered by the question or prompt in the record; a question in a list of messages, or in another record, comes last',
  said: 'Ordered by the text in the record, capital letters first',
  tokens: 'Ordered by the sum',
  latency: 'Ordered by latency_ms',
};

/** Columns whose values do not say of themselves what they are: on a narrow screen, where a row is a card, they have their name. */
const SAID_ON_CARDS = new Set(['tokens', 'cost', 'person', 'conversation', 'id']);

function questionCell(act) {
  const { node } = act;
  const isNamed = act.question || act.said;
  const name = isNamed ? nameOfAct(act) : shortId(node.id, 28);
  return h('a', { href: pageHash(node.ref), 'data-ref': node.ref, class: isNamed ? 'clamp' : 'mono', dir: 'auto' }, name);
}

/** What was said, and where nothing was, that nothing was recorded. */
const saidCell = ({ node, said, isWhole }) =>
  said
    ? h('span', { class: 'clamp', dir: 'auto' }, said)
    : isWhole && !node.expired
      ? h('span', { class: 'sub clamp' }, ((failure) => (failure ? `failed: ${firstWords(failure)}` : 'no text recorded'))(failureOf(node.record)))
      : '';

const flagsCell = (flags, node) => [
  node.expired && h('span', { class: 'badge' }, node.purged ? 'purged' : 'expired'),
  flags.map((flag) =>
    h('button', { type: 'button', class: 'badge flag', title: `Only ${flag}`, onclick: () => go({ flag }) }, flag.replaceAll('_', ' ')),
  ),
];

export class Answers {
  /** @param {import('../server/rpc.js').Rpc} rpc */
  constructor(rpc) {
    this.rpc = rpc;
    this.box = byId('answers');
    this.turn = 0;
    this.rows = [];
    this.charts = this.noCharts();
    this.names = new Map();
    this.isMade = false;
  }

  make() {
    this.isMade = true;
    const choice = (id, label, member) => {
      const select = h('select', { id, onchange: ({ target }) => (target.value === OTHER ? typeName() : go({ [member]: target.value })) });
      // A name that the list has not, since it is cut.
      const name = h('input', {
        id: `${id}-name`,
        type: 'text',
        hidden: true,
        'aria-label': `${label}, by its name`,
        placeholder: 'Name',
        autocomplete: 'off',
        onchange: () => name.value && go({ [member]: name.value }),
        onblur: () => (name.hidden = true),
      });
      const typeName = () => {
        select.value = now()[member];
        Object.assign(name, { value: '', hidden: false }).focus();
      };
      return { select, label: h('label', {}, label, select, name) };
    };
    const typed = debounced((q) => go({ q }), TYPING_MS);
    this.words = h('input', {
      type: 'text',
      id: 'answers-q',
      'aria-label': 'Words in the answers and questions',
      placeholder: 'Words in answers and prompts',
      autocomplete: 'off',
      oninput: ({ target }) => typed(target.value),
    });
    this.kind = choice('answers-kind', 'Of', 'kind');
    this.agent = choice('answers-agent', 'Agent', 'agent');
    this.model = choice('answers-model', 'Model', 'model');
    this.person = choice('answers-person', 'Person', 'person');
    this.person.label.hidden = true;
    this.rated = choice('answers-rated', 'Rating', 'rated');
    this.split = choice('answers-split', 'Lines', 'split');
    options(this.rated.select, [['', 'any'], ['bad', 'bad (below 0)'], ['neutral', 'neutral (0)'], ['good', 'good (above 0)']]);
    options(this.split.select, [['', 'all in one'], ['agent', 'by agent'], ['model', 'by model'], ['topic', 'by topic']]);
    const day = (id, label, member) => {
      const input = h('input', {
        type: 'date',
        id,
        onchange: ({ target }) => {
          // The reader's days, as the times in the table.
          const at = new Date(`${target.value}T00:00:00`);
          // A year that is being typed is 0002, then 0020: nothing is of these.
          if (target.value && !(at >= 0)) return;
          if (member === 'to') at.setDate(at.getDate() + 1);
          go({ [member]: target.value ? isoText(Number(at)) : '' });
        },
      });
      return { input, label: h('label', {}, label, input) };
    };
    this.from = day('answers-from', 'From', 'from');
    this.to = day('answers-to', 'to', 'to');
    this.chips = h('span', { class: 'chips' });
    this.clear = h('button', { type: 'button', id: 'answers-clear', onclick: () => go(without(FILTERS)) }, 'Clear filters');
    this.columnsBox = h('div', { class: 'columns-box' });
    this.note = h('p', { id: 'answers-note', class: 'sub', role: 'status' });
    this.chartsBox = h('div', { class: 'charts' });
    this.chartsNote = h('p', { class: 'sub', id: 'charts-note' });
    this.legend = h('div');
    this.table = h('table', { id: 'answers-table' });
    this.more = h('button', { type: 'button', id: 'answers-more', hidden: true, onclick: () => this.readMore() }, 'More');
    show(
      this.box,
      h('h1', { class: 'unseen' }, 'Answers'),
      h(
        'div',
        { class: 'bar', role: 'group', 'aria-label': 'Which answers' },
        this.words,
        [this.kind, this.agent, this.model, this.person, this.rated].map(({ label }) => label),
        h('span', { class: 'span' }, this.from.label, this.to.label),
        this.chips,
        this.clear,
        menu('Columns', 'columns-menu', this.columnsBox),
      ),
      h(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Charts and answers' },
        h(
          'section',
          { class: 'over-time', 'aria-label': 'Over time' },
          h('div', { class: 'bar' }, h('h2', {}, 'Over time'), this.split.label, this.legend, this.chartsNote),
          this.chartsBox,
        ),
        this.note,
        this.table,
        h('p', { class: 'end' }, this.more),
      ),
    );
    this.scroll = this.box.querySelector('.scroll');
  }

  /** Others are asked for: says so where they take long, as long as they do. */
  waiting() {
    clearTimeout(this.isLate);
    this.isLate = setTimeout(() => this.isMade && document.body.dataset.state === 'loading' && show(this.note, 'Reading…'), READING_MS);
  }

  async show(given, info, isLive = false) {
    const turn = ++this.turn;
    if (!this.isMade) this.make();
    document.title = 'Answers · Whence';
    this.info = info;
    this.kindOf(info, given);
    const state = { ...given, kind: this.isOfRetrieval ? 'answer' : '' };
    // An order that these answers have not, of a link or of the other kind, is the usual one.
    if (!canOrder(columnOf(state.sort), state)) state.sort = DEFAULTS.sort;
    this.state = state;
    this.controls(state);
    const started = performance.now();
    const wanted = isLive ? Math.max(PAGE, Math.min(this.rows.length, 4 * PAGE)) : PAGE;
    const answer = await this.ask(state, wanted).finally(() => clearTimeout(this.isLate));
    const rows = await this.rowsOf(answer.nodes, state.as_of);
    if (turn !== this.turn) return;
    this.rows = rows;
    delete this.box.dataset.complete; // a test waits for the texts and ratings of these rows
    this.cursor = answer.cursor;
    this.total = answer.total;
    this.isAtLeast = answer.total_is_at_least;
    this.fill();
    this.box.dataset.rowsMs = String(Math.round(performance.now() - started));
    if (!isLive) this.scroll.scrollTop = 0;
    this.complete(this.rows, turn);
    this.count(state, turn);
    this.choices(state, isLive);
    this.drawCharts(state, isLive);
  }

  /** Answers of a retrieval are of a type of their own; where there is one type only there is no choice. */
  kindOf(info, state) {
    const counts = info?.nodes ?? {};
    options(this.kind.select, [['', 'responses'], ['answer', 'answers of retrieval']]);
    this.isOfRetrieval = state.kind === 'answer' || (!counts.Response && counts.Answer > 0);
    this.kind.select.value = this.isOfRetrieval ? 'answer' : '';
    this.isOfBoth = Boolean(counts.Answer && counts.Response);
    this.kind.label.hidden = !this.isOfBoth;
    // What a response says of an act narrows its answer of retrieval, too.
    for (const { label } of [this.agent, this.model]) label.hidden = this.isOfRetrieval && !counts.Response;
    if (this.isOfRetrieval && !counts.Response) this.person.label.hidden = true;
  }

  /** The controls as the state has them. */
  controls(state) {
    if (document.activeElement !== this.words) this.words.value = state.q;
    this.rated.select.value = state.rated;
    this.split.select.value = state.split;
    for (const name of ['agent', 'model', 'person']) this.keep(this[name].select, state[name]);
    const fill = ({ input }, value) => {
      if (input !== document.activeElement || !value) input.value = value; // what is being typed stays
    };
    fill(this.from, state.from && dayOf(Date.parse(state.from)));
    fill(this.to, state.to && dayOf(Date.parse(state.to) - 1));
    const others = ['topic', 'flag', 'conversation'].filter((name) => state[name]);
    const isTimed = [state.from, state.to].some((time) => time && new Date(time).setHours(0, 0, 0, 0) !== Date.parse(time));
    show(
      this.chips,
      others.map((name) => chip(`${name} ${state[name].replaceAll('_', ' ')}`, { [name]: '' })),
      isTimed && chip(`${timeText(state.from)} to ${timeText(state.to)}`, { from: '', to: '' }),
    );
    this.clear.disabled = !this.isFiltered;
  }

  /** A select shows its value even where it is not among the most frequent ones. */
  keep(select, value) {
    if (![...select.options].some((each) => each.value === value)) select.append(new Option(value || 'any', value));
    select.value = value;
  }

  /** The names in the lists: asked for where there are other answers, while records come in every 10 s at most. */
  async choices(state, isLive) {
    const key = JSON.stringify([state.as_of, this.isOfRetrieval, this.info?.nodes.Response]);
    if (key === this.choicesKey || (this.isOfRetrieval && !this.isOfBoth)) return;
    const rest = isLive && this.choicesKey ? this.choicesAt + CHARTS_MS - performance.now() : 0;
    if (rest > 0 || this.isChoosing) {
      clearTimeout(this.choicesTimer);
      this.choicesTimer = setTimeout(() => now().view === 'answers' && this.choices(now(), true), Math.max(rest, 500));
      return;
    }
    this.choicesKey = key;
    this.choicesAt = performance.now();
    this.isChoosing = true;
    await this.askChoices(key, state).finally(() => (this.isChoosing = false));
  }

  async askChoices(key, state) {
    for (const name of ['agent', 'model', 'person']) {
      const found = await this.rpc.call('query', choicesQuery(name, state.as_of)).catch(() => null);
      // Another filter, chosen meanwhile, has the same names.
      if (key !== this.choicesKey) return;
      if (!found) {
        this.choicesKey = '';
        return;
      }
      const isCut = found.rows.length >= CHOICES_MAX;
      options(this[name].select, [
        ['', 'any'],
        ...found.rows.map(([value, n]) => [value, `${firstWords(value, 40)} (${countText(n)})`]),
        ...(isCut ? [[OTHER, `another: these are the ${CHOICES_MAX} most frequent…`]] : []),
      ]);
      this.keep(this[name].select, now()[name]);
      if (name === 'person') this.person.label.hidden = !found.rows.length && !now().person;
    }
  }

  /** One page: by words through the index, of a topic and in some orders by a query, else by fields. */
  async ask(state, limit, cursor) {
    const include = ['record', 'status'];
    const isSearched = state.q.trim() !== '';
    const isOfOthers = this.isOfRetrieval ? isJoined(state) : isSearched ? state.topic : isQueried(state);
    if (isSearched && !isOfOthers) {
      const types = [this.isOfRetrieval ? 'Answer' : 'Response'];
      return this.rpc.call('search', cursor ? { cursor, limit } : { text: state.q, types, ...someWhere(whereOf(state)), limit, include, ...momentOf(state.as_of) });
    }
    if (isOfOthers) {
      const page = this.isOfRetrieval ? retrievedPage : isSearched ? searchedPage : orderedPage;
      const { rows, cursor: next } = await this.rpc.call('query', cursor ? { cursor, limit } : page(state, limit));
      const refs = rows.map(([ref]) => ref);
      const { nodes } = refs.length ? await this.rpc.call('node.get', { refs, include, ...momentOf(state.as_of) }) : { nodes: [] };
      return { nodes, cursor: next };
    }
    return this.rpc.call('node.find', cursor ? { cursor, limit } : (this.isOfRetrieval ? findRetrieved : findOf)(state, limit));
  }

  /** The rows of a page, with the conversations that their messages belong to. */
  async rowsOf(nodes, asOf) {
    const acts = nodes.map((node) => shownAtOnce(node));
    const ids = acts.filter(({ node, record }) => node.type === 'Response' && !record.conversation).map(({ node }) => node.id);
    if (!ids.length || !this.info?.nodes.XMLMessageAttachment) return acts;
    const found = await this.rpc.call('query', topicsQuery(ids, asOf)).catch(() => ({ rows: [] }));
    const topics = new Map(found.rows);
    return acts.map((act) => ({ ...act, topic: topics.get(act.node.ref) }));
  }

  async readMore() {
    const turn = this.turn;
    this.more.disabled = true;
    try {
      const answer = await this.ask(this.state, PAGE, this.cursor);
      const added = await this.rowsOf(answer.nodes, this.state.as_of);
      if (turn !== this.turn) return;
      const first = this.rows.length;
      this.rows.push(...added);
      this.cursor = answer.cursor;
      this.fill();
      this.table.tBodies[0].rows[first]?.querySelector('a')?.focus({ preventScroll: true });
      this.complete(added, turn);
    } catch (error) {
      this.note.textContent = describe(error);
    }
    this.more.disabled = false;
  }

  /** What takes a question of its own for each row: texts of messages, and ratings. */
  async complete(acts, turn) {
    await Promise.all(
      acts.map(async (act) => {
        Object.assign(act, await wholeAct(this.rpc, act, this.state.as_of), { isWhole: true });
        if (turn !== this.turn) return;
        const row = [...this.table.tBodies[0].rows].find((each) => each.dataset.ref === act.node.ref);
        if (!row) return;
        this.shownColumns().forEach((name, i) => {
          if (['question', 'said', 'rating', 'time'].includes(name)) show(row.cells[i], COLUMNS[name].cell(act));
        });
      }),
    );
    if (turn === this.turn) this.box.dataset.complete = String(this.rows.length);
  }

  async count(state, turn) {
    const isOfOthers = this.isOfRetrieval ? isJoined(state) : state.topic && !state.q;
    if (this.total === undefined && isOfOthers)
      this.total = await this.rpc.call('query', (this.isOfRetrieval ? countRetrieved : countQuery)(state)).then(
        ({ rows }) => rows[0][0],
        () => undefined,
      );
    else if (this.total === undefined && !state.q)
      this.total = await this.rpc
        .call('node.count', {
          type: this.isOfRetrieval ? 'Answer' : 'Response',
          where: whereOf(state),
          ...momentOf(state.as_of),
        })
        .then(
          ({ count }) => count,
          () => undefined,
        );
    if (this.isOfBoth && !this.isFiltered)
      this.others = await this.rpc.call('node.count', { type: this.isOfRetrieval ? 'Response' : 'Answer', ...momentOf(state.as_of) }).then(
        ({ count }) => count,
        () => 0,
      );
    if (turn === this.turn) this.say();
  }

  get isFiltered() {
    return FILTERS.some((name) => this.state[name]);
  }

  say() {
    const { q } = this.state;
    const many = this.total ?? this.rows.length;
    const [own, other] = !this.isOfBoth ? [KINDS.any] : this.isOfRetrieval ? [KINDS.answer, KINDS.response] : [KINDS.response, KINDS.answer];
    const all = `${countText(many)}${this.isAtLeast || (this.total === undefined && this.cursor) ? '+' : ''} ${own[many === 1 ? 0 : 1]}`;
    const { isFiltered } = this;
    const nothing = this.rows.length || isFiltered ? null : nothingYet(this.info, this.state.as_of);
    const said = [
      this.rows.length ? all : isFiltered ? 'No answer is like that.' : 'No answer was recorded as of this moment.',
      this.rows.length > 0 && this.isOfBoth && !isFiltered && this.others > 0 && h('a', { href: answersHash({ kind: this.isOfRetrieval ? '' : 'answer' }) }, plural(this.others, ...other)),
      this.rows.length < many && this.rows.length > 0 && `${countText(this.rows.length)} ${own[1]} are shown`,
      q && this.rows.length > 0 && 'the best of the newest first',
    ].filter(Boolean);
    show(this.note, nothing ?? said.map((part, i) => [i > 0 && ', ', part]));
    this.box.querySelector('.over-time').hidden = this.isOfRetrieval || nothing !== null;
  }

  shownColumns() {
    const chosen = this.state.cols ? this.state.cols.split(',').filter((name) => COLUMNS[name]) : [];
    if (chosen.length) return Object.keys(COLUMNS).filter((name) => chosen.includes(name) || name === 'question');
    const has = ({ members, isThere = ({ record }) => members.some((member) => record[member] !== undefined) }) => this.rows.some(isThere);
    const isAlways = ({ members, isThere }) => !members && !isThere;
    return Object.keys(COLUMNS).filter((name) => name !== 'id' && (isAlways(COLUMNS[name]) || has(COLUMNS[name])));
  }

  fill() {
    const shown = this.shownColumns();
    const { sort, q } = this.state;
    const isOrdered = !q;
    const head = shown.map((name) => {
      const { name: text, class: kind, title } = COLUMNS[name];
      const is = columnOf(sort) === name && isOrdered;
      const desc = sort.startsWith('-');
      const next = (is ? desc : TEXTS.has(name)) ? name : `-${name}`;
      const can = isOrdered && canOrder(name, this.state);
      return h(
        'th',
        { scope: 'col', class: kind, title: [title, can && ORDER_NOTES[name]].filter(Boolean).join('. ') || null, 'data-column': name, 'aria-sort': is ? (desc ? 'descending' : 'ascending') : null },
        can ? h('button', { type: 'button', onclick: () => go({ sort: next }) }, text, is ? (desc ? ' ↓' : ' ↑') : '') : text,
      );
    });
    const body = this.rows.map((act) =>
      h('tr', { 'data-ref': act.node.ref }, shown.map((name) => h('td', { class: `${COLUMNS[name].class ?? ''} c-${name}`, 'data-name': SAID_ON_CARDS.has(name) ? COLUMNS[name].name : null }, COLUMNS[name].cell(act)))),
    );
    const column = this.table.contains(document.activeElement) ? document.activeElement.closest('th')?.dataset.column : null;
    show(this.table, h('caption', { class: 'unseen' }, 'Answers'), h('thead', {}, h('tr', {}, head)), h('tbody', {}, body));
    // Who orders by the keyboard goes on at the same column.
    if (column) this.table.querySelector(`th[data-column="${column}"] button`)?.focus({ preventScroll: true });
    this.table.hidden = !this.rows.length;
    this.more.hidden = !this.cursor;
    const toggle = (name) => {
      const left = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name];
      go({ cols: left.join(',') });
    };
    const focused = this.columnsBox.contains(document.activeElement) ? document.activeElement.dataset.column : null;
    show(
      this.columnsBox,
      Object.keys(COLUMNS)
        .filter((name) => name !== 'question')
        .map((name) =>
          h('label', {}, h('input', { type: 'checkbox', checked: shown.includes(name), 'data-column': name, onchange: () => toggle(name) }), COLUMNS[name].name),
        ),
    );
    if (focused) this.columnsBox.querySelector(`[data-column="${focused}"]`)?.focus();
    this.say();
  }

  // --- charts --------------------------------------------------------------------------------------------------------

  noCharts() {
    return { key: '', at: -Infinity, drawn: null, questions: new Questions(this.rpc), isAsked: false };
  }

  /** The reader is elsewhere: what the charts still wait for is given up. */
  leave() {
    if (!this.charts.isAsked && !this.charts.questions.running.size) return;
    this.charts.questions.cancel();
    this.charts = this.noCharts();
  }

  /** Charts are asked for anew where the filters changed, and while records come in; another order leaves them. */
  async drawCharts(state, isLive) {
    const key = JSON.stringify([state.as_of, state.split, ...FILTERS.map((name) => state[name]), this.isOfRetrieval]);
    const isKnown = key === this.charts.key;
    if (isKnown && (!isLive || this.charts.isAsked || performance.now() - this.charts.at < CHARTS_MS)) return;
    const section = this.box.querySelector('.over-time');
    section.hidden = this.isOfRetrieval;
    const before = isKnown ? this.charts.drawn : null;
    const mine = { ...this.noCharts(), key, at: performance.now(), drawn: before };
    this.charts.questions.cancel();
    this.charts = mine;
    if (this.isOfRetrieval) return;
    if (!isKnown) show(this.chartsBox, h('p', { class: 'sub' }, 'Reading…'));
    mine.isAsked = true;
    try {
      await this.askCharts(state, mine, before);
    } catch (error) {
      if (mine === this.charts) this.chartsNote.textContent = describe(error);
    }
    mine.isAsked = false;
  }

  async askCharts(state, mine, before) {
    const { questions } = mine;
    const span = { ...(state.from && { from: state.from }), ...(state.to && { to: isoText(Date.parse(state.to) - 1) }) };
    const activity = await questions.call('node.activity', {
      types: ['Response'],
      lanes: 'agent',
      ...span,
      ...momentOf(state.as_of),
    });
    const { period } = activity;
    await this.learnNames(state);
    if (mine !== this.charts) return;
    const many = activity.lanes.reduce((sum, { total }) => sum + total, 0) + (activity.other?.total ?? 0);
    const drawn = { period, volume: null, ratings: null, sums: null, notes: [] };
    const redraw = () => {
      mine.drawn = drawn;
      if (mine === this.charts) this.fillCharts(state, drawn);
    };
    if (isCounted(state) && !(activity.other && (state.split === 'agent' || state.agent))) {
      drawn.volume = byActivity(withOther(activity), state);
    }
    if (!many) {
      show(this.chartsBox);
      this.chartsNote.textContent = '';
      return;
    }
    if (state.q) drawn.notes.push('Of all answers, whatever the words above.');
    if (state.split === 'topic') drawn.notes.push('Of answers with a topic.');
    const complain = (answer) => {
      if (answer.complete === false) drawn.notes.push('The newest periods may be missing: there are too many lines.');
      return answer;
    };
    const readSums = async () => {
      drawn.sums = byPeriod(complain(await questions.call('query', sumsQuery(state, period))), period);
      drawn.volume ??= drawn.sums;
      drawn.wait = null;
      redraw();
    };
    const isLittle = many <= READ_MAX;
    const complainOf = (error) => mine === this.charts && (this.chartsNote.textContent = describe(error));
    if (!isLittle) drawn.wait = { many, read: () => readSums().catch(complainOf) };
    // What was read at the reader's wish stays while records come in.
    if (before?.period === period) drawn.sums = before.sums;
    if (!before) redraw();
    const ratings = questions.call('query', ratingsQuery(state, period)).then((answer) => {
      drawn.ratings = byPeriod(complain(answer), period);
      redraw();
    });
    await Promise.all([ratings, isLittle ? readSums() : null]);
    redraw();
  }

  /** The names of lines, the most frequent of all answers first, whatever the filter; a name that was there keeps its place. */
  async learnNames({ split, as_of: asOf }) {
    if (!split) return;
    const { rows } = await this.rpc.call('query', choicesQuery(split, asOf)).catch(() => ({ rows: [] }));
    this.names.set(split, [...new Set([...(this.names.get(split) ?? []), ...rows.map(([name]) => name)])]);
  }

  fillCharts(state, drawn) {
    const { period, volume, ratings, sums, wait, notes } = drawn;
    const totals = new Map();
    for (const lanes of [volume, sums, ratings])
      for (const [name, points] of lanes ?? [])
        if (!totals.has(name)) totals.set(name, [...points.values()].reduce((sum, { n = 0, scores = 0 }) => sum + n + scores, 0));
    const names = [...totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
    const lanes = names.slice(0, LANES_MAX);
    const label = (name) => firstWords(name, 32) || (state.split ? `no ${state.split}` : 'all');
    const starts = [volume, sums, ratings].flatMap((all) => [...(all?.values() ?? [])].flatMap((points) => [...points.keys()]));
    const periods = periodsOf(starts, period);
    const colours = lanesOf(lanes, this.names.get(state.split) ?? []);
    const openAt = (start, lane) =>
      go({ from: isoText(start), to: isoText(endOf(start, period)), ...(state.split && lane ? { [state.split]: lane, split: '' } : {}) });
    const of = (all, value) =>
      lanes
        .filter((name) => all.has(name))
        .map((name) => ({
          name,
          label: label(name),
          lane: colours.get(name),
          points: new Map(periods.map((start) => [start, value(all.get(name).get(start) ?? {})]).filter(([, each]) => each !== null)),
        }));
    const mean = (sum, count) => (each) => (each[count] ? each[sum] / each[count] : null);
    const one = (title, all, value, text, more = {}) =>
      all
        ? chart({ title, series: of(all, value), periods, period, text, bars: false, open: openAt, ...more })
        : h('figure', { class: 'chart', 'data-chart': title }, h('figcaption', {}, title), wait && title !== 'Mean rating' ? reading(wait) : h('p', { class: 'sub' }, 'Reading…'));
    show(
      this.chartsBox,
      one('Answers', volume, ({ n }) => n ?? 0, shortCount, { bars: !state.split }),
      one('Mean rating', ratings, mean('score', 'scores'), (value) => shortNumber(value), { range: [-1, 1], note: (name, start) => fewIn([ratings.get(name)?.get(start)]) }),
      one('Mean latency', sums, mean('latency', 'latencies'), (ms) => (!ms ? '0' : ms >= 1000 ? `${shortCount(ms / 1000)} s` : `${shortCount(ms)} ms`)),
      one('Cost', sums, (each) => (each.costs ? each.cost : null), (value) => (value >= 10_000 ? shortCount(value) : String(Number(value.toPrecision(3))))),
    );
    show(this.legend, state.split && lanesLegend(lanes.map((name) => ({ label: label(name), lane: colours.get(name), note: meanIn(ratings?.get(name)) }))));
    const left = names.length - lanes.length;
    this.chartsNote.textContent = [...notes, left > 0 && `The ${LANES_MAX} largest of ${names.length}.`, `By ${period}, UTC.`].filter(Boolean).join(' ');
    this.box.dataset.charts = String([volume, ratings, sums].filter(Boolean).length);
  }
}

const sumOf = (all, name) => all.reduce((sum, each) => sum + (each?.[name] ?? 0), 0);

/** Says of a mean that too few ratings are behind it, as Blame does. */
const fewIn = (all) => (sumOf(all, 'scores') < TOO_FEW ? 'too few to tell' : '');

/** The mean of all ratings of a line, in words; empty where there is no rating. */
function meanIn(points) {
  const all = [...(points?.values() ?? [])];
  const scores = sumOf(all, 'scores');
  return scores ? [`rated ${scoreText(sumOf(all, 'score') / scores)} in ${plural(scores, 'rating')}`, fewIn(all)].filter(Boolean).join(': ') : '';
}

/** Where every answer would have to be read, the reader decides. */
const reading = ({ many, read }) =>
  h(
    'p',
    { class: 'sub' },
    h('button', { type: 'button', onclick: (event) => ((event.target.disabled = true), read()) }, `Read ${countText(many)} answers`),
  );

/** Lanes that the server sums up are one lane without a name of its own; they count where all are one. */
const withOther = (activity) =>
  activity.other ? { ...activity, lanes: [...activity.lanes, { lane: '', counts: activity.other.counts }] } : activity;

const someWhere = (where) => (Object.keys(where).length ? { where } : {});

const chip = (text, changes) =>
  h('button', { type: 'button', class: 'badge', title: 'Without this filter', onclick: () => go(changes) }, h('bdi', {}, firstWords(text, 60)), ' ×');

function options(select, entries) {
  const { value } = select;
  show(select, entries.map(([each, text]) => h('option', { value: each }, text)));
  select.value = entries.some(([each]) => each === value) ? value : entries[0][0];
}

/** The address of the answers, with some filters, for links from elsewhere. */
export const answersHash = (filters = {}) =>
  hashOf({ ...DEFAULTS, live: now().live, as_of: now().as_of, view: 'answers', ...filters });
