// The picture of the graph: cards and lines as SVG, what is marked, and what the reader does with them.
import { narrow, reducedMotion, svg } from '../dom.js';
import { countText } from '../form.js';
import { blocksOf } from './blocks.js';
import { Camera } from './camera.js';
import { SIZES, cardOf, groupOf } from './card.js';
import { edgeWords } from './edge_words.js';
import { HoverCard } from './hover_card.js';
import { placeLabels } from './labels.js';
import { layout } from './layout.js';
import { lineOf } from './line.js';
import { markingOf, remark } from './marking.js';
import { Minimap } from './minimap.js';
import { piecesOf } from './routes.js';
import { widthOf } from './text_width.js';

/** Up to as many edges have labels. */
const LABELLED_EDGES_MAX = 40;
const LABEL = { size: 12, height: 16 };
/** Between layers, and between lines that meet at a card: more where lines have labels. */
const ROOM = {
  LR: { plain: { gap: 68, ports: 7 }, labelled: { gap: 98, ports: 15 } },
  TB: { plain: { gap: 50, ports: 9 }, labelled: { gap: 58, ports: 60 } },
};
/** Below the first zoom texts are not drawn, below the second cards are blocks of their type's colour. */
const NEAR_ZOOM = 0.92;
const BLOCK_ZOOM = 0.32;
/** The first look shows all of it where its texts can be read then; else the part around the root at this zoom. */
const START_ZOOM = 0.95;
/** Up to this many cards the other direction is tried where the first one does not fit. */
const TURNED_MAX = 150;
/** The other direction must be larger on the screen by this factor: readers know the first one. */
const TURNED_GAIN = 1.1;
/** Around a step of several columns, and above it for its words. */
const BLOCK_ROOM = { around: 10, above: 26 };
/** Above this many cards those out of sight are taken out of the drawing, and the pointer feels no lines. */
const MANY = 400;

/** The size of the words of a block, in pixels. */
const BLOCK_WORDS = 12;

export class Picture {
  /**
   * @param {HTMLElement} container
   * @param {{select(ref: string): void, open(ref: string): void, expand(ref: string, side: string, count: number): void,
   *   clear(): void, between(ref: string): void}} gestures
   */
  constructor(container, gestures) {
    this.container = container;
    this.gestures = gestures;
    this.shown = { nodes: [], edges: [], groups: [], tabs: new Map() };
    this.places = new Map();
    this.turn = 0;
    this.isFitted = true;
    this.isFirstLook = false;
    this.blocks = svg('g', { class: 'blocks' });
    this.lines = svg('g', { class: 'lines' });
    this.labels = svg('g', { class: 'labels' });
    this.cards = svg('g', { class: 'cards' });
    this.world = svg('g', {}, this.blocks, this.lines, this.labels, this.cards);
    this.drawing = svg('svg', { class: 'drawing', 'aria-hidden': 'true' }, this.world);
    container.append(this.drawing);
    this.camera = new Camera(container, () => this.moved());
    this.minimap = new Minimap(container, this.camera);
    this.hover = new HoverCard(container, this.camera);
    this.listen();
    document.addEventListener('themechange', () => this.restyle());
    new ResizeObserver(() => this.resized()).observe(container);
  }

  /** Takes over changed colours or types. */
  restyle() {
    if (this.how) this.fill();
  }

  listen() {
    const { drawing, gestures } = this;
    const idAt = (event, kind) => event.target.closest?.(kind)?.dataset.id;
    drawing.addEventListener('click', (event) => {
      if (this.camera.wasDragged) return;
      const tab = event.target.closest?.('.tab');
      if (tab) gestures.expand(tab.dataset.of, tab.dataset.side, this.shown.tabs.get(tab.dataset.of)[tab.dataset.side]);
      else if (event.shiftKey && idAt(event, '.card')) gestures.between(idAt(event, '.card'));
      else if (idAt(event, '.card')) gestures.select(idAt(event, '.card'));
      else if (!idAt(event, '.edge')) gestures.clear();
    });
    drawing.addEventListener('dblclick', (event) => {
      const id = idAt(event, '.card:not(.group)');
      if (id && !event.target.closest('.tab')) gestures.open(id);
    });
    drawing.addEventListener('pointerover', (event) => {
      const id = idAt(event, '.card');
      if (event.pointerType !== 'touch') this.hover.over(id && this.nodes?.get(id), id && this.boxOf(id));
      this.hoverLine(idAt(event, '.edge'));
    });
    drawing.addEventListener('pointerleave', () => this.hover.over(null));
  }

  /** The label of the line under the pointer, where it has none. */
  hoverLine(key) {
    if (key === this.felt) return;
    this.felt = key;
    this.feltLabel?.remove();
    const edge = key && this.shown.edges.find((each) => each.key === key);
    if (!edge || edge.isGroup || this.labelled.has(key)) return;
    const place = placeLabels([this.labelled.line(edge)], [], LABEL.height).get(key);
    this.feltLabel = this.labelAt(edge, place, 'felt');
    this.labels.append(this.feltLabel);
  }

  /** What the size of the stage asks for. */
  stage(direction) {
    const { clientWidth, clientHeight } = this.container;
    const { width, height } = SIZES[direction];
    const [along, across] = direction === 'LR' ? [clientWidth, clientHeight] : [clientHeight, clientWidth];
    return {
      direction,
      size: direction === 'LR' ? { a: width, c: height } : { a: height, c: width },
      aspect: along / Math.max(1, across),
      least: direction === 'LR' ? 9 : 3,
    };
  }

  /**
   * Draws what is left of a model when groups are made.
   * @param {{nodes: object[], edges: object[], groups: object[], tabs: Map}} drawn
   * @param {{root: string, fresh?: Set<string>, keepView?: boolean, keepPlaces?: boolean, marked: object | null,
   *   pinned: string[]}} how
   */
  async draw(drawn, how) {
    const turn = ++this.turn;
    const isKept = how.keepPlaces && (!narrow() || this.direction === 'TB');
    const first = isKept && this.direction ? this.direction : narrow() ? 'TB' : 'LR';
    const isLabelled = drawn.edges.length <= LABELLED_EDGES_MAX;
    const all = { nodes: [...drawn.nodes, ...drawn.groups], edges: drawn.edges };
    const laidOut = async (direction) => {
      const { size, aspect, least } = this.stage(direction);
      const kept = isKept && direction === this.direction ? this.places : null;
      const room = ROOM[direction][isLabelled ? 'labelled' : 'plain'];
      const found = all.nodes.length
        ? await layout(all, { size, aspect, least, kept, ...room })
        : { places: new Map(), routes: new Map() };
      return found && { direction, size, ...found };
    };
    let found = await laidOut(first);
    if (turn !== this.turn || !found) return false;
    if (first === 'LR' && !isKept && all.nodes.length && all.nodes.length <= TURNED_MAX) {
      const zoom = this.zoomOf(found);
      const other = zoom < NEAR_ZOOM ? await laidOut('TB') : null;
      if (turn !== this.turn) return false;
      if (other && this.zoomOf(other) > TURNED_GAIN * zoom) found = other;
    }
    const before = this.places;
    Object.assign(this, { shown: drawn, how, isLabelled, ...found });
    this.nodes = new Map(all.nodes.map((node) => [node.ref, node]));
    this.marking = markingOf(how.marked);
    this.fill();
    const isHere = [...this.places.keys()].some((ref) => before.has(ref));
    if (how.keepView && isHere) this.moved();
    else this.start();
    await painted();
    return turn === this.turn;
  }

  /** The zoom at which all cards of a layout are in sight. */
  zoomOf({ places, direction }) {
    const { width, height } = SIZES[direction];
    const extent = (k) => {
      const values = [...places.values()].map((place) => place[k]);
      return Math.max(...values) - Math.min(...values);
    };
    const [x, y] = direction === 'LR' ? [extent('a'), extent('c')] : [extent('c'), extent('a')];
    const { clientWidth, clientHeight } = this.container;
    return Math.min((clientWidth - 56) / (x + width), (clientHeight - 56) / (y + height));
  }

  /** A step of many cards is several columns; they are one block with its number, so that a column still means a step. */
  drawBlocks() {
    const { around, above } = BLOCK_ROOM;
    this.blockWords = [];
    this.blocks.replaceChildren(
      ...blocksOf(this.places, this.size, (ref) => this.nodes.get(ref)).map(({ a, c, along, across, count, isAtMost }) => {
        const [x, y, width, height] = this.direction === 'LR' ? [a, c, along, across] : [c, a, across, along];
        const words = `${isAtMost ? 'at most ' : ''}${countText(count)} in one step`;
        // Labels of lines keep off them.
        this.blockWords.push({ words, x: x - around + 6, y: y - above + 4, width: widthOf(words, BLOCK_WORDS, 600) + 8, height: 18 });
        return svg('rect', { class: 'step', x: x - around, y: y - above, width: width + 2 * around, height: height + above + around, rx: 10 });
      }),
    );
  }

  /** Makes all cards and lines anew from what is shown. */
  fill() {
    const { direction, shown, how } = this;
    const isFelt = shown.nodes.length <= MANY;
    const classOf = (node) => [
      node.ref === how.root && 'root',
      how.pinned?.includes(node.ref) && 'pinned',
      node.mark,
      node.was && 'restated',
      node.status === 'deprecated' && 'deprecated',
      how.fresh?.has(node.ref) && 'fresh',
      this.marking.node(node),
    ];
    this.elements = new Map();
    const add = (node, card) => {
      const { x, y } = this.middleOf(node.ref);
      card.setAttribute('transform', `translate(${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10})`);
      this.elements.set(node.ref, card);
      return card;
    };
    const cards = [
      ...shown.nodes.map((node) =>
        add(node, cardOf(node, shown.tabs.get(node.ref), direction, classOf(node).filter(Boolean))),
      ),
      ...shown.groups.map((group) => add(group, groupOf(group, direction, [this.marking.node(group)]))),
    ];
    const drawable = shown.edges.filter(({ key }) => this.routes.has(key));
    const lines = drawable.map((edge) =>
      lineOf(edge, this.routes.get(edge.key), direction, [this.marking.edge(edge)], isFelt),
    );
    this.edgeElements = new Map(drawable.map((edge, i) => [edge.key, lines[i]]));
    this.drawBlocks();
    this.cards.replaceChildren(...cards);
    this.lines.replaceChildren(...lines);
    this.label(drawable);
    this.isMany = shown.nodes.length > MANY;
    this.inDrawing = null;
    this.minimap.show(
      [...this.places.keys()].map((ref) => this.boxOf(ref)),
      this.bounds(),
    );
  }

  label(edges) {
    const met = new Map();
    for (const { cause, effect } of edges)
      for (const end of [`out ${cause}`, `in ${effect}`]) met.set(end, (met.get(end) ?? 0) + 1);
    const line = (edge) => ({
      key: edge.key,
      pieces: piecesOf(this.routes.get(edge.key), this.direction),
      width: widthOf(edgeWords(edge), LABEL.size) + 9,
      leans: Math.sign(met.get(`out ${edge.cause}`) - met.get(`in ${edge.effect}`)),
    });
    // What comes first has a place: influence before relations.
    const wanted = this.isLabelled ? edges.filter(({ isGroup }) => !isGroup).sort((x, y) => Boolean(x.isRelation) - Boolean(y.isRelation)) : [];
    const boxes = [...[...this.places.keys()].map((ref) => this.boxOf(ref)), ...this.blockWords];
    const placed = placeLabels(wanted.map(line), boxes, LABEL.height);
    this.labelled = { has: (key) => placed.has(key), line };
    this.labels.replaceChildren(
      ...this.blockWords.map(({ words, x, y }) => svg('text', { class: 'step', x: x + 4, y: y + 13 }, words)),
      ...wanted
        .filter(({ key }) => placed.has(key))
        .map((edge) => this.labelAt(edge, placed.get(edge.key), this.marking.edge(edge))),
    );
  }

  labelAt(edge, { x, y }, kind) {
    return svg('text', { class: `label ${kind}`, x, y: y + 4, 'data-of': edge.key }, edgeWords(edge));
  }

  middleOf(ref) {
    const { a, c } = this.places.get(ref);
    return this.direction === 'LR' ? { x: a, y: c } : { x: c, y: a };
  }

  boxOf(ref) {
    const { width, height } = SIZES[this.direction];
    const { x, y } = this.middleOf(ref);
    return { x: x - width / 2, y: y - height / 2, width, height };
  }

  /** The box of a card as it is on the stage. */
  onStage(ref) {
    const { width, height, ...corner } = this.boxOf(ref);
    const { zoom } = this.camera.view;
    return { ...this.camera.onStage(corner), width: width * zoom, height: height * zoom };
  }

  /** The box of all cards and routes. */
  bounds() {
    const low = { x: Infinity, y: Infinity };
    const high = { x: -Infinity, y: -Infinity };
    const take = (x, y) => {
      [low.x, low.y] = [Math.min(low.x, x), Math.min(low.y, y)];
      [high.x, high.y] = [Math.max(high.x, x), Math.max(high.y, y)];
    };
    for (const ref of this.places.keys()) {
      const { x, y, width, height } = this.boxOf(ref);
      take(x, y);
      take(x + width, y + height);
    }
    for (const route of this.routes.values())
      for (const { a, c } of route) take(...(this.direction === 'LR' ? [a, c] : [c, a]));
    return { ...low, width: high.x - low.x, height: high.y - low.y };
  }

  moved() {
    const { x, y, zoom } = this.camera.view;
    this.isFitted = this.isFirstLook = false;
    this.world.setAttribute('transform', `translate(${x} ${y}) scale(${zoom})`);
    const distance = zoom >= NEAR_ZOOM ? 'near' : zoom >= BLOCK_ZOOM ? 'far' : 'block';
    if (this.distance !== distance) {
      this.distance = distance;
      this.drawing.setAttribute('class', `drawing ${distance}`);
    }
    if (this.isMany) this.cull();
    this.hover.hide();
    this.minimap.moved();
    // It does not change its corner under a finger.
    if (this.places.has(this.how?.root) && !this.camera.pointers.size) this.minimap.keepOff(this.onStage(this.how.root));
  }

  /** Takes cards out of the drawing that are far out of sight, at most once for each half of a screen moved. */
  cull() {
    const sight = this.camera.inSight();
    const had = this.inDrawing;
    const isIn = (p, q) =>
      p.x >= q.x && p.y >= q.y && p.x + p.width <= q.x + q.width && p.y + p.height <= q.y + q.height;
    if (had && isIn(sight, had) && had.width < 4 * sight.width) return;
    const wide = {
      x: sight.x - sight.width / 2,
      y: sight.y - sight.height / 2,
      width: 2 * sight.width,
      height: 2 * sight.height,
    };
    this.inDrawing = wide;
    for (const [ref, card] of this.elements) {
      const { x, y, width, height } = this.boxOf(ref);
      const isOut = x > wide.x + wide.width || y > wide.y + wide.height || x + width < wide.x || y + height < wide.y;
      if (isOut !== Boolean(card.isOut)) {
        card.isOut = isOut;
        card.classList.toggle('out', isOut);
      }
    }
  }

  /** The first look: all of it where its texts can be read then, else the root with what is around it. */
  start() {
    this.fit();
    const [first] = this.places.keys();
    const middle = this.places.has(this.how.root) ? this.how.root : first;
    if (middle !== undefined && this.camera.view.zoom < NEAR_ZOOM)
      this.camera.lookAt(this.middleOf(middle), this.bounds(), START_ZOOM, narrow() ? 12 : 28);
    this.isFirstLook = true;
  }

  /** The panel and the legend come after the first look and take room from the stage. */
  resized() {
    if (this.isFirstLook) this.start();
    else if (this.isFitted) this.fit();
  }

  fit() {
    if (this.places.size === 0 || !this.container.clientWidth) return;
    this.camera.fit(this.bounds(), narrow() ? 12 : 28, 1.15);
    this.isFitted = true;
  }

  /** All of it with its texts, however small: paper has no zoom, and more points than a screen. Off paper as at the first look. */
  onPaper(isOnPaper) {
    if (this.places.size === 0) return;
    this.distance = '';
    if (isOnPaper) {
      this.fit();
      this.drawing.setAttribute('class', 'drawing near');
      for (const card of this.elements.values()) card.classList.remove('out');
    } else this.start();
  }

  zoom(factor) {
    this.camera.zoomBy(factor);
  }

  /** Brings a node into view where it is not. */
  reveal(ref) {
    if (!this.places.has(ref) || this.isFitted) return;
    const { x, y } = this.camera.onStage(this.middleOf(ref));
    const { clientWidth, clientHeight } = this.container;
    if (x < 40 || y < 40 || x > clientWidth - 40 || y > clientHeight - 40) this.camera.centre(this.middleOf(ref));
  }

  /** Marks a node with its ancestors and descendants, or a path; all else steps back. */
  highlight(marked) {
    this.marking = markingOf(marked);
    for (const [ref, card] of this.elements ?? []) remark(card, this.marking.node(this.nodes.get(ref)));
    for (const edge of this.shown.edges) {
      const line = this.edgeElements.get(edge.key);
      if (line) remark(line, this.marking.edge(edge));
    }
    const byKey = new Map(this.shown.edges.map((edge) => [edge.key, edge]));
    for (const label of this.labels.children) {
      const edge = byKey.get(label.dataset.of);
      if (edge) remark(label, this.marking.edge(edge));
    }
  }

  /** Says of a group what is in it, when that is known. */
  nameGroup(ref, types) {
    const group = this.nodes?.get(ref);
    if (!group?.isGroup) return;
    group.types = types;
    const card = groupOf(group, this.direction, [this.marking.node(group)]);
    this.elements.get(ref).replaceChildren(...card.children);
  }

  /** Shows the rating of a node, when that is known. */
  rate(ref, score) {
    const node = this.nodes?.get(ref);
    if (!node || node.isGroup) return;
    node.score = score;
    this.renew(node);
  }

  /** Calls a node by words that were found elsewhere. */
  entitle(ref, title) {
    const node = this.nodes?.get(ref);
    if (!node || node.isGroup) return;
    node.title = title;
    this.renew(node);
  }

  renew(node) {
    const card = cardOf(node, this.shown.tabs.get(node.ref), this.direction, []);
    this.elements.get(node.ref).replaceChildren(...card.children);
  }

  settleFresh() {
    for (const card of this.elements?.values() ?? []) card.classList.remove('fresh');
  }

  /** The card nearest to `ref` in a direction of the screen, for the arrow keys. */
  beside(ref, dx, dy) {
    if (!this.places.has(ref)) return this.how?.root ?? '';
    const start = this.middleOf(ref);
    const linked = new Set();
    for (const { cause, effect } of this.shown.edges)
      if (cause === ref) linked.add(effect);
      else if (effect === ref) linked.add(cause);
    let best = { cost: Infinity, ref: '' };
    for (const other of this.places.keys()) {
      const { x, y } = this.middleOf(other);
      const ahead = (x - start.x) * dx + (y - start.y) * dy;
      const off = Math.abs((x - start.x) * dy) + Math.abs((y - start.y) * dx);
      if (ahead < 5) continue;
      const cost = (ahead + 2 * off) * (linked.has(other) ? 0.3 : 1);
      if (cost < best.cost) best = { cost, ref: other };
    }
    return best.ref;
  }

  /** Runs `write` on the drawing with all its texts, as a file of it should have. */
  async detailed(write) {
    this.drawing.setAttribute('class', 'drawing near');
    for (const card of this.elements?.values() ?? []) card.classList.remove('out');
    try {
      return await write(this.drawing, this.bounds());
    } finally {
      this.distance = '';
      const wasFitted = this.isFitted;
      this.moved();
      this.isFitted = wasFitted;
    }
  }
}

/** Settles when the screen shows what was last changed (in a hidden tab that draws nothing, soon). */
const painted = () =>
  new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve, 0);
    else requestAnimationFrame(() => setTimeout(resolve, 0));
    setTimeout(resolve, 2000);
  });
