// The overview: every record as a mark on a plain canvas, time across, a lane per type or topic.
import { byId, h, show } from '../dom.js';
import { countText, dayText, plural, timeText } from '../form.js';
import { momentOf } from '../server/load.js';
import { inOrder, markOf, sharesOf } from './overview_marks.js';
import { go, now, open } from '../state.js';
import { coloursOf, palette } from '../picture/theme.js';
import { cut, shortId, typeName } from '../vocabulary.js';

/** Most marks drawn. */
const MARKS_MAX = 20_000;
const PAGE = 500;
const LANES_MAX = 40;
const EDGE = { top: 10, bottom: 26, right: 18 };
const NO_TIME_WIDTH = 52;
const HIT_PX = 9;
/** Types that carry no time of their own take that of the query with the same id. */
const TIMED_BY_QUERY = new Set(['PromptContext', 'Answer', 'EmbeddingVector']);

export class Overview {
  constructor(rpc) {
    this.rpc = rpc;
    this.turn = 0;
    this.marks = [];
    this.range = null;
    this.canvas = byId('overview-canvas');
    this.marksCanvas = document.createElement('canvas'); // all but the ring around what is pointed at
    this.tip = byId('overview-tip');
    this.listen();
  }

  listen() {
    byId('lane-select').addEventListener('change', (event) => go({ lane: event.target.value }));
    byId('overview-all').addEventListener('click', () => this.look(null));
    this.canvas.addEventListener('pointermove', (event) => this.pointed(event));
    this.canvas.addEventListener('pointerleave', () => this.pick(null));
    this.canvas.addEventListener('click', (event) => {
      const mark = this.nearest(event.offsetX, event.offsetY);
      if (mark) open(mark.ref);
    });
    this.canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(byId('overview-stage'));
    document.addEventListener('themechange', () => this.draw());
  }

  /** Reads the marks of a moment, page by page, drawing as they come; when live, only those written since. */
  async show(asOf, isLive = false) {
    const turn = ++this.turn;
    const info = await this.rpc.call('server.info', momentOf(asOf));
    if (isLive && this.tx !== undefined && this.asOf === asOf) {
      await this.readNew(info);
      return;
    }
    this.asOf = asOf;
    this.tx = undefined;
    const types = Object.keys(info.nodes).filter((type) => info.nodes[type] > 0);
    const shares = sharesOf(info.nodes, MARKS_MAX);
    const marks = [];
    for (const type of inOrder(types)) {
      await this.read(type, shares.get(type), asOf, (nodes) => {
        if (turn !== this.turn) return false;
        for (const node of nodes) marks.push(markOf(node));
        if (this.marks.length <= marks.length) this.take(marks, info);
        return true;
      });
      if (turn !== this.turn) return;
    }
    this.take(marks, info);
    this.tx = info.tx;
  }

  async readNew(info) {
    const where = { tx: { gt: this.tx } };
    const types = Object.keys(info.nodes).filter((type) => info.nodes[type] > 0);
    const pages = await Promise.all(
      types.map((type) =>
        this.rpc.call('node.find', { type, where, limit: PAGE, include: ['record'], as_of: info.tx }),
      ),
    );
    const marks = [...pages.flatMap((page) => page.nodes.map(markOf)), ...this.marks].slice(0, MARKS_MAX);
    this.tx = info.tx;
    this.take(marks, info);
  }

  /** The newest records of a type. Answers have no choice of members, so records come whole and are let go at once. */
  async read(type, most, asOf, take) {
    let cursor;
    for (let count = 0; count < most;) {
      const limit = Math.min(PAGE, most - count);
      const params = { type, order: { by: 'tx', desc: true }, include: ['record'], limit, ...momentOf(asOf) };
      const answer = await this.rpc.call('node.find', cursor ? { cursor, limit } : params);
      count += answer.nodes.length;
      if (!take(answer.nodes) || !answer.cursor) return;
      cursor = answer.cursor;
    }
  }

  take(marks, info) {
    const queried = new Map(marks.filter((mark) => mark.type === 'Query').map((mark) => [mark.id, mark.time]));
    for (const mark of marks)
      if (mark.time === null && TIMED_BY_QUERY.has(mark.type)) mark.time = queried.get(mark.id) ?? null;
    this.marks = marks;
    const total = Object.values(info.nodes).reduce((sum, count) => sum + count, 0);
    this.note =
      total > marks.length
        ? `${countText(marks.length)} of ${plural(total, 'record')}, the newest of each type`
        : plural(total, 'record');
    this.draw();
    document.body.dataset.marks = String(marks.length);
  }

  lanes() {
    const key = now().lane === 'topic' ? (mark) => mark.topic : (mark) => mark.type;
    const counts = new Map();
    for (const mark of this.marks) counts.set(key(mark), (counts.get(key(mark)) ?? 0) + 1);
    const names =
      now().lane === 'topic'
        ? [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, LANES_MAX)
        : inOrder([...counts.keys()]);
    return { names, of: key };
  }

  /** The span of time shown, a little wider than the marks. */
  span() {
    if (this.range) return this.range;
    let from = Infinity;
    let to = -Infinity;
    for (const { time } of this.marks) {
      if (time === null) continue;
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
    if (from > to) return { from: 0, to: 1 };
    const margin = Math.max((to - from) * 0.02, 1000);
    return { from: from - margin, to: to + margin };
  }

  look(range) {
    this.range = range;
    this.draw();
  }

  draw() {
    const stage = byId('overview-stage');
    const [width, height] = [stage.clientWidth, stage.clientHeight];
    if (!width || !height) return;
    show(byId('overview-note'), this.note ?? 'Reading…');
    byId('overview-all').disabled = this.range === null;
    this.scale = devicePixelRatio || 1;
    const { canvas, marksCanvas } = this;
    canvas.width = marksCanvas.width = width * this.scale;
    canvas.height = marksCanvas.height = height * this.scale;
    const pen = marksCanvas.getContext('2d');
    pen.scale(this.scale, this.scale);
    this.place(width, height);
    this.drawFrame(pen, width, height);
    this.drawMarks(pen);
    this.drawPicked();
    this.canvas.setAttribute(
      'aria-label',
      `${this.note ?? ''}, lanes ${this.names.map((name) => this.laneName(name)).join(', ')}. ` +
        'Arrow keys walk between marks, Enter opens.',
    );
  }

  laneName(name) {
    if (now().lane === 'type') return typeName(name);
    const topic = this.marks.find((mark) => mark.type === 'Topic' && mark.id === name);
    return topic?.label ?? (shortId(name, 20) || 'no topic');
  }

  /** Gives each mark its place; marks of one lane that meet are spread over its height by a hash of their ref. */
  place(width, height) {
    const { names, of } = this.lanes();
    this.names = names;
    this.left = Math.min(150, width * 0.3);
    const rows = new Map(names.map((name, i) => [name, i]));
    this.row = (height - EDGE.top - EDGE.bottom) / Math.max(1, names.length);
    const { from, to } = this.span();
    const start = this.left + (this.marks.some((mark) => mark.time === null) ? NO_TIME_WIDTH : 8);
    this.start = start;
    const reach = width - EDGE.right - start;
    const thick = Math.min(this.row * 0.7, 90);
    for (const mark of this.marks) {
      const row = rows.get(of(mark));
      mark.lane = row ?? -1;
      mark.x =
        mark.time === null
          ? this.left + 4 + ((mark.jitter * 7919) % 1) * (NO_TIME_WIDTH - 14)
          : start + ((mark.time - from) / (to - from)) * reach;
      mark.y = EDGE.top + ((row ?? 0) + 0.5) * this.row + (mark.jitter - 0.5) * thick;
      mark.inSight = row !== undefined && (mark.time === null || (mark.x >= start - 1 && mark.x <= width));
    }
  }

  drawFrame(pen, width, height) {
    const colours = palette();
    pen.clearRect(0, 0, width, height);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    this.names.forEach((name, i) => {
      const top = EDGE.top + i * this.row;
      pen.fillStyle = colours.rule;
      pen.fillRect(0, top + this.row - 0.5, width, 1);
      pen.fillStyle = colours.ink;
      pen.fillText(cut(this.laneName(name), Math.floor(this.left / 7.2)), 14, top + this.row / 2, this.left - 18);
    });
    pen.fillStyle = colours.faint;
    const { from, to } = this.span();
    if (this.marks.every((mark) => mark.time === null)) return;
    const ticks = Math.max(2, Math.min(7, Math.floor((width - this.left) / (to - from > 7 * 86_400_000 ? 130 : 230))));
    for (let i = 0; i < ticks; i++) {
      const share = i / (ticks - 1);
      const time = from + share * (to - from);
      pen.textAlign = i === 0 ? 'left' : i === ticks - 1 ? 'right' : 'center';
      const x = this.start + share * (width - EDGE.right - this.start);
      pen.fillText(to - from > 7 * 86_400_000 ? dayText(time) : timeText(time), x, height - 12);
    }
    pen.textAlign = 'left';
    if (this.start - this.left >= NO_TIME_WIDTH) pen.fillText('no time', this.left - 6, height - 12, NO_TIME_WIDTH + 4);
  }

  drawMarks(pen) {
    const size = this.marks.length > 5000 ? 2 : this.marks.length > 800 ? 2.6 : 4;
    const byType = new Map();
    for (const mark of this.marks) {
      if (mark.inSight) (byType.get(mark.type) ?? byType.set(mark.type, []).get(mark.type)).push(mark);
    }
    pen.globalAlpha = this.marks.length > 800 ? 0.65 : 0.9;
    for (const [type, marks] of byType) {
      pen.fillStyle = coloursOf(type).outline;
      pen.beginPath();
      for (const { x, y } of marks) {
        pen.moveTo(x + size, y);
        pen.arc(x, y, size, 0, 7);
      }
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  drawPicked() {
    const pen = this.canvas.getContext('2d');
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.marksCanvas, 0, 0);
    if (!this.picked?.inSight) return;
    pen.scale(this.scale, this.scale);
    pen.strokeStyle = palette().ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(this.picked.x, this.picked.y, 6, 0, 7);
    pen.stroke();
  }

  nearest(x, y) {
    let best = { distance: HIT_PX ** 2, mark: null };
    for (const mark of this.marks) {
      if (!mark.inSight) continue;
      const distance = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (distance < best.distance) best = { distance, mark };
    }
    return best.mark;
  }

  pointed(event) {
    this.pick(this.nearest(event.offsetX, event.offsetY));
    this.canvas.classList.toggle('pointing', Boolean(this.picked));
  }

  pick(mark) {
    if (mark === this.picked) return;
    this.picked = mark;
    this.drawPicked();
    this.tip.hidden = !mark;
    if (!mark) return;
    show(
      this.tip,
      h('b', {}, mark.label),
      h('br'),
      `${typeName(mark.type)}${mark.time === null ? '' : ` · ${timeText(mark.time)}`}`,
    );
    const stage = byId('overview-stage');
    this.tip.style.left = `${Math.max(6, Math.min(mark.x + 14, stage.clientWidth - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${Math.max(6, Math.min(mark.y + 14, stage.clientHeight - this.tip.offsetHeight - 8))}px`;
  }

  /** Turning the wheel widens or narrows the span around the pointer. */
  wheel(event) {
    event.preventDefault();
    const { from, to } = this.span();
    const share = Math.min(
      1,
      Math.max(0, (event.offsetX - this.start) / (this.canvas.clientWidth - EDGE.right - this.start)),
    );
    const middle = from + share * (to - from);
    const factor = event.deltaY > 0 ? 1.25 : 0.8;
    this.look({ from: middle - (middle - from) * factor, to: middle + (to - middle) * factor });
  }

  key(event) {
    if (event.key === 'Enter' && this.picked) open(this.picked.ref);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    this.pick(this.beside(this.picked, step));
    byId('spoken').textContent = this.picked ? `${typeName(this.picked.type)} ${this.picked.label}` : '';
  }

  /** The next mark of the lane, or the nearest in time of the next lane. */
  beside(from, [across, down]) {
    const inSight = this.marks.filter((mark) => mark.inSight);
    if (!from) return inSight[0] ?? null;
    const lane = from.lane + down;
    const others = inSight.filter(
      (mark) => mark.lane === lane && mark !== from && (down !== 0 || (mark.x - from.x) * across >= 0),
    );
    return (
      others.reduce(
        (best, mark) => (!best || Math.abs(mark.x - from.x) < Math.abs(best.x - from.x) ? mark : best),
        null,
      ) ?? from
    );
  }
}
