// Groups: where a node has many neighbours on one side, some are drawn as cards and one card represents all the others. Chosen here,
// nearest and strongest first, in an order that adding to does not change; the numbers come from the server.

/** How many neighbours an opening adds; so few are drawn at once, without a list. */
export const OPENED_STEP = 60;
export const ALL_UP_TO = 12;

/** Neighbours of one side up to which all are drawn, and how many are drawn where there are more: the first that keep the picture small. */
const BUDGETS = [
  { allUpTo: 12, shown: 8 },
  { allUpTo: 7, shown: 5 },
  { allUpTo: 4, shown: 3 },
];
const SMALL = 60;

const SIDES = { causes: 'cause', effects: 'effect' };

export const groupRef = (side, of) => `group ${side} ${of}`;

/** The side and the node of a group's ref, or null. */
export function groupOfRef(ref) {
  const match = /^group (causes|effects) (.+)$/s.exec(ref);
  return match && { side: match[1], of: match[2] };
}

/**
 * What is drawn of a visible part. The walk starts from the roots; of a node with many neighbours that nothing before it
 * has brought, the strongest few are drawn, and so is what they bring. All others are in the group of that node and side.
 *
 * @param {{nodes: object[], edges: object[]}} visible
 * @param {{roots: string[], keep: string[], opened: string[], hidden(ref: string, side: string): number, all: boolean,
 *   budget?: object}} how
 *   `keep` is drawn in any case; `opened` has 'causes REF' for each time that a group was opened; `hidden` is the number of
 *   neighbours that the page has not loaded; with `all` every visible node is drawn; `budget` is that of an earlier call,
 *   so that what was drawn stays
 * @returns {{nodes: object[], edges: object[], groups: object[], tabs: Map<string, {causes: number, effects: number}>,
 *   budget: object}}
 */
export function grouped(visible, { roots, keep, opened, hidden, all, budget }) {
  const byRef = new Map(visible.nodes.map((node) => [node.ref, node]));
  const around = neighboursOf(visible);
  const walk = new Walk(byRef, around);
  const chosen = budget ?? BUDGETS.find((each) => walk.from(roots, each).size <= SMALL) ?? BUDGETS.at(-1);
  const drawn = all ? new Set(byRef.keys()) : walk.from(roots, chosen, keep, opened);
  const nodes = visible.nodes.filter(({ ref }) => drawn.has(ref));
  const edges = visible.edges.filter(({ cause, effect }) => drawn.has(cause) && drawn.has(effect));
  const groups = [];
  const tabs = new Map();
  for (const { ref } of nodes) {
    const tab = { causes: 0, effects: 0 };
    for (const side of Object.keys(SIDES)) {
      const loaded = around.get(ref)[side];
      const cut = loaded.filter((each) => !drawn.has(each.ref));
      const count = cut.length + hidden(ref, side);
      if (count === 0) continue;
      if (cut.length === 0 && (all || !roots.includes(ref))) tab[side] = count;
      else groups.push(groupOf(ref, side, count, loaded.length - cut.length + count, cut, byRef));
    }
    tabs.set(ref, tab);
  }
  return { nodes, edges: [...edges, ...groups.map(edgeOf)], groups, tabs, budget: chosen };
}

function groupOf(of, side, count, total, cut, byRef) {
  const counts = new Map();
  for (const { ref } of cut) counts.set(byRef.get(ref).type, (counts.get(byRef.get(ref).type) ?? 0) + 1);
  const types = [...counts].sort((x, y) => y[1] - x[1]);
  // The types of what is not loaded are asked for later.
  const isRelation = cut.length === count && cut.every(({ isInfluence }) => !isInfluence);
  return { ref: groupRef(side, of), isGroup: true, isRelation, side, of, count, total, types: cut.length === count ? types : null };
}

function edgeOf({ ref, side, of, isRelation }) {
  const ends = side === 'causes' ? { cause: ref, effect: of } : { cause: of, effect: ref };
  return { key: `edge of ${ref}`, ...ends, isGroup: true, isRelation };
}

/** For each node its neighbours by side, each once: what a comparison marks first, then what has influence, ratings after it, then the strongest. */
function neighboursOf({ nodes, edges }) {
  const around = new Map(nodes.map(({ ref }) => [ref, { causes: new Map(), effects: new Map() }]));
  const byRef = new Map(nodes.map((node) => [node.ref, node]));
  const add = (ref, side, other, edge) => {
    const known = around.get(ref)[side].get(other);
    const weight = Math.max(known?.weight ?? 0, edge.weight ?? 1);
    const isInfluence = Boolean(known?.isInfluence || !edge.isRelation);
    around.get(ref)[side].set(other, { ref: other, weight, isInfluence, isMarked: Boolean(byRef.get(other).mark) });
  };
  for (const edge of edges) {
    if (edge.cause === edge.effect) continue;
    add(edge.effect, 'causes', edge.cause, edge);
    add(edge.cause, 'effects', edge.effect, edge);
  }
  const order = (x, y) => y.isMarked - x.isMarked || y.isInfluence - x.isInfluence || y.weight - x.weight;
  for (const sides of around.values())
    for (const side of Object.keys(SIDES)) sides[side] = [...sides[side].values()].sort(order);
  return around;
}

class Walk {
  constructor(byRef, around) {
    this.byRef = byRef;
    this.around = around;
  }

  /** What is drawn from the roots, then what is kept, then what was opened: each adds to what is before it. */
  from(roots, budget, keep = [], opened = []) {
    this.drawn = new Set();
    this.add(roots, budget);
    this.add(keep, budget);
    for (const each of opened) {
      const [side, ref] = [each.slice(0, each.indexOf(' ')), each.slice(each.indexOf(' ') + 1)];
      const all = this.around.get(ref)?.[side] ?? [];
      const fresh = all.filter((other) => !this.drawn.has(other.ref));
      this.add(
        fresh.slice(0, OPENED_STEP).map((other) => other.ref),
        budget,
      );
    }
    // Parts that nothing connects with a root: the first node of each is drawn, and what it brings.
    const seen = reachOf(this.drawn, this.around);
    for (const ref of this.byRef.keys()) {
      if (seen.has(ref)) continue;
      this.add([ref], budget);
      for (const each of reachOf([ref], this.around)) seen.add(each);
    }
    return this.drawn;
  }

  /** Draws these nodes, and around each as many neighbours as the budget allows. */
  add(refs, { allUpTo, shown }) {
    const queue = refs.filter((ref) => this.byRef.has(ref) && !this.drawn.has(ref));
    for (const ref of queue) this.drawn.add(ref);
    for (let i = 0; i < queue.length; i++)
      for (const side of Object.keys(SIDES)) {
        const all = this.around.get(queue[i])[side];
        const fresh = all.filter(({ ref }) => !this.drawn.has(ref));
        const room = all.length > allUpTo ? Math.max(0, shown - (all.length - fresh.length)) : fresh.length;
        for (const { ref } of fresh.slice(0, room)) {
          this.drawn.add(ref);
          queue.push(ref);
        }
      }
  }
}

function reachOf(start, around) {
  const reached = new Set(start);
  for (const ref of reached)
    for (const side of Object.keys(SIDES)) for (const { ref: next } of around.get(ref)[side]) reached.add(next);
  return reached;
}
