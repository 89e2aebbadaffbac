// The picture of a case's answer, below its text: what it was made from.
import { h, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { placed } from '../picture/arrange.js';
import { groupOfRef, grouped } from '../picture/groups.js';
import { startLayout } from '../picture/layout.js';
import { Picture } from '../picture/picture.js';
import { nodeLine } from '../read/names.js';
import { openPage } from '../state.js';

/** No worker has an address here. */
export function startLayoutHere() {
  const layouts = { postMessage: (question) => setTimeout(() => layouts.onmessage({ data: placed(question) })) };
  startLayout(layouts);
}

/** @param {import('./kept.js').KeptRpc} kept */
export const pictureSection = (view, kept) => ({
  name: 'picture',
  title: 'Picture',
  note: ' what it was made from',
  body: async () => {
    const model = kept.picture(view.node.ref);
    if (!model || model.nodes.size < 2) return null;
    const stage = h('div', { class: 'stage', id: 'picture', 'aria-hidden': 'true' });
    const said = h('div', { id: 'said', role: 'status' });
    // It has a size only when it is on the page; the text comes first.
    setTimeout(() => stage.isConnected && new Drawing(stage, said, model).draw(), 30);
    const left = kept.leftOut(view.node.ref);
    const what = `${plural(model.nodes.size, 'record')} that it rests on, itself included.`;
    const rest = left > 0 && ` Not in this file: at least ${countText(left)} more.`;
    return [stage, said, h('p', { class: 'faint', id: 'drawn' }, what, rest)];
  },
});

class Drawing {
  constructor(stage, said, model) {
    Object.assign(this, { model, said, opened: [], selected: '', budget: undefined });
    this.picture = new Picture(stage, {
      select: (ref) => this.select(ref),
      expand: (ref, side) => this.expand(ref, side),
      open: (ref) => openPage(ref),
      clear: () => this.select(''),
      between: (ref) => this.between(ref),
    });
    addEventListener('beforeprint', () => stage.isConnected && this.picture.onPaper(true));
    addEventListener('afterprint', () => stage.isConnected && this.picture.onPaper(false));
  }

  async draw() {
    const { model, selected, opened } = this;
    const isFirst = this.budget === undefined;
    const drawn = grouped(model.visible({ roots: [model.root] }), {
      roots: [model.root],
      keep: selected ? [selected] : [],
      opened,
      hidden: (ref, side) => (side === 'causes' ? model.hidden(ref, side) : 0),
      all: false,
      budget: this.budget,
    });
    this.budget = drawn.budget;
    const how = { root: model.root, pinned: [], keepView: !isFirst, keepPlaces: !isFirst, marked: this.marked() };
    await this.picture.draw(drawn, how);
    document.body.dataset.nodes = String(drawn.nodes.length);
  }

  marked() {
    const { model, selected } = this;
    if (!selected) return null;
    return { ref: selected, ancestors: model.reach(selected, 'causes').keys(), descendants: model.reach(selected, 'effects').keys() };
  }

  select(ref) {
    const group = groupOfRef(ref);
    if (group) {
      this.expand(group.of, group.side);
      return;
    }
    this.selected = ref;
    this.picture.highlight(this.marked());
    show(this.said, this.model.nodes.has(ref) && nodeLine(this.model.nodes.get(ref)));
  }

  expand(ref, side) {
    this.opened.push(`${side} ${ref}`);
    this.draw();
  }

  between(ref) {
    const path = this.selected && this.model.between(this.selected, ref);
    if (path) this.picture.highlight({ ref, path });
  }
}
