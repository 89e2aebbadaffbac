// The records of one cell of the overview, the newest first.
import { byId, h, show } from '../dom.js';
import { countText, plural, timeText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { momentOf } from '../server/load.js';
import { describe } from '../server/rpc.js';
import { pageHash } from '../state.js';
import { titleOf } from '../read/names.js';
import { TYPES, timeOf, typeName, typeOf } from '../vocabulary.js';
import { isoText, periodText } from './periods.js';

const PAGE = 50;
const INVALID_PARAMS = -32602;

/** The field that says to which topic a record of a type belongs. */
const TOPIC_FIELD = { Topic: 'id', Subject: 'topic', Summary: 'topic', Keyword: 'topic' };

export class CellList {
  constructor(rpc, close) {
    this.rpc = rpc;
    this.box = byId('overview-list');
    this.close = close;
    this.turn = 0;
    this.inMilliseconds = new Set();
  }

  hide() {
    this.turn += 1;
    this.box.hidden = true;
  }

  /** @param {import('./density.js').Cell & {period: string}} cell */
  async show(cell, { lane, asOf, name }) {
    const turn = ++this.turn;
    const head = h(
      'div',
      { class: 'head' },
      h('h2', { tabindex: -1 }, h('bdi', {}, name), `, ${periodText(cell.start, cell.period)}`),
      h('button', { type: 'button', 'aria-label': 'Close the list', onclick: this.close }, '×'),
    );
    const isNew = this.box.hidden || this.box.dataset.cell !== JSON.stringify(cell);
    this.box.hidden = false;
    this.box.dataset.cell = JSON.stringify(cell);
    if (isNew) show(this.box, head, h('p', { class: 'sub' }, 'Reading…'));
    try {
      const pages = (await Promise.all(this.questions(cell, lane, asOf))).filter(Boolean);
      await this.addUntimed(pages, cell, lane, asOf);
      if (turn !== this.turn) return;
      const top = isNew ? 0 : this.box.scrollTop;
      this.fill(head, pages, turn);
      this.box.scrollTop = top;
      if (isNew) head.firstChild.focus({ preventScroll: true });
    } catch (error) {
      if (turn === this.turn) show(this.box, head, h('p', { class: 'sub' }, describe(error)));
    }
  }

  /** A record may lack the time that its type has; then it is counted where it was written, and no condition finds it. */
  async addUntimed(pages, cell, lane, asOf) {
    const found = pages[0];
    if (pages.length !== 1 || found.cursor || found.nodes.length >= Math.min(cell.count ?? 0, PAGE)) return;
    const [type, where] = lane === 'agent' ? ['Response', { agent: cell.lane }] : [cell.lane, {}];
    const written = await this.rpc.call('node.find', {
      type,
      where: { ...where, ...(await this.writtenIn(cell)) },
      limit: 10 * PAGE,
      include: ['record', 'status'],
      ...momentOf(asOf),
    });
    found.nodes.push(...written.nodes.filter((node) => timeOf(node) === null).slice(0, PAGE));
  }

  questions(cell, lane, asOf) {
    if (lane === 'agent') return [this.find('Response', { agent: cell.lane }, cell, asOf)];
    if (lane !== 'topic') return [this.find(cell.lane, {}, cell, asOf)];
    return Object.keys(TYPES)
      .filter((type) => TYPES[type].time)
      .map((type) => this.find(type, { [TOPIC_FIELD[type] ?? 'topicId']: cell.lane }, cell, asOf));
  }

  /** Records of a type in the cell's period by their own time, else by that of their transaction; null: no such field. */
  async find(type, where, cell, asOf) {
    const { time } = typeOf(type);
    const ask = async () =>
      this.rpc.call('node.find', {
        type,
        where: { ...where, ...(await this.spanOf(type, cell)) },
        order: { by: time ?? 'tx', desc: true },
        limit: PAGE,
        include: ['record', 'status'],
        ...momentOf(asOf),
      });
    try {
      return await ask();
    } catch (error) {
      if (error.code !== INVALID_PARAMS) throw error;
      const isOfTime = time && error.data.path?.startsWith(`/where/${time}/`);
      if (!isOfTime && Object.keys(where).length) return null;
      if (!isOfTime || this.inMilliseconds.has(type)) throw error;
      this.inMilliseconds.add(type);
      return this.find(type, where, cell, asOf);
    }
  }

  /** The condition that a record's time is in the cell; some types have their times as milliseconds. */
  async spanOf(type, { start, end }) {
    const { time } = typeOf(type);
    if (!time) return this.writtenIn({ start, end });
    const form = this.inMilliseconds.has(type) ? Number : isoText;
    return { [time]: { gte: form(start), lt: form(end) } };
  }

  async writtenIn({ start, end }) {
    return { tx: { gt: await this.txBefore(start), lte: await this.txBefore(end) } };
  }

  /** The last transaction before a moment. */
  async txBefore(time) {
    const before = new Date(time - 1).toISOString();
    return this.rpc.call('server.info', { as_of: before }).then(
      ({ tx }) => tx,
      () => 0,
    );
  }

  fill(head, pages, turn) {
    const nodes = pages.flatMap((page) => page.nodes);
    if (pages.length > 1) nodes.sort((a, b) => (timeOf(b) ?? 0) - (timeOf(a) ?? 0));
    const list = h('div', { class: 'entries' }, nodes.map(entry));
    const note = h('p', { class: 'sub', role: 'status' });
    let shown = nodes.length;
    let { cursor } = pages.length === 1 ? pages[0] : {};
    const more = h('button', { type: 'button' }, 'More');
    const say = () => {
      const isCut = cursor || pages.some((page) => page.cursor);
      note.textContent = isCut ? `The newest ${countText(shown)} are shown.` : plural(shown, 'record');
      more.hidden = !cursor;
    };
    more.addEventListener('click', async () => {
      more.disabled = true;
      const page = await this.rpc
        .call('node.find', { cursor, limit: PAGE })
        .catch((error) => ({ nodes: [], problem: describe(error) }));
      if (turn !== this.turn) return;
      list.append(...page.nodes.map(entry));
      shown += page.nodes.length;
      cursor = page.cursor;
      more.disabled = false;
      say();
      if (page.problem) note.textContent = page.problem;
    });
    say();
    show(this.box, head, list, note, more);
  }
}

function entry(node) {
  const time = timeOf(node);
  return h(
    'a',
    { class: 'entry', href: pageHash(node.ref), 'data-ref': node.ref },
    glyph(node.type),
    h('span', { class: 'title' }, titleOf(node, 100)),
    h(
      'span',
      { class: 'sub' },
      [
        typeName(node.type),
        node.record?.agent,
        time !== null && timeText(time),
        node.status === 'deprecated' && 'deprecated',
      ]
        .filter(Boolean)
        .join(' · '),
    ),
  );
}
