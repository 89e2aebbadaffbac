// How many records fall into each lane and period, as a grid of cells on a canvas: the more records, the stronger the colour.
// Cells are pointed at, walked by arrow keys, and opened by a click or Enter.
import { byId, h, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { palette } from '../picture/theme.js';
import { cut } from '../vocabulary.js';
import { endOf, periodText, startOf, tickText } from './periods.js';

const GAP = 1;
const CELL_PX_MIN = 3;
const BOTTOM = 26;
const RIGHT = 16;
/** A lane as high has room for its count below its name. */
const TWO_LINES = 34;
/** The weakest colour of a cell that has a record. */
const FAINTEST = 0.22;

/**
 * @typedef {{lane: string, name: string, colour: string, total: number, counts: {start: string, count: number}[]}} Lane
 * @typedef {{lane: string, name: string, start: number, end: number, count: number}} Cell
 */
export class Density {
  /**
   * @param {HTMLElement} box is filled with the canvas @param {(cell: Cell) => void} open
   * @param {{label: string, rowMax?: number, onwheel?: (event: WheelEvent, time: number) => void}} options
   */
  constructor(box, open, { label, rowMax = 64, onwheel = null, id }) {
    this.box = box;
    this.open = open;
    this.label = label;
    this.rowMax = rowMax;
    this.lanes = [];
    this.cells = [];
    this.picked = null;
    this.canvas = h('canvas', { class: 'density', id, tabindex: 0, role: 'application', 'aria-label': label });
    this.tip = h('div', { class: 'density-tip', hidden: true });
    show(box, this.canvas, this.tip);
    this.canvas.addEventListener('pointermove', (event) => this.pick(this.at(event.offsetX, event.offsetY)));
    this.canvas.addEventListener('pointerleave', () => this.pick(null));
    this.canvas.addEventListener('blur', () => this.pick(null));
    this.canvas.addEventListener('click', (event) => {
      const cell = this.at(event.offsetX, event.offsetY);
      if (cell) this.open(cell);
    });
    if (onwheel)
      this.canvas.addEventListener('wheel', (event) => onwheel(event, this.timeAt(event.offsetX)), { passive: false });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(box);
    this.themes = () => this.draw();
    document.addEventListener('themechange', this.themes);
  }

  /** Lets go of what watches the page, for a grid that is no longer shown. */
  close() {
    this.sizes.disconnect();
    document.removeEventListener('themechange', this.themes);
  }

  /** @param {{lanes: Lane[], period: string, from: number, to: number, colourOf: (lane: string) => string}} shown */
  show({ lanes, period, from, to, colourOf }) {
    this.lanes = lanes;
    this.period = period;
    this.colourOf = colourOf;
    this.from = startOf(from, period);
    this.to = endOf(startOf(to, period), period);
    this.cells = lanes.flatMap(({ lane, name, counts }, row) =>
      counts.map(({ start, count }) => {
        const begin = Date.parse(start);
        return { lane, name, row, start: begin, end: endOf(begin, period), count };
      }),
    );
    this.picked = null;
    this.canvas.setAttribute(
      'aria-label',
      `${this.label}: ${lanes.map(({ name, total }) => `${name} ${countText(total)}`).join(', ')}. ` +
        'Arrow keys walk between periods that have records, Enter lists them.',
    );
    this.draw();
  }

  /** The moment under a place of the canvas, kept within what is shown. */
  timeAt(x) {
    const share = Math.min(1, Math.max(0, (x - this.left) / this.reach));
    return this.from + share * (this.to - this.from);
  }

  draw() {
    const [width, height] = [this.box.clientWidth, this.box.clientHeight];
    if (!width || !height || !this.lanes.length) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const pen = this.canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    this.left = Math.min(160, width * 0.32);
    this.reach = width - RIGHT - this.left;
    this.row = Math.min(this.rowMax, (height - BOTTOM) / this.lanes.length);
    const colours = palette();
    this.lanes.forEach(({ name, total }, i) => {
      const middle = (i + 0.5) * this.row;
      pen.fillStyle = colours.rule;
      pen.fillRect(0, (i + 1) * this.row - 0.5, width, 1);
      pen.fillStyle = colours.ink;
      const beside = this.left - 26 - pen.measureText(countText(total)).width;
      const isBelow = pen.measureText(name).width > beside && this.row >= TWO_LINES;
      const room = isBelow ? this.left - 16 : beside;
      const shown = pen.measureText(name).width <= room ? name : cut(name, Math.max(3, Math.floor(room / 6.6)));
      pen.fillText(shown, 4, isBelow ? middle - 8 : middle, room);
      pen.fillStyle = colours.faint;
      pen.textAlign = 'right';
      pen.fillText(countText(total), this.left - 12, isBelow ? middle + 8 : middle);
      pen.textAlign = 'left';
    });
    this.drawCells(pen);
    this.drawTicks(pen, width, Math.min(height - 13, this.lanes.length * this.row + 14));
    this.drawPicked(pen, colours);
  }

  drawCells(pen) {
    const most = this.cells.reduce((max, { count }) => Math.max(max, count), 1);
    for (const cell of this.cells) {
      const place = this.place(cell);
      if (!place) continue;
      pen.globalAlpha = FAINTEST + (1 - FAINTEST) * (most === 1 ? 0.6 : Math.sqrt(cell.count / most));
      pen.fillStyle = this.colourOf(cell.lane);
      pen.fillRect(place.x, place.y, place.width, place.height);
    }
    pen.globalAlpha = 1;
  }

  drawTicks(pen, width, y) {
    const span = this.to - this.from;
    const room = span > 7 * 86_400_000 ? 130 : 210;
    const ticks = Math.max(2, Math.min(7, Math.floor(this.reach / room)));
    pen.fillStyle = palette().faint;
    for (let i = 0; i < ticks; i++) {
      const share = i / (ticks - 1);
      pen.textAlign = i === 0 ? 'left' : i === ticks - 1 ? 'right' : 'center';
      pen.fillText(tickText(this.from + share * span, span), this.left + share * this.reach, y, this.reach / ticks);
    }
    pen.textAlign = 'left';
  }

  drawPicked(pen, colours) {
    const place = this.picked && this.place(this.picked);
    if (!place) return;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    pen.strokeRect(place.x - 1, place.y - 1, place.width + 2, place.height + 2);
  }

  place({ row, start, end }) {
    const scale = this.reach / (this.to - this.from);
    const x = this.left + (Math.max(start, this.from) - this.from) * scale;
    const right = this.left + (Math.min(end, this.to) - this.from) * scale;
    if (right <= this.left || x >= this.left + this.reach) return null;
    const y = row * this.row + Math.max(1, this.row * 0.08);
    return { x, y, width: Math.max(CELL_PX_MIN, right - x - GAP), height: this.row - 2 * Math.max(1, this.row * 0.08) };
  }

  at(x, y) {
    const row = Math.floor(y / this.row);
    return (
      this.cells.find((cell) => {
        if (cell.row !== row) return false;
        const place = this.place(cell);
        return place && x >= place.x - 1 && x <= place.x + place.width + 1;
      }) ?? null
    );
  }

  pick(cell) {
    if (cell === this.picked) return;
    this.picked = cell;
    this.canvas.classList.toggle('pointing', Boolean(cell));
    this.draw();
    this.tip.hidden = !cell;
    const place = cell && this.place(cell);
    if (!place) return;
    show(this.tip, h('b', {}, this.textOf(cell)), h('br'), periodText(cell.start, this.period));
    const under = place.y + place.height + 8;
    const fits = under + this.tip.offsetHeight < this.box.clientHeight;
    const top = fits ? under : Math.max(4, place.y - this.tip.offsetHeight - 8);
    const left = Math.max(4, Math.min(place.x, this.box.clientWidth - this.tip.offsetWidth - 6));
    this.tip.style.transform = `translate(${left}px, ${top}px)`;
  }

  textOf = ({ name, count }) => `${name}: ${plural(count, 'record')}`;

  key(event) {
    if (event.key === 'Enter' && this.picked) {
      event.preventDefault();
      this.open(this.picked);
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    this.pick(this.beside(this.picked, step));
    if (this.picked)
      byId('spoken').textContent = `${this.textOf(this.picked)}, ${periodText(this.picked.start, this.period)}`;
  }

  /** The next cell of the lane, or the nearest in time of the next lane that has one. */
  beside(from, [across, down]) {
    if (!from) return this.cells[0] ?? null;
    const others = this.cells.filter((cell) =>
      down ? (cell.row - from.row) * down > 0 : cell.row === from.row && (cell.start - from.start) * across > 0,
    );
    const distance = (cell) => Math.abs(cell.row - from.row) * 1e15 + Math.abs(cell.start - from.start);
    return others.reduce((best, cell) => (!best || distance(cell) < distance(best) ? cell : best), null) ?? from;
  }
}
