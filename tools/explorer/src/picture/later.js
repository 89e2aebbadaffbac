// What cards say that the answers for the picture do not hold: ratings, questions that are in other records, and the types in groups. It is asked for after the
// picture is drawn, of a bounded number of cards, and put into them.
import { isMute, wordsElsewhere } from '../pages/acts.js';
import { momentOf } from '../server/load.js';
import { RATED } from '../vocabulary.js';

const RATINGS_MAX = 60;
const TITLES_MAX = 20;
const GROUPS_MAX = 16;
/** While records come in, pictures follow each other; only one that stays this long is asked about. */
const REST_MS = 150;

/** The server's names for what the picture has on a side: influence, and what a node belongs to or is the whole of. */
export const SERVER_SIDES = { causes: ['causes', 'wholes'], effects: ['effects', 'parts'] };

export class Later {
  /**
   * @param {import('../server/rpc.js').Rpc} rpc @param {import('./picture.js').Picture} picture
   * @param {(ref: string) => void} named called when a node of the picture has got a name
   */
  constructor(rpc, picture, named) {
    this.rpc = rpc;
    this.picture = picture;
    this.named = named;
  }

  /** @param {string[]} first nodes whose names come first: those that the page speaks of */
  ask(drawn, model, asOf, first) {
    clearTimeout(this.timer);
    const turn = this.picture.turn;
    const isNow = () => this.picture.turn === turn;
    this.timer = setTimeout(() => {
      if (!isNow()) return;
      const rated = drawn.nodes.filter(({ type, score }) => RATED.has(type) && score === undefined);
      for (const node of rated.slice(0, RATINGS_MAX)) this.rate(node, asOf, isNow);
      const untitled = drawn.nodes.filter((node) => node.title === undefined && isMute(node));
      untitled.sort((a, b) => first.includes(b.ref) - first.includes(a.ref));
      for (const node of untitled.slice(0, TITLES_MAX)) this.entitle(node, asOf, isNow);
      for (const group of drawn.groups.filter(({ types }) => !types).slice(0, GROUPS_MAX))
        this.name(group, model, drawn, asOf, isNow);
    }, REST_MS);
  }

  async rate(node, asOf, isNow) {
    const answer = await this.rpc
      .call('feedback.list', { ref: node.ref, limit: 1, ...momentOf(asOf) })
      .catch(() => null);
    node.score = answer?.feedback_count ? (answer.aggregate_score ?? answer.mean_score) : null;
    if (isNow() && node.score !== null) this.picture.rate(node.ref, node.score);
  }

  async entitle(node, asOf, isNow) {
    const words = await wordsElsewhere(this.rpc, node, asOf).catch(() => '');
    if (!words) return;
    node.title = words;
    if (!isNow()) return;
    this.picture.entitle(node.ref, words);
    this.named(node.ref);
  }

  async name(group, model, drawn, asOf, isNow) {
    const answers = await Promise.all(
      SERVER_SIDES[group.side].map((side) =>
        this.rpc
          .call('node.neighbors', { ref: group.of, side, group_by: 'type', limit: 50, ...momentOf(asOf) })
          .catch(() => null),
      ),
    );
    if (!isNow() || answers.includes(null)) return;
    const counts = new Map();
    const add = (type, count) => counts.set(type, (counts.get(type) ?? 0) + count);
    for (const { groups } of answers) for (const { value, count } of groups) add(value, count);
    const here = model.neighbours(group.of, group.side);
    for (const { ref, type } of drawn.nodes) if (here.has(ref)) add(type, -1);
    const types = [...counts].filter(([, count]) => count > 0).sort((x, y) => y[1] - x[1]);
    if (types.length) this.picture.nameGroup(group.ref, types);
  }
}
