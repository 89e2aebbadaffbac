// Routes of edges around cards. Cards stand in columns; an edge crosses a column only in a gap between two cards, and turns only
// between columns.

/** How far a line keeps from a card, how far lines in one gap keep from each other, and what a bend costs, as a way. */
const CLEAR = 4;
const SPACING = 5;
const BEND_COST = 30;

/**
 * Words: `a` runs along the direction of influence, `c` across it. A column is a set of cards with one place along `a`;
 * between two columns is a channel, which holds no card. A route is a list of points. From an even point to the next it
 * turns within a channel; from an odd one to the next it runs straight through a gap of a column.
 *
 * @param {Map<string, {a: number, c: number}>} places middles of cards @param {{a: number, c: number}} size of every card
 * @param {{key: string, cause: string, effect: string}[]} edges
 * @param {number} ports how far lines that meet at one card keep from each other there
 * @returns {Map<string, {a: number, c: number}[]>} by key; edges from a card to itself have none
 */
export function routesOf(places, edges, size, ports = 7) {
  const columns = columnsOf(places, size);
  const columnOf = new Map();
  columns.forEach((column, i) => column.cards.forEach(({ ref }) => columnOf.set(ref, i)));
  const ways = edges
    .filter(({ cause, effect }) => cause !== effect && places.has(cause) && places.has(effect))
    .map((edge) => wayOf(edge, places, columns, columnOf));
  spreadInGaps(ways, columns);
  spreadAtCards(ways, size, ports);
  return new Map(ways.map((way) => [way.key, pointsOf(way, columns)]));
}

function columnsOf(places, size) {
  const byPlace = new Map();
  for (const [ref, { a, c }] of places) {
    const key = Math.round(a);
    const column = byPlace.get(key) ?? byPlace.set(key, { a, cards: [] }).get(key);
    column.cards.push({ ref, from: c - size.c / 2, to: c + size.c / 2 });
  }
  const columns = [...byPlace.values()].sort((x, y) => x.a - y.a);
  for (const column of columns) {
    column.from = column.a - size.a / 2;
    column.to = column.a + size.a / 2;
    column.cards.sort((x, y) => x.from - y.from);
    const ends = column.cards;
    column.gaps = Array.from({ length: ends.length + 1 }, (_, i) => {
      const lo = i === 0 ? -Infinity : ends[i - 1].to + CLEAR;
      const hi = i === ends.length ? Infinity : ends[i].from - CLEAR;
      return { lo, hi, lines: [] };
    }).filter(({ lo, hi }) => hi >= lo);
  }
  return columns;
}

/** Which gap of which column an edge passes, one after the other, and at which height it would like to. */
function wayOf(edge, places, columns, columnOf) {
  const [i, j] = [columnOf.get(edge.cause), columnOf.get(edge.effect)];
  const [start, end] = [places.get(edge.cause).c, places.get(edge.effect).c];
  const passed = [];
  if (i < j) for (let k = i + 1; k < j; k++) passed.push(k);
  // Back, or within one column: out on the far side and around, because an arrow always enters from the near side.
  else for (let k = i; k >= j; k--) passed.push(k);
  const way = { ...edge, i, j, start, end, isBack: i >= j, passes: [] };
  way.passes = cheapest(way, passed, columns);
  for (const pass of way.passes) pass.gap.lines.push(pass);
  return way;
}

/** The gaps with the shortest way through them and the fewest bends, column by column. */
function cheapest(way, passed, columns) {
  let states = [{ c: way.start, cost: 0, before: null, gap: null, column: -1 }];
  passed.forEach((k, step) => {
    const straight = way.start + ((way.end - way.start) * (step + 1)) / (passed.length + 1);
    const wanted = [straight, way.start, way.end, ...states.map((state) => state.c)];
    const options = new Map();
    for (const c of wanted)
      for (const gap of nearestGaps(columns[k].gaps, c)) {
        const at = Math.min(gap.hi, Math.max(gap.lo, c));
        options.set(Math.round(at * 2), { c: at, gap });
      }
    const next = [...options.values()].map(({ c, gap }) => {
      let best = null;
      for (const state of states) {
        const move = Math.abs(c - state.c);
        const cost = state.cost + move + (move > 1 ? BEND_COST : 0);
        if (!best || cost < best.cost) best = { c, gap, column: k, cost, before: state };
      }
      return best;
    });
    next.sort((x, y) => x.cost + Math.abs(way.end - x.c) - (y.cost + Math.abs(way.end - y.c)));
    states = next.slice(0, 6);
  });
  const costs = states.map((state) => state.cost + Math.abs(way.end - state.c) + (state.c === way.end ? 0 : BEND_COST));
  const passes = [];
  for (let state = states[costs.indexOf(Math.min(...costs))]; state.before; state = state.before)
    passes.unshift({ column: state.column, gap: state.gap, c: state.c, order: way.start + way.end });
  return passes;
}

/** The gap that holds `c`, else those on both sides of the card that is there. */
function nearestGaps(gaps, c) {
  let [from, to] = [0, gaps.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (gaps[middle].hi < c) from = middle + 1;
    else to = middle;
  }
  if (gaps[from].lo <= c || from === 0) return [gaps[from]];
  return [gaps[from - 1], gaps[from]];
}

/** Lines in one gap side by side instead of one upon the other. */
function spreadInGaps(ways, columns) {
  for (const { gaps } of columns)
    for (const { lo, hi, lines } of gaps) {
      if (lines.length < 2) continue;
      lines.sort((x, y) => x.c - y.c || x.order - y.order);
      if (lo === -Infinity) {
        for (let i = lines.length - 2; i >= 0; i--) lines[i].c = Math.min(lines[i].c, lines[i + 1].c - SPACING);
      } else if (hi === Infinity) {
        for (let i = 1; i < lines.length; i++) lines[i].c = Math.max(lines[i].c, lines[i - 1].c + SPACING);
      } else {
        const step = Math.min(SPACING, (hi - lo) / (lines.length - 1));
        const mean = lines.reduce((sum, line) => sum + line.c, 0) / lines.length;
        const first = Math.min(hi - step * (lines.length - 1), Math.max(lo, mean - (step * (lines.length - 1)) / 2));
        lines.forEach((line, i) => (line.c = first + i * step));
      }
    }
}

/** Edges leave and enter a card side by side, in the order of where they come from or go to. */
function spreadAtCards(ways, size, ports) {
  for (const [end, other, card] of [
    ['start', (way) => way.passes[0]?.c ?? way.end, 'cause'],
    ['end', (way) => way.passes.at(-1)?.c ?? way.start, 'effect'],
  ]) {
    const byCard = new Map();
    for (const way of ways) (byCard.get(way[card]) ?? byCard.set(way[card], []).get(way[card])).push(way);
    const wanted = new Map(ways.map((way) => [way, other(way)]));
    for (const at of byCard.values()) {
      if (at.length < 2) continue;
      at.sort((x, y) => wanted.get(x) - wanted.get(y));
      const step = Math.min(ports, (size.c - 18) / (at.length - 1));
      at.forEach((way, i) => (way[`${end}At`] = way[end] + (i - (at.length - 1) / 2) * step));
    }
  }
}

function pointsOf(way, columns) {
  const points = [{ a: columns[way.i].to, c: way.startAt ?? way.start }];
  for (const { column, c } of way.passes) {
    const { from, to } = columns[column];
    points.push(...(way.isBack ? [to, from] : [from, to]).map((a) => ({ a, c })));
  }
  points.push({ a: columns[way.j].from, c: way.endAt ?? way.end });
  return points;
}

/** How far a turn on the spot swings out along `a`, at most; channels are wider. */
const SWING = 20;

/**
 * A route as cubic curves and lines in the plane of the screen.
 * @param {{a: number, c: number}[]} points @param {'LR' | 'TB'} direction
 * @returns {{x: number, y: number}[][]} pieces of 2 (a line) or 4 points (a curve)
 */
export function piecesOf(points, direction) {
  const at = (a, c) => (direction === 'LR' ? { x: a, y: c } : { x: c, y: a });
  const pieces = [];
  for (let i = 0; i + 1 < points.length; i++) {
    const [p, q] = [points[i], points[i + 1]];
    if (i % 2 === 1 || Math.abs(p.c - q.c) < 0.5) {
      pieces.push([at(p.a, p.c), at(q.a, q.c)]);
      continue;
    }
    // On the spot: at the start of a way back the line leaves forward, at its end it arrives forward.
    const isSpot = Math.abs(p.a - q.a) < 0.5;
    const swing = isSpot ? (i === 0 ? SWING : -SWING) : 0;
    const [pa, qa] = isSpot ? [p.a + swing, q.a + swing] : [(p.a + q.a) / 2, (p.a + q.a) / 2];
    pieces.push([at(p.a, p.c), at(pa, p.c), at(qa, q.c), at(q.a, q.c)]);
  }
  return pieces;
}
