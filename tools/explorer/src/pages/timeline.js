// The time slider: which transaction the page shows, and when that was.
import { byId, debounced } from '../dom.js';
import { countText, timeText } from '../form.js';
import { go, now } from '../state.js';
import { timeOfTransaction } from '../server/watch.js';

export class Timeline {
  constructor(rpc) {
    this.rpc = rpc;
    this.head = 0;
    this.times = new Map();
    this.slider = byId('moment');
    this.value = byId('moment-value');
    const settle = debounced((tx) => go({ as_of: tx >= this.head ? null : tx }), 140);
    this.slider.addEventListener('input', () => {
      const tx = Number(this.slider.value);
      this.label(tx);
      settle(tx);
    });
    // The server knows which transaction was the last at a time.
    this.date = byId('moment-date');
    this.date.addEventListener('change', () => {
      const at = new Date(this.date.value);
      if (at.getTime() >= 0) go({ as_of: at.toISOString() }); // a year that is being typed is 0002 first
    });
    byId('moment-now').addEventListener('click', () => go({ as_of: null }));
  }

  /** @param {number} head the newest transaction @param {number} shown the one that the answers were as of */
  show(head, shown = this.shown) {
    this.head = head;
    this.shown = shown;
    const asOf = now().as_of;
    const tx = asOf === null ? head : typeof asOf === 'number' ? asOf : (shown ?? head);
    this.slider.max = String(head);
    if (document.activeElement !== this.slider || asOf === null) this.slider.value = String(tx);
    byId('time').classList.toggle('past', asOf !== null);
    byId('moment-now').disabled = asOf === null;
    this.label(tx);
  }

  async label(tx) {
    this.wanted = tx;
    const isNow = tx === this.head && typeof now().as_of !== 'string';
    const text = `${isNow ? 'now · ' : ''}transaction ${countText(tx)}`;
    const known = this.times.get(tx);
    this.write(tx, text, known);
    if (known !== undefined || tx === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 120));
    if (this.wanted !== tx) return;
    const at = await timeOfTransaction(this.rpc, tx);
    if (at) this.times.set(tx, at);
    if (this.wanted === tx) this.write(tx, text, at);
  }

  write(tx, text, at) {
    this.value.textContent = at ? `${text} · ${timeText(at)}` : tx === 0 ? 'before the first transaction' : text;
    this.slider.setAttribute('aria-valuetext', this.value.textContent);
    const asked = now().as_of;
    const time = typeof asked === 'string' && !Number.isNaN(Date.parse(asked)) ? asked : at;
    if (document.activeElement !== this.date) this.date.value = time ? localTime(time) : '';
  }
}

/** A time as the field for it wants one: in the reader's zone, to the second. */
function localTime(value) {
  const date = new Date(value);
  return new Date(date.getTime() - 60_000 * date.getTimezoneOffset()).toISOString().slice(0, 19);
}
