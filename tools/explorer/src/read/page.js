// The page of a node, to read: what it says, what it was made from, and what came of it.
import { byId, h, show } from '../dom.js';
import { momentOf } from '../server/load.js';
import { labelOf, typeName } from '../vocabulary.js';

export class ReadPage {
  /** @param {import('../server/rpc.js').Rpc} rpc */
  constructor(rpc) {
    this.rpc = rpc;
    this.box = byId('read');
    this.turn = 0;
  }

  /** Shows the page of `state.ref` as of `state.as_of`. */
  async show(state) {
    const turn = ++this.turn;
    const { nodes } = await this.rpc.call('node.get', { ref: state.ref, include: ['record'], ...momentOf(state.as_of) });
    if (turn !== this.turn) return;
    const [node] = nodes;
    document.title = `${labelOf(node, 60)} · Whence`;
    show(
      this.box,
      h('article', { class: 'inner' }, h('p', { class: 'kind' }, typeName(node.type)), h('h1', {}, labelOf(node, 160))),
    );
  }
}
