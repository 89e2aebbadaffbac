// The overview: how many records of each lane fall into each period; a cell opens the list of its records.
import { byId, debounced, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { coloursOf } from '../picture/theme.js';
import { momentOf } from '../server/load.js';
import { go, now } from '../state.js';
import { shortId, typeName } from '../vocabulary.js';
import { Density } from './density.js';
import { cellText, parseCell } from './overview_cell.js';
import { CellList } from './overview_list.js';
import { isoText } from './periods.js';
import { timedTypes } from './start.js';

/** The shortest span that is asked for: what is less has no shorter periods. */
const SPAN_MS_MIN = 3_600_000;
const SETTLE_MS = 160;
const CLOSER = 0.5;

/** Lanes that are no types have one colour: a colour says which type. */
const accent = () => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();

export class Overview {
  constructor(rpc) {
    this.rpc = rpc;
    this.turn = 0;
    this.span = null;
    this.topics = new Map();
    this.density = new Density(byId('overview-stage'), (cell) => go({ cell: cellText(cell, this.period) }), {
      label: 'Records over time',
      id: 'overview-canvas',
      onwheel: (event, time) => {
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, time);
      },
    });
    this.list = new CellList(rpc, () => go({ cell: '' }));
    this.settle = debounced(
      () => this.span && go({ from: isoText(this.span.from), to: isoText(this.span.to) }),
      SETTLE_MS,
    );
    byId('lane-select').addEventListener('change', (event) => go({ lane: event.target.value, cell: '' }));
    const clicks = {
      'overview-all': () => go({ from: '', to: '' }),
      'overview-closer': () => this.zoom(CLOSER),
      'overview-farther': () => this.zoom(1 / CLOSER),
      'overview-earlier': () => this.move(-0.5),
      'overview-later': () => this.move(0.5),
    };
    for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener('click', action);
    byId('overview-canvas').addEventListener('keydown', (event) => {
      const action = { '+': () => this.zoom(CLOSER), '-': () => this.zoom(1 / CLOSER) }[event.key];
      if (action) action();
    });
  }

  async show(state) {
    const turn = ++this.turn;
    const { as_of: asOf, lane, from, to } = state;
    const info = await this.rpc.call('server.info', momentOf(asOf));
    const timed = timedTypes(info.nodes);
    const answer = await this.rpc.call('node.activity', {
      ...(lane === 'written' ? {} : { types: lane === 'agent' ? ['Response'] : timed }),
      lanes: lane === 'written' ? 'type' : lane,
      ...(from ? { from } : {}),
      ...(to ? { to } : {}),
      ...momentOf(asOf),
    });
    const names = await this.namesOf(answer.lanes, lane, asOf);
    if (turn !== this.turn) return;
    this.take(answer, names, lane, info, timed);
    this.span = { from: this.density.from, to: this.density.to };
    const cell = parseCell(state.cell);
    if (cell)
      cell.count = this.density.cells.find((each) => each.lane === cell.lane && each.start === cell.start)?.count;
    if (cell) await this.list.show(cell, { lane, asOf, name: names(cell.lane) });
    else this.list.hide();
  }

  take({ lanes, period, from, to, other }, names, lane, info, timed) {
    this.period = period;
    const byType = lane === 'type' || lane === 'written';
    const shown = lanes.map((each) => ({ ...each, name: names(each.lane) }));
    const all = shown.reduce((sum, { total }) => sum + total, 0) + (other?.total ?? 0);
    this.density.show({
      lanes: shown,
      period,
      from: Date.parse(from ?? new Date().toISOString()),
      to: Date.parse(to ?? new Date().toISOString()),
      colourOf: (name) => (byType ? coloursOf(name).outline : accent()),
    });
    const untimed = Object.entries(info.nodes).reduce((sum, [type, n]) => sum + (timed.includes(type) ? 0 : n), 0);
    const notes = [
      `${plural(all, 'record')} by ${period}`,
      other && `${countText(other.total)} of them in ${plural(other.lanes, 'smaller lane')} that are not drawn`,
      lane === 'type' && untimed > 0 && `${countText(untimed)} have no time of their own`,
    ];
    show(byId('overview-note'), shown.length ? notes.filter(Boolean).join('; ') : 'No record in this span.');
    byId('overview-all').disabled = !now().from && !now().to;
    document.body.dataset.cells = String(this.density.cells.length);
  }

  /** How lanes are called: topics by their names, which are asked for once. */
  async namesOf(lanes, lane, asOf) {
    if (lane !== 'topic') return lane === 'agent' ? (name) => name || 'no agent' : typeName;
    const unknown = lanes.map(({ lane: id }) => id).filter((id) => id && !this.topics.has(id));
    const ask = (id) =>
      this.rpc.call('node.get', { ref: `Topic:${id}`, include: ['record'], ...momentOf(asOf) }).then(
        ({ nodes }) => this.topics.set(id, nodes[0].record?.name),
        () => {},
      );
    await Promise.all(unknown.map(ask));
    return (id) => this.topics.get(id) ?? (shortId(id, 20) || 'no topic');
  }

  /** Narrows or widens the span around a moment; what is known is drawn at once, the rest is asked for. */
  zoom(factor, around = (this.span.from + this.span.to) / 2) {
    const { from, to } = this.span;
    const length = Math.max(SPAN_MS_MIN, (to - from) * factor);
    const share = (around - from) / (to - from);
    this.look({ from: around - share * length, to: around + (1 - share) * length });
  }

  move(share) {
    const { from, to } = this.span;
    this.look({ from: from + share * (to - from), to: to + share * (to - from) });
  }

  look(span) {
    const isSensible = span.from > -62_135_596_800_000 && span.to < 253_402_300_800_000; // years 1 to 9999
    if (!isSensible) return;
    this.span = { from: Math.floor(span.from / 1000) * 1000, to: Math.ceil(span.to / 1000) * 1000 };
    Object.assign(this.density, this.span);
    this.density.draw();
    this.settle();
  }
}
