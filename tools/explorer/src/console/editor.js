// The text of the params: a plain text area with a list of what may be written at the cursor, and places that are marked.
import { h, show } from '../dom.js';
import { completionsAt } from './completion.js';
import { lineOf } from './json_text.js';

const LIST_WIDTH = 340;

export class Editor {
  /** @param {HTMLTextAreaElement} area @param {HTMLElement} list @param {{offers: Function, send(): void, changed(): void}} actions */
  constructor(area, list, actions) {
    this.area = area;
    this.list = list;
    this.actions = actions;
    this.offers = [];
    this.at = 0;
    area.addEventListener('input', () => {
      actions.changed();
      this.offer(false);
    });
    area.addEventListener('keydown', (event) => this.key(event));
    area.addEventListener('click', () => this.close());
    area.addEventListener('blur', () => setTimeout(() => this.close(), 120));
    area.addEventListener('scroll', () => this.close());
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.close();
    this.actions.changed();
  }

  /** Opens the list; typing opens it where a name or a text has begun, a key anywhere. */
  offer(isAsked) {
    const { selectionStart: cursor, selectionEnd: end } = this.area;
    const { from, to, offers } = this.actions.offers(this.text, cursor);
    const hasBegun = to > from && !/[\s,{[\]}:]/.test(this.text[cursor - 1] ?? ' ');
    const isDone = offers.length === 1 && offers[0].text === this.text.slice(from, to).replaceAll('"', '');
    if (cursor !== end || !offers.length || (!isAsked && (!hasBegun || isDone))) {
      this.close();
      return;
    }
    this.span = { from, to };
    this.offers = offers;
    this.at = 0;
    show(
      this.list,
      offers.map(({ text, note }, i) =>
        h(
          'li',
          {
            role: 'option',
            id: `offer-${i}`,
            onmousedown: (event) => {
              event.preventDefault();
              this.take(i);
            },
          },
          h('b', {}, text),
          h('span', { class: 'sub' }, note),
        ),
      ),
    );
    this.list.hidden = false;
    this.area.setAttribute('aria-expanded', 'true');
    this.place(cursor);
    this.mark();
  }

  close() {
    this.list.hidden = true;
    this.area.setAttribute('aria-expanded', 'false');
    this.area.removeAttribute('aria-activedescendant');
  }

  /** Under the line of the cursor; the text area has a fixed width of letters and no wrapped lines. */
  place(cursor) {
    const { line, column } = lineOf(this.text, cursor);
    const style = getComputedStyle(this.area);
    const height = parseFloat(style.lineHeight);
    this.pen ??= document.createElement('canvas').getContext('2d');
    this.pen.font = `${style.fontSize} ${style.fontFamily}`;
    const left = parseFloat(style.paddingLeft) + (column - 1) * this.pen.measureText('0').width - this.area.scrollLeft;
    const top = parseFloat(style.paddingTop) + line * height - this.area.scrollTop + 4;
    const room = Math.max(0, this.area.clientWidth - Math.min(LIST_WIDTH, this.area.clientWidth));
    this.list.style.transform = `translate(${Math.max(0, Math.min(left, room))}px, ${Math.min(top, this.area.clientHeight)}px)`;
  }

  mark() {
    for (const [i, entry] of [...this.list.children].entries()) {
      entry.setAttribute('aria-selected', String(i === this.at));
      if (i === this.at) entry.scrollIntoView({ block: 'nearest' });
    }
    this.area.setAttribute('aria-activedescendant', `offer-${this.at}`);
  }

  take(i) {
    const { insert, back } = this.offers[i];
    this.area.focus();
    this.area.setSelectionRange(this.span.from, this.span.to);
    // What is inserted so can be undone by the browser's own undo.
    if (!document.execCommand('insertText', false, insert))
      this.area.setRangeText(insert, this.span.from, this.span.to, 'end');
    const cursor = this.span.from + insert.length - back;
    this.area.setSelectionRange(cursor, cursor);
    this.close();
    this.actions.changed();
    if (insert.endsWith(' ')) this.offer(true);
  }

  /** Shows a place of the text. */
  select({ from, to }) {
    this.area.focus();
    this.area.setSelectionRange(from, Math.max(to, from + 1));
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (lineOf(this.text, from).line - 4) * height);
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
      event.preventDefault();
      this.close();
      this.actions.send();
    } else if (event.ctrlKey && event.key === ' ') {
      event.preventDefault();
      this.offer(true);
    } else if (!this.list.hidden) {
      const { length } = this.offers;
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        this.at = (this.at + (event.key === 'ArrowDown' ? 1 : length - 1)) % length;
        this.mark();
      } else if (event.key === 'Enter' || event.key === 'Tab') this.take(this.at);
      else if (event.key === 'Escape') this.close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    }
  }
}

/** The offers of a method, for an editor. */
export const offersOf = (methods, nameOf) => (text, cursor) => completionsAt(methods(), nameOf(), text, cursor);
