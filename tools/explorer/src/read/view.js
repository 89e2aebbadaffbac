// One look at a node's page: its questions, and what the reader has opened and asked more of, which outlives the look.
import { h } from '../dom.js';
import { Ask } from './ask.js';

/** What stays of a page while it is looked at again: lists that were lengthened, parts that were opened, a form. */
export class Kept {
  constructor() {
    this.limits = new Map();
    this.opened = new Map();
    this.filled = new Map();
    this.held = new Map();
    this.scrollTop = 0;
  }
}

export class View {
  /** @param {import('./page.js').ReadPage} page */
  constructor(page, state, kept) {
    this.page = page;
    this.state = state;
    this.kept = kept;
    this.ask = new Ask(page.rpc, state.as_of);
    this.node = null;
  }

  /** Whether this page is of a case: it shows what was kept, and nothing more can be asked or written. */
  get isKept() {
    return Boolean(this.page.rpc.isKept);
  }

  /** How much of a list or text is shown. */
  limit(key, first) {
    return this.kept.limits.get(key) ?? first;
  }

  /** Shows more of it; what then matches `focus` gets the focus, so that a reader without a mouse goes on there. */
  more(key, limit, focus = null) {
    this.kept.limits.set(key, limit);
    this.page.again(focus);
  }

  /** A value that is made once for as long as the page is of this node. */
  held(key, make) {
    if (!this.kept.held.has(key)) this.kept.held.set(key, make());
    return this.kept.held.get(key);
  }

  /** A part that opens by a click and stays as the reader left it. `content` may be a function: asked when it opens. */
  fold(key, summary, content, { isOpen = false, kind = '' } = {}) {
    const open = this.kept.opened.get(key) ?? isOpen;
    const body = h('div', { class: 'fold-body' });
    const fill = async () => {
      if (typeof content !== 'function') return;
      const before = this.kept.filled.get(key);
      if (before) body.replaceChildren(...before);
      else body.replaceChildren(h('p', { class: 'faint' }, 'Loading…'));
      const nodes = [await content()].flat(Infinity).filter(Boolean);
      this.kept.filled.set(key, nodes);
      body.replaceChildren(...nodes);
    };
    if (typeof content !== 'function') body.append(...[content].flat(Infinity).filter(Boolean));
    else if (open) fill();
    return h(
      'details',
      {
        class: `fold-part ${kind}`,
        'data-key': key,
        open,
        ontoggle: ({ target }) => {
          if (target.open === (this.kept.opened.get(key) ?? isOpen)) return;
          this.kept.opened.set(key, target.open);
          if (target.open) fill();
        },
      },
      h('summary', {}, summary),
      body,
    );
  }
}
