// The small map in the corner: all cards and the part in sight. It is shown where the stage does not hold everything.
import { svg } from '../dom.js';

const SIZE = { width: 168, height: 108 };
/** On a stage as narrow as a telephone the map leaves the cards in sight. */
const NARROW = 600;
const SMALL = { width: 92, height: 64 };
/** Between the map and the edges of the stage. */
const EDGE = 10;

export class Minimap {
  constructor(container, camera) {
    this.camera = camera;
    this.container = container;
    this.size = SIZE;
    this.cards = svg('path', { class: 'map-cards' });
    this.sight = svg('rect', { class: 'map-sight', rx: 2 });
    this.map = svg(
      'svg',
      { class: 'minimap', width: SIZE.width, height: SIZE.height, 'aria-hidden': 'true' },
      this.cards,
      this.sight,
    );
    container.append(this.map);
    for (const name of ['pointerdown', 'pointermove'])
      this.map.addEventListener(name, (event) => {
        event.stopPropagation();
        if (event.buttons & 1) this.go(event);
      });
    this.map.addEventListener('click', (event) => event.stopPropagation());
  }

  show(boxes, bounds) {
    this.bounds = boxes.length ? bounds : null;
    this.map.classList.toggle('off', !boxes.length);
    if (!boxes.length) return;
    this.size = this.container.clientWidth < NARROW ? SMALL : SIZE;
    this.map.setAttribute('width', this.size.width);
    this.scale = Math.min((this.size.width - 8) / bounds.width, (this.size.height - 12) / bounds.height);
    // A wide picture has a low map.
    this.height = Math.max(30, Math.round(bounds.height * this.scale) + 12);
    this.map.setAttribute('height', this.height);
    this.off = {
      x: (this.size.width - bounds.width * this.scale) / 2,
      y: (this.height - bounds.height * this.scale) / 2,
    };
    const at = (value) => Math.round(value * 10) / 10;
    const paths = boxes.map((box) => {
      const { x, y } = this.onMap(box);
      const [width, height] = [Math.max(1.5, box.width * this.scale), Math.max(1, box.height * this.scale)];
      return `M${at(x)} ${at(y)}h${at(width)}v${at(height)}h${at(-width)}z`;
    });
    this.cards.setAttribute('d', paths.join(''));
  }

  /** Stands in another corner where it would cover what the picture is of: a box on the stage. */
  keepOff({ x, y, width, height }) {
    const { clientWidth, clientHeight } = this.container;
    const isFree = ({ left, top }) => x + width <= left || x >= left + this.size.width || y + height <= top || y >= top + this.height;
    const [right, bottom] = [clientWidth - EDGE - this.size.width, clientHeight - EDGE - this.height];
    const corner = [{ left: right, top: bottom, name: '' }, { left: EDGE, top: bottom, name: 'at-left' }, { left: right, top: EDGE, name: 'at-top' }].find(isFree);
    for (const name of ['at-left', 'at-top']) this.map.classList.toggle(name, corner?.name === name);
  }

  onMap({ x, y }) {
    return { x: (x - this.bounds.x) * this.scale + this.off.x, y: (y - this.bounds.y) * this.scale + this.off.y };
  }

  moved() {
    if (!this.bounds) return;
    const sight = this.camera.inSight();
    const { x, y, width, height } = this.bounds;
    const isWhole =
      sight.x <= x + 1 &&
      sight.y <= y + 1 &&
      sight.x + sight.width >= x + width - 1 &&
      sight.y + sight.height >= y + height - 1;
    this.map.classList.toggle('off', isWhole);
    if (isWhole) return;
    const from = this.onMap(sight);
    const clamp = (value, most) => Math.max(1, Math.min(most - 1, value));
    const [x1, y1] = [clamp(from.x, this.size.width), clamp(from.y, this.height)];
    const [x2, y2] = [
      clamp(from.x + sight.width * this.scale, this.size.width),
      clamp(from.y + sight.height * this.scale, this.height),
    ];
    for (const [name, value] of Object.entries({
      x: x1,
      y: y1,
      width: Math.max(3, x2 - x1),
      height: Math.max(3, y2 - y1),
    }))
      this.sight.setAttribute(name, value);
  }

  go(event) {
    const { left, top } = this.map.getBoundingClientRect();
    this.camera.centre({
      x: (event.clientX - left - this.off.x) / this.scale + this.bounds.x,
      y: (event.clientY - top - this.off.y) / this.scale + this.bounds.y,
    });
  }
}
