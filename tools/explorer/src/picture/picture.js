// The picture of the graph: cytoscape elements made from the model, their style, highlights and gestures.
import cytoscape from 'cytoscape';
import { narrow, reducedMotion } from '../dom.js';
import { shortNumber } from '../form.js';
import { layout } from './layout.js';
import { VERSION_EDGES, bendData, labelLines, markingOf, reclass } from './parts.js';
import { stylesheet } from './style.js';
import { palette } from './theme.js';
import { TYPES, edgeName } from '../vocabulary.js';

const LABELLED_EDGES_MAX = 24;
const ANIMATED_NODES_MAX = 80;
const STUB_OFFSET = 40;
const NEAR_ZOOM = 0.5;
/** More nodes than these hardly fit the stage at NEAR_ZOOM. */
const FAR_NODES = 70;

/** Most neighbours fetched when a stub is opened. */
export const STUB_STEP = 60;

export class Picture {
  /**
   * @param {HTMLElement} container
   * @param {{select(ref: string): void, open(ref: string): void, expand(ref: string, side: string): void,
   *   clear(): void}} gestures
   */
  constructor(container, gestures) {
    this.container = container;
    this.gestures = gestures;
    this.shown = { nodes: [], edges: [] };
    this.turn = 0;
    this.cy = cytoscape({
      container,
      style: stylesheet(),
      minZoom: 0.05,
      maxZoom: 3,
      boxSelectionEnabled: false,
      autounselectify: true,
      autoungrabify: true,
    });
    this.listen();
    document.addEventListener('themechange', () => this.restyle());
    new ResizeObserver(() => this.resized()).observe(container);
  }

  /** Takes over changed colours or types. */
  restyle() {
    this.cy.style(stylesheet());
  }

  listen() {
    this.cy.on('tap', 'node', ({ target }) => {
      if (target.data('stub')) this.gestures.expand(target.data('of'), target.data('stub'));
      else this.gestures.select(target.id());
    });
    this.cy.on('dbltap', 'node[!stub]', ({ target }) => this.gestures.open(target.id()));
    this.cy.on('tap', ({ target }) => target === this.cy && this.gestures.clear());
    this.cy.on('mouseover', 'node', () => this.container.classList.add('pointing'));
    this.cy.on('mouseout', 'node', () => this.container.classList.remove('pointing'));
    this.cy.on('mouseover', 'edge', ({ target }) => target.addClass('hovered'));
    this.cy.on('mouseout', 'edge', ({ target }) => target.removeClass('hovered'));
    this.cy.on('viewport', () => {
      this.isFitted = false;
      this.updateDistance();
    });
  }

  resized() {
    const wasFitted = this.isFitted;
    this.cy.resize();
    if (wasFitted) this.fit();
  }

  /**
   * Draws what is visible of a model.
   * @param {{nodes: object[], edges: object[]}} visible
   * @param {{root: string, hidden(ref: string, side: string): number, fresh?: Set<string>, keepView?: boolean}} how
   */
  async draw(visible, how) {
    const turn = ++this.turn;
    const before = new Map(this.cy.nodes().map((node) => [node.id(), { ...node.position() }]));
    const isKept = how.keepView && before.size > 0;
    const asked = visible.nodes.length ? layout(visible, this.stage()) : { places: new Map(), bends: new Map() };
    const found = await asked;
    if (turn !== this.turn || !found) return false;
    const { places, bends } = found;
    performance.mark('places');
    this.shown = visible;
    this.how = how;
    this.marking = markingOf(how.marked);
    this.isFar = isKept ? this.cy.zoom() < NEAR_ZOOM : visible.nodes.length > FAR_NODES;
    this.places = places;
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add(this.elements(bends));
    });
    if (isKept) this.updateDistance();
    else this.fit();
    if (visible.nodes.length) await this.rendered();
    performance.mark('drawn');
    if (before.size > 0) this.glide(before);
    return turn === this.turn;
  }

  /** Settles when the canvas shows what was last changed (or, in a hidden tab that draws nothing, soon). */
  rendered() {
    return new Promise((resolve) => {
      this.cy.one('render', resolve);
      setTimeout(resolve, document.hidden ? 0 : 2000);
    });
  }

  elements(bends) {
    const { nodes, edges } = this.shown;
    const isLabelled = edges.length <= LABELLED_EDGES_MAX;
    const pairOf = (edge) => `${edge.cause} ${edge.effect}`;
    const pairs = new Map();
    for (const edge of edges) pairs.set(pairOf(edge), (pairs.get(pairOf(edge)) ?? 0) + 1);
    // Edges between the same two nodes are kept apart by cytoscape, which cannot do that with bends.
    const bendsOf = (edge) => (pairs.get(pairOf(edge)) === 1 ? bends.get(pairOf(edge)) : undefined);
    return [
      ...nodes.map((node) => this.nodeElement(node)),
      ...(this.isFar ? [] : this.stubs()),
      ...edges.map((edge) => this.edgeElement(edge, isLabelled, bendsOf(edge))),
    ];
  }

  stubs() {
    return this.shown.nodes.flatMap((node) => ['causes', 'effects'].flatMap((side) => this.stub(node, side)));
  }

  nodeElement(node) {
    const { how } = this;
    const classes = [
      `type-${node.type in TYPES ? node.type : 'other'}`,
      node.ref === how.root && 'root',
      node.mark,
      node.status === 'deprecated' && 'deprecated',
      how.fresh?.has(node.ref) && 'fresh',
      !this.isFar && 'near',
      this.marking.node(node.ref),
    ].filter(Boolean);
    const data = { id: node.ref, type: node.type, label: labelLines(node).join('\n') };
    return { data, position: { ...this.places.get(node.ref) }, classes };
  }

  edgeElement(edge, isLabelled, bends) {
    const weight = edge.weight ?? edge.similarity ?? edge.confidence;
    const data = {
      id: edge.key,
      source: edge.cause,
      target: edge.effect,
      text: isLabelled,
      label: `${edgeName(edge.type)}${weight === undefined ? '' : ` ${shortNumber(weight)}`}`,
      ...(bends && bendData(bends, this.places.get(edge.cause), this.places.get(edge.effect))),
      // Rounded, because cytoscape parses each value once.
      width: weight === undefined ? 1.4 : Math.round(10 + 50 * Math.max(0, Math.min(1, weight))) / 10,
    };
    const classes = [
      !this.isFar && 'near',
      isLabelled && !this.isFar && 'labelled',
      edge.mark,
      VERSION_EDGES.has(edge.type) && 'versions',
      edge.isRelation && 'relation',
      this.marking.edge(edge.cause, edge.effect),
    ];
    return { data, classes: classes.filter(Boolean) };
  }

  /** A small badge beside a node that says how many neighbours are not shown. */
  stub(node, side) {
    const place = this.places.get(node.ref);
    const count = this.how.hidden(node.ref, side);
    if (count === 0) return [];
    const sign = side === 'causes' ? -1 : 1;
    const isLr = this.stage().direction === 'LR';
    const position = isLr
      ? { x: place.x + sign * STUB_OFFSET, y: place.y }
      : { x: place.x + 38, y: place.y + sign * 12 };
    const id = `stub ${side} ${node.ref}`;
    return [{ data: { id, stub: side, of: node.ref, label: `+${count}` }, position, classes: 'stub' }];
  }

  stage() {
    const { clientWidth, clientHeight } = this.container;
    return { direction: narrow() ? 'TB' : 'LR', aspect: clientWidth / Math.max(1, clientHeight) };
  }

  /** Moves nodes from where they were, so that the eye can follow; only where that is cheap and wanted. */
  glide(before) {
    if (reducedMotion() || this.cy.nodes().length > ANIMATED_NODES_MAX) return;
    for (const node of this.cy.nodes()) {
      const from = before.get(node.id());
      if (!from) continue;
      const to = { ...node.position() };
      node.position(from);
      node.animate({ position: to }, { duration: 220, easing: 'ease-out' });
    }
  }

  fit() {
    if (this.cy.nodes().empty() || !this.container.clientWidth) return;
    this.cy.fit(undefined, narrow() ? 14 : 36);
    if (this.cy.zoom() > 1.35) {
      this.cy.zoom(1.35);
      this.cy.center();
    }
    this.isFitted = true;
    this.updateDistance();
  }

  /** From far away nobody reads labels and badges; they are what costs most, and are made when the reader comes near. */
  updateDistance() {
    this.setFar(this.cy.zoom() < NEAR_ZOOM);
  }

  setFar(isFar) {
    if (isFar === this.isFar || !this.how) return;
    this.isFar = isFar;
    this.cy.batch(() => {
      this.cy.nodes('.stub').remove();
      this.cy.elements().toggleClass('near', !isFar);
      this.cy.edges('[?text]').toggleClass('labelled', !isFar);
      if (!isFar) this.cy.add(this.stubs());
    });
  }

  zoom(factor) {
    this.cy.zoom({
      level: this.cy.zoom() * factor,
      renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 },
    });
  }

  /** Brings a node into view where it is not. */
  reveal(ref) {
    const node = this.cy.getElementById(ref);
    if (node.empty() || this.isFitted) return;
    const { x, y } = node.renderedPosition();
    const inside = x > 40 && y > 40 && x < this.cy.width() - 40 && y < this.cy.height() - 40;
    if (!inside) this.cy.animate({ center: { eles: node } }, { duration: reducedMotion() ? 0 : 200 });
  }

  /** Marks a node, its ancestors and its descendants; all else steps back. */
  highlight(marked) {
    this.marking = markingOf(marked);
    this.cy.batch(() => {
      for (const node of this.cy.nodes('[!stub]')) reclass(node, this.marking.node(node.id()));
      for (const edge of this.cy.edges()) reclass(edge, this.marking.edge(edge.source().id(), edge.target().id()));
    });
  }

  /** The node nearest to `ref` in a direction of the screen, for the arrow keys. */
  beside(ref, dx, dy) {
    const from = this.cy.getElementById(ref);
    if (from.empty()) return this.how?.root ?? '';
    const start = from.position();
    const linked = new Set(from.neighborhood('node').map((node) => node.id()));
    let best = { cost: Infinity, ref: '' };
    for (const node of this.cy.nodes('[!stub]')) {
      const { x, y } = node.position();
      const ahead = (x - start.x) * dx + (y - start.y) * dy;
      const off = Math.abs((x - start.x) * dy) + Math.abs((y - start.y) * dx);
      if (ahead < 5) continue;
      const cost = (ahead + 2 * off) * (linked.has(node.id()) ? 0.3 : 1);
      if (cost < best.cost) best = { cost, ref: node.id() };
    }
    return best.ref;
  }

  /** Runs `write` on the picture with all its labels and arrows, as a file of it should have. */
  async detailed(write) {
    this.setFar(false);
    const result = await write(this.cy);
    this.updateDistance();
    return result;
  }

  png() {
    return this.detailed((cy) =>
      cy.png({ output: 'blob-promise', full: true, scale: 2, maxWidth: 6000, maxHeight: 6000, bg: palette().ground }),
    );
  }
}
