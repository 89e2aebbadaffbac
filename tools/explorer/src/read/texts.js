// Texts of any length: their first part, and more of it by a click. Set as text only, each with its own direction.
import { h } from '../dom.js';
import { countText } from '../form.js';

const FIRST = 6000;
const MORE = 10;

/** How much of a text is shown by now; grows tenfold by each click. */
export const shownOf = (view, key, text, first = FIRST) => Math.min(text.length, view.limit(key, first));

/** The part of `text` up to `end`, not cutting a character in two. */
export const upTo = (text, end) =>
  end >= text.length ? text : text.slice(0, /[\uD800-\uDBFF]/.test(text[end - 1]) ? end - 1 : end);

/** A button that shows more of a text, null where all of it is shown. */
export function moreOfText(view, key, text, first = FIRST) {
  const end = shownOf(view, key, text, first);
  if (end >= text.length) return null;
  return h(
    'p',
    { class: 'more' },
    h('button', { type: 'button', 'data-more': key, onclick: () => view.more(key, end * MORE) }, 'Show more'),
    h('span', { class: 'faint' }, ` ${countText(end)} of ${countText(text.length)} characters`),
  );
}

/** A text as it was written, bounded. */
export function plainText(view, key, text, { first = FIRST, kind = '' } = {}) {
  return [
    h('div', { class: `text ${kind}`, dir: 'auto' }, upTo(text, shownOf(view, key, text, first))),
    moreOfText(view, key, text, first),
  ];
}

/**
 * The first `limit` entries of a list and a button for more of them. `total` where the server has more than are here,
 * null where nobody counted them.
 */
export function bounded(view, key, entries, step, make, total = entries.length) {
  const shown = Math.min(entries.length, view.limit(key, step));
  const onMore = () => view.more(key, shown + step * 2, `[data-entry="${shown}"]`);
  return [
    entries.slice(0, shown).map(make),
    shown < (total ?? entries.length) &&
      h(
        'li',
        { class: 'more' },
        h('button', { type: 'button', 'data-more': key, onclick: onMore }, 'Show more'),
        h('span', { class: 'faint' }, total === null ? '' : ` ${countText(shown)} of ${countText(total)}`),
      ),
  ];
}

/** As `bounded`, of entries that were asked for with one more than is shown: nobody knows how many there are. */
export const boundedFound = (view, key, entries, step, make) => bounded(view, key, entries, step, make, null);
