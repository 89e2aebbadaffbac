// The card that appears when the pointer rests on a node: its first sentences, type and marks.
import { h, show } from '../dom.js';
import { titleOf } from '../read/names.js';
import { cardWords } from './card_words.js';

const REST_MS = 450;

export class HoverCard {
  constructor(container, camera) {
    this.camera = camera;
    this.container = container;
    this.box = h('div', { class: 'hover-card', hidden: true, 'aria-hidden': 'true' });
    container.append(this.box);
  }

  over(node, place) {
    if (node?.ref === this.ref) return;
    this.hide();
    if (!node || node.isGroup) return;
    this.ref = node.ref;
    this.timer = setTimeout(() => this.show(node, place), REST_MS);
  }

  show(node, { x, y, width, height }) {
    const { kind, flags, number } = cardWords(node);
    show(
      this.box,
      h('div', { class: 'faint' }, [kind, ...flags, number].filter(Boolean).join(' · ')),
      h('div', { dir: 'auto' }, titleOf(node, 320)),
      h('div', { class: 'faint mono' }, node.ref.slice(0, 120)),
    );
    this.box.hidden = false;
    const low = this.camera.onStage({ x, y: y + height });
    const high = this.camera.onStage({ x: x + width, y });
    const { offsetWidth, offsetHeight } = this.box;
    const { clientWidth, clientHeight } = this.container;
    const isBelow = low.y + offsetHeight + 8 <= clientHeight || high.y - offsetHeight - 8 < 0;
    this.box.style.left = `${Math.max(4, Math.min(clientWidth - offsetWidth - 4, low.x))}px`;
    this.box.style.top = `${isBelow ? low.y + 8 : high.y - offsetHeight - 8}px`;
  }

  hide() {
    clearTimeout(this.timer);
    this.ref = undefined;
    this.box.hidden = true;
  }
}
