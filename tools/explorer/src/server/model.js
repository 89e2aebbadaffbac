// The part of the graph that is shown: merged from answers, walked along influence and from parts to what they belong
// to, filtered by weight and focus.
import { hasInfluence, runsAlong } from '../vocabulary.js';

/** Most nodes shown at once, unless the reader asks for more. */
export const NODES_MAX = 300;

/**
 * Nodes by ref, each as the server answers it plus `causesTotal` and `effectsTotal` (neighbours in the whole graph,
 * where known); edges by key, each with `cause` and `effect` beside the stored `from` and `to`. A relation, which has no
 * influence, is taken as leading from what it is to: the whole is in the place of the cause, its part in the effect's.
 *
 * Invariants: both ends of an edge are in `nodes`; `causes` and `effects` hold exactly the edges of `edges`.
 */
export class Model {
  constructor(root = '', most = NODES_MAX) {
    this.root = root;
    this.most = most;
    this.nodes = new Map();
    this.edges = new Map();
    this.causes = new Map();
    this.effects = new Map();
  }

  copy() {
    const other = new Model(this.root, this.most);
    for (const node of this.nodes.values()) other.addNode({ ...node });
    for (const edge of this.edges.values()) other.addEdge(edge);
    return other;
  }

  addNode(node) {
    const known = this.nodes.get(node.ref);
    this.nodes.set(node.ref, known ? { ...node, ...known, record: known.record ?? node.record } : { ...node });
    if (!this.causes.has(node.ref)) {
      this.causes.set(node.ref, []);
      this.effects.set(node.ref, []);
    }
  }

  /** Takes an edge in the wire's form, when both its ends are here. */
  addEdge(edge) {
    if (!this.nodes.has(edge.from) || !this.nodes.has(edge.to)) return;
    const key = `${edge.type} ${edge.from} ${edge.to}`;
    if (this.edges.has(key)) return;
    const along = runsAlong(edge);
    const ends = along ? { cause: edge.from, effect: edge.to } : { cause: edge.to, effect: edge.from };
    const taken = { ...edge, key, ...ends, isRelation: !hasInfluence(edge) };
    this.edges.set(key, taken);
    this.effects.get(taken.cause).push(taken);
    this.causes.get(taken.effect).push(taken);
  }

  /** Takes an answer of lineage.graph (or one of its form), at most `most` nodes in all. */
  merge(answer) {
    for (const node of answer.nodes) {
      if (this.nodes.has(node.ref) || this.nodes.size < this.most) this.addNode(node);
    }
    for (const edge of answer.edges) this.addEdge(edge);
    this.learnTotals(answer);
  }

  /** How many neighbours each node of an answer has: those in the answer and those it says are not. */
  learnTotals(answer) {
    if (!answer.frontier) return;
    const around = new Model();
    answer.nodes.forEach((node) => around.addNode(node));
    answer.edges.forEach((edge) => around.addEdge(edge));
    const hidden = new Map(answer.frontier.map((entry) => [entry.ref, entry]));
    for (const { ref } of answer.nodes) {
      const node = this.nodes.get(ref);
      if (!node) continue;
      node.causesTotal = around.neighbours(ref, 'causes').size + (hidden.get(ref)?.causes ?? 0);
      node.effectsTotal = around.neighbours(ref, 'effects').size + (hidden.get(ref)?.effects ?? 0);
    }
  }

  /** Refs one edge away; `side` is 'causes' or 'effects'. */
  neighbours(ref, side) {
    const end = side === 'causes' ? 'cause' : 'effect';
    return new Set((this[side].get(ref) ?? []).map((edge) => edge[end]));
  }

  /** How many neighbours on a side are not here. */
  hidden(ref, side) {
    const total = this.nodes.get(ref)?.[`${side}Total`] ?? 0;
    return Math.max(0, total - this.neighbours(ref, side).size);
  }

  /** Everything that `ref` reaches on a side, with the least number of edges; `ref` itself is left out. */
  reach(ref, side, edgeKeys = null) {
    const end = side === 'causes' ? 'cause' : 'effect';
    const depths = new Map([[ref, 0]]);
    const queue = [ref];
    for (let i = 0; i < queue.length; i++) {
      for (const edge of this[side].get(queue[i]) ?? []) {
        if ((edgeKeys && !edgeKeys.has(edge.key)) || depths.has(edge[end])) continue;
        depths.set(edge[end], depths.get(queue[i]) + 1);
        queue.push(edge[end]);
      }
    }
    depths.delete(ref);
    return depths;
  }

  /** What `ref` reaches as effects only on ways that lead through one of `others`. */
  onlyThrough(ref, others) {
    const left = [...this.edges.values()].filter(({ cause }) => !others.includes(cause));
    const without = this.reach(ref, 'effects', new Set(left.map(({ key }) => key)));
    return new Set([...this.reach(ref, 'effects').keys()].filter((each) => !without.has(each)));
  }

  /** Depth from the root with a sign: ancestors below zero, descendants above, null where neither. */
  depths() {
    const signed = new Map([[this.root, 0]]);
    for (const [ref, depth] of this.reach(this.root, 'effects')) signed.set(ref, depth);
    for (const [ref, depth] of this.reach(this.root, 'causes')) signed.set(ref, -depth);
    return signed;
  }

  /**
   * What is left when thinner edges than `weight` go, with all that hung on them only, and, with `focus`, all that is
   * neither ancestor nor descendant of it; without the types in `hide`, of which only the roots stay.
   */
  visible({ weight = 0, focus = '', roots = [this.root], hide = [] } = {}) {
    let edges = [...this.edges.values()].filter((edge) => (edge.weight ?? 1) >= weight);
    let refs = weight > 0 ? this.hangingOn(roots, edges) : new Set(this.nodes.keys());
    if (focus && refs.has(focus)) {
      const keys = new Set(edges.map((edge) => edge.key));
      const kept = [focus, ...this.reach(focus, 'causes', keys).keys(), ...this.reach(focus, 'effects', keys).keys()];
      refs = new Set(kept.filter((ref) => refs.has(ref)));
    }
    if (hide.length)
      refs = new Set([...refs].filter((ref) => roots.includes(ref) || !hide.includes(this.nodes.get(ref).type)));
    edges = edges.filter((edge) => refs.has(edge.cause) && refs.has(edge.effect));
    return { nodes: [...this.nodes.values()].filter((node) => refs.has(node.ref)), edges };
  }

  /**
   * What lies between two nodes: every path along influence from one to the other, or, where there is none, one of the
   * shortest ways in whatever direction. `way` is a shortest one.
   * @returns {{refs: Set<string>, keys: Set<string>, way: string[], isInfluence: boolean} | null}
   */
  between(a, b) {
    if (!this.nodes.has(a) || !this.nodes.has(b) || a === b) return null;
    for (const [from, to] of [
      [a, b],
      [b, a],
    ]) {
      const after = this.reach(from, 'effects');
      if (!after.has(to)) continue;
      const before = this.reach(to, 'causes');
      const refs = new Set([from, to, ...[...after.keys()].filter((ref) => before.has(ref))]);
      const inside = [...this.edges.values()].filter(({ cause, effect }) => refs.has(cause) && refs.has(effect));
      return {
        refs,
        keys: new Set(inside.map(({ key }) => key)),
        way: this.shortest(from, to, ['effects']),
        isInfluence: true,
      };
    }
    const way = this.shortest(a, b, ['causes', 'effects']);
    if (!way) return null;
    const refs = new Set(way);
    const steps = new Set(way.slice(1).flatMap((ref, i) => [`${way[i]} ${ref}`, `${ref} ${way[i]}`]));
    const inside = [...this.edges.values()].filter(({ cause, effect }) => steps.has(`${cause} ${effect}`));
    return { refs, keys: new Set(inside.map(({ key }) => key)), way, isInfluence: false };
  }

  /** One of the ways with the fewest edges, following these sides, or null. */
  shortest(from, to, sides) {
    const before = new Map([[from, null]]);
    for (const [ref] of before) {
      if (ref === to) break;
      for (const side of sides)
        for (const next of this.neighbours(ref, side)) if (!before.has(next)) before.set(next, ref);
    }
    if (!before.has(to)) return null;
    const way = [];
    for (let ref = to; ref !== null; ref = before.get(ref)) way.unshift(ref);
    return way;
  }

  /** Refs connected with the roots by these edges, in whatever direction. */
  hangingOn(roots, edges) {
    const around = new Map();
    const link = (a, b) => (around.get(a) ?? around.set(a, []).get(a)).push(b);
    for (const edge of edges) {
      link(edge.cause, edge.effect);
      link(edge.effect, edge.cause);
    }
    const reached = new Set(roots.filter((ref) => this.nodes.has(ref)));
    for (const ref of reached) for (const next of around.get(ref) ?? []) reached.add(next);
    return reached;
  }
}

/** The versions after a node's own, of an answer of versions.list. */
export function newerThan(ref, listed) {
  const refs = (listed?.versions ?? []).map((each) => each.ref);
  return refs.includes(ref) ? refs.slice(refs.indexOf(ref) + 1) : [];
}
