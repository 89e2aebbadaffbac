// Two texts as one: what was taken away and what was added, by words, or by lines where they are long.
import { diffLines, diffWordsWithSpace } from 'diff';
import { h } from '../dom.js';

const BY_WORDS_MAX = 20_000;
const TEXT_MAX = 300_000;
const KEPT = 240;
const TIMEOUT_MS = 400;

/** @returns {HTMLElement} one text with <del> and <ins>; long runs that stayed the same are cut in their middle */
export function textDiff(before, after) {
  const [a, b] = [before.slice(0, TEXT_MAX), after.slice(0, TEXT_MAX)];
  const options = { timeout: TIMEOUT_MS };
  const parts = (a.length + b.length <= BY_WORDS_MAX
    ? diffWordsWithSpace(a, b, options)
    : diffLines(a, b, options)) ?? [
    { removed: true, value: a },
    { added: true, value: b },
  ]; // too different to compare in the time
  return h(
    'div',
    { class: 'text diff', dir: 'auto' },
    parts.map(({ value, added, removed }, i) => {
      if (added) return h('ins', {}, value);
      if (removed) return h('del', {}, value);
      return kept(value, i === 0, i === parts.length - 1);
    }),
    (before.length > TEXT_MAX || after.length > TEXT_MAX) && h('p', { class: 'faint' }, 'The beginnings are compared.'),
  );
}

function kept(text, isFirst, isLast) {
  if (text.length <= 2 * KEPT + 40) return text;
  return [!isFirst && text.slice(0, KEPT), h('span', { class: 'faint' }, ' … '), !isLast && text.slice(-KEPT)];
}
