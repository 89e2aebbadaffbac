// A small chart over time: one line for each lane, or bars where there is one lane to count. Arrow keys walk from point to
// point and say it; Enter or a press opens what a point represents.
import { byId, h, show, svg } from '../dom.js';
import { countText } from '../form.js';
import { periodText } from './periods.js';

const [WIDTH, HEIGHT] = [320, 132];
const [LEFT_MIN, RIGHT, TOP, BOTTOM] = [44, 8, 10, 20];
/** A digit of the axis is less wide than this. */
const LETTER = 8.7;

/** Colours of lanes; those of Okabe and Ito that are read on both grounds, as classes of the stylesheet. */
export const LANES_MAX = 6;

/**
 * The colour of each line: that of its name's place among all names, whatever else is shown. Of two that would have one colour the later
 * one has a free one.
 * @param {string[]} names at most LANES_MAX @param {string[]} all
 * @returns {Map<string, number>}
 */
export function lanesOf(names, all) {
  const place = (name) => (all.includes(name) ? all.indexOf(name) : all.length);
  const found = new Map();
  for (const name of [...names].sort((a, b) => place(a) - place(b))) {
    let lane = place(name) % LANES_MAX;
    while ([...found.values()].includes(lane)) lane = (lane + 1) % LANES_MAX;
    found.set(name, lane);
  }
  return found;
}

/** A round number at or above the largest value, so that the axis reads well. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 2.5, 5, 10].find((step) => step * power >= value * (1 - 1e-9));
}

/**
 * @param {{title: string, unit?: string, series: {name: string, label: string, lane: number, points: Map<number, number>}[], periods: number[],
 *   period: string, text: (value: number) => string, range?: [number, number], bars: boolean,
 *   note?: (lane: string, start: number) => string, open: (start: number, lane: string) => void}} what `note` is said beside a point
 * @returns {HTMLElement}
 */
export function chart({ title, series, periods, period, text, range, bars, note = () => '', open }) {
  const values = series.flatMap(({ points }) => [...points.values()]);
  const [low, high] = range ?? [0, roundUp(Math.max(0, ...values))];
  const isCount = !range && values.every(Number.isInteger);
  const ticks = [low, (low + high) / 2, high].filter((value) => !isCount || Number.isInteger(value));
  const left = Math.max(LEFT_MIN, 8 + LETTER * Math.max(...ticks.map((value) => text(value).length)));
  const x = (i) => left + ((i + 0.5) * (WIDTH - left - RIGHT)) / Math.max(1, periods.length);
  const y = (value) => HEIGHT - BOTTOM - ((value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const label = `${title} by ${period}: ${series.length > 1 ? `${series.length} lines, ` : ''}${
    values.length
  } points. Arrow keys walk, Enter opens the answers.`;
  // What a point says is beside the title: over the lines it would cover some of them.
  const said = h('span', { class: 'chart-said' });
  const cursor = svg('circle', { class: 'cursor', r: 4, visibility: 'hidden' });
  const parts = series.map((each) => drawn(each, periods, x, y, bars, (WIDTH - left - RIGHT) / Math.max(1, periods.length)));
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label, tabindex: 0 },
    ticks.map((value) => [
      svg('line', { class: 'grid', x1: left, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svg('text', { x: left - 5, y: y(value) + 4, 'text-anchor': 'end' }, text(value)),
    ]),
    periods.length > 0 && svg('text', { x: left, y: HEIGHT - 5 }, dateText(periods[0], period)),
    periods.length > 1 &&
      svg('text', { x: WIDTH - RIGHT, y: HEIGHT - 5, 'text-anchor': 'end' }, dateText(periods.at(-1), period)),
    parts,
    cursor,
  );
  let at = { i: -1, k: 0 };
  const has = (i, k) => series[k]?.points.has(periods[i]);
  const say = () => {
    const { name, label: lane, points } = series[at.k];
    const start = periods[at.i];
    const value = points.get(start);
    cursor.setAttribute('cx', x(at.i));
    cursor.setAttribute('cy', y(value));
    cursor.setAttribute('visibility', 'visible');
    const of = [periodText(start, period), (name || series.length > 1) && lane, note(name, start)].filter(Boolean).join(', ');
    show(said, h('b', {}, text(value)), ` ${of}`);
    byId('spoken').textContent = `${title} ${text(value)}: ${of}`;
  };
  const hide = () => {
    show(said);
    cursor.setAttribute('visibility', 'hidden');
  };
  /** The next point of the lane in a direction, where there is one. */
  const walk = (step) => {
    for (let i = at.i + step; i >= 0 && i < periods.length; i += step) {
      if (has(i, at.k)) {
        at = { ...at, i };
        return say();
      }
    }
  };
  const change = (step) => {
    for (let k = at.k + step; k >= 0 && k < series.length; k += step)
      if (has(at.i, k)) {
        at = { ...at, k };
        return say();
      }
  };
  /** The nearest point to a place on the screen. */
  const near = (event) => {
    const box = picture.getBoundingClientRect();
    const [px, py] = [((event.clientX - box.left) * WIDTH) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
    let best = null;
    series.forEach(({ points }, k) =>
      periods.forEach((start, i) => {
        if (!points.has(start)) return;
        // A column is found wherever the pointer is above it; of several lines the nearest one.
        const away = Math.abs(x(i) - px) * 50 + (bars ? 0 : Math.abs(y(points.get(start)) - py));
        if (!best || away < best.away) best = { away, i, k };
      }),
    );
    return best;
  };
  const openAt = () => at.i >= 0 && open(periods[at.i], series[at.k].name);
  picture.addEventListener('keydown', (event) => {
    const action = {
      ArrowRight: () => walk(1),
      ArrowLeft: () => (at.i < 0 ? ((at.i = periods.length), walk(-1)) : walk(-1)),
      ArrowUp: () => at.i >= 0 && change(1),
      ArrowDown: () => at.i >= 0 && change(-1),
      Home: () => ((at.i = -1), walk(1)),
      End: () => ((at.i = periods.length), walk(-1)),
      Enter: openAt,
      Escape: hide,
    }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  picture.addEventListener('blur', hide);
  picture.addEventListener('pointermove', (event) => {
    const found = near(event);
    if (!found) return;
    at = { i: found.i, k: found.k };
    say();
  });
  picture.addEventListener('pointerleave', () => document.activeElement !== picture && hide());
  picture.addEventListener('click', (event) => {
    const found = near(event);
    if (!found) return;
    at = { i: found.i, k: found.k };
    openAt();
  });
  return h(
    'figure',
    { class: 'chart', 'data-chart': title },
    h('figcaption', {}, title, said),
    values.length ? picture : h('p', { class: 'sub' }, 'None of these answers has one.'),
  );
}

function drawn({ points, lane: k }, periods, x, y, bars, room) {
  const base = y(0);
  const places = periods.flatMap((start, i) => (points.has(start) ? [[x(i), y(points.get(start)), i]] : []));
  if (bars) {
    const wide = Math.max(1, Math.min(24, room * 0.8));
    return places.map(([px, py]) =>
      svg('rect', { class: `lane lane-${k}`, x: px - wide / 2, y: Math.min(py, base), width: wide, height: Math.max(1, Math.abs(base - py)) }),
    );
  }
  // A line leads on only where the period before has a point, too; over periods in which there is nothing a thin one does.
  const isNext = (n) => places[n - 1][2] === places[n][2] - 1;
  const to = ([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`;
  const way = places.map((place, n) => `${n && isNext(n) ? 'L' : 'M'}${to(place)}`);
  const gaps = places.flatMap((place, n) => (n && !isNext(n) ? [`M${to(places[n - 1])}L${to(place)}`] : []));
  return [
    gaps.length > 0 && svg('path', { class: `gap lane-${k}`, d: gaps.join('') }),
    svg('path', { class: `lane lane-${k}`, d: way.join('') }),
    places.length <= 120 && places.map(([px, py]) => svg('circle', { class: `lane lane-${k}`, cx: px, cy: py, r: places.length > 40 ? 1.5 : 3 })),
  ];
}

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });

function dateText(start, period) {
  if (period === 'hour') return CLOCK.format(start);
  return ['month', 'year'].includes(period) ? MONTH.format(start) : DAY.format(start);
}

/** The legend of the lanes that the charts share: `{label, lane, note}` of each. */
export const lanesLegend = (lanes) =>
  h(
    'ul',
    { class: 'lanes-legend', 'aria-label': 'Lines' },
    lanes.map(({ label, lane, note }) => h('li', {}, svg('svg', { viewBox: '0 0 14 8', 'aria-hidden': 'true' }, svg('path', { class: `lane lane-${lane}`, d: 'M0 4H14' })), h('bdi', {}, label), note && h('span', { class: 'sub' }, ` ${note}`))),
  );

export const shortCount = (value) =>
  value >= 1_000_000 ? `${countText(Math.round(value / 100_000) / 10)}M` : value >= 10_000 ? `${countText(Math.round(value / 100) / 10)}k` : countText(Math.round(value * 100) / 100);
