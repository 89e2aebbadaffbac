// The view of the picture: moved by dragging, nearer and farther by the wheel, two fingers or buttons.

const ZOOM = { least: 0.03, most: 2.5 };
/** A pointer that moved less has clicked. */
const STILL = 4;

export class Camera {
  /** @param {HTMLElement} box @param {() => void} moved called after each change */
  constructor(box, moved) {
    this.box = box;
    this.moved = moved;
    this.view = { x: 0, y: 0, zoom: 1 };
    this.pointers = new Map();
    this.wasDragged = false;
    box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    box.addEventListener('pointerdown', (event) => this.down(event));
    box.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel']) box.addEventListener(name, (event) => this.up(event));
  }

  set(view) {
    this.view = { ...view, zoom: Math.min(ZOOM.most, Math.max(ZOOM.least, view.zoom)) };
    this.moved();
  }

  /** The middle of the stage stays, or the point given in it. */
  zoomBy(factor, at = { x: this.box.clientWidth / 2, y: this.box.clientHeight / 2 }) {
    const { x, y, zoom } = this.view;
    const next = Math.min(ZOOM.most, Math.max(ZOOM.least, zoom * factor));
    const ratio = next / zoom;
    this.set({ x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio, zoom: next });
  }

  /** All of a box of the picture in sight. */
  fit({ x, y, width, height }, margin, most) {
    const room = { width: this.box.clientWidth - 2 * margin, height: this.box.clientHeight - 2 * margin };
    const zoom = Math.max(ZOOM.least, Math.min(most, room.width / width, room.height / height));
    this.set({
      x: this.box.clientWidth / 2 - (x + width / 2) * zoom,
      y: this.box.clientHeight / 2 - (y + height / 2) * zoom,
      zoom,
    });
  }

  /** A point in the middle, as far as the stage then shows the box and not what is beyond it. */
  lookAt({ x, y }, bounds, zoom, margin) {
    const along = (at, from, extent, stage) => {
      const [least, most] = [stage - margin - (from + extent) * zoom, margin - from * zoom];
      return least > most ? (least + most) / 2 : Math.max(least, Math.min(most, stage / 2 - at * zoom));
    };
    this.set({
      x: along(x, bounds.x, bounds.width, this.box.clientWidth),
      y: along(y, bounds.y, bounds.height, this.box.clientHeight),
      zoom,
    });
  }

  centre({ x, y }) {
    const { zoom } = this.view;
    this.set({ x: this.box.clientWidth / 2 - x * zoom, y: this.box.clientHeight / 2 - y * zoom, zoom });
  }

  /** Where a point of the picture is on the stage. */
  onStage({ x, y }) {
    return { x: this.view.x + x * this.view.zoom, y: this.view.y + y * this.view.zoom };
  }

  /** The part of the picture that is in sight. */
  inSight() {
    const { x, y, zoom } = this.view;
    const { clientWidth, clientHeight } = this.box;
    return { x: -x / zoom, y: -y / zoom, width: clientWidth / zoom, height: clientHeight / zoom };
  }

  wheel(event) {
    event.preventDefault();
    const { left, top } = this.box.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const by = Math.max(-300, Math.min(300, event.deltaY * lines));
    this.zoomBy(Math.exp(-by * (event.ctrlKey ? 0.008 : 0.0018)), { x: event.clientX - left, y: event.clientY - top });
  }

  down(event) {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.wasDragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.start = { x: event.clientX, y: event.clientY };
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const after = { x: event.clientX, y: event.clientY };
    if (!this.wasDragged) {
      if (Math.hypot(after.x - this.start.x, after.y - this.start.y) < STILL && this.pointers.size === 1) return;
      this.wasDragged = true;
      this.box.setPointerCapture?.(event.pointerId);
    }
    if (this.pointers.size === 1) {
      const { x, y, zoom } = this.view;
      this.set({ x: x + after.x - before.x, y: y + after.y - before.y, zoom });
    } else {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const { left, top } = this.box.getBoundingClientRect();
      const apart = (p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
      const middle = { x: (after.x + other.x) / 2 - left, y: (after.y + other.y) / 2 - top };
      this.zoomBy(apart(after) / apart(before), middle);
    }
    this.pointers.set(event.pointerId, after);
  }

  up(event) {
    this.pointers.delete(event.pointerId);
  }
}
