// Cards: the element of a node and that of a group of nodes that are not drawn, with the middle of each at 0, 0.
import { svg } from '../dom.js';
import { cardWords, groupWords, shortCount } from './card_words.js';
import { outlineOf } from './glyph.js';
import { linesOf, widthOf } from './text_width.js';
import { coloursOf } from './theme.js';

/** The size of each card, by the direction of influence. */
export const SIZES = { LR: { width: 214, height: 66 }, TB: { width: 200, height: 68 } };
/** Texts are drawn from a zoom of 0.92 on, so that the smallest is 11 pixels high on the screen. */
const KIND = 12;
const LINE = 13;
const MARGIN = 40;
const TAB = { width: 34, height: 20 };

const tabWidth = (count) => Math.max(TAB.width, Math.ceil(widthOf(`+${shortCount(count)}`, KIND, 600)) + 8);

/**
 * @param {object} node @param {{causes: number, effects: number}} hidden neighbours without a card
 * @param {'LR' | 'TB'} direction @param {string[]} classes
 */
export function cardOf(node, hidden, direction, classes) {
  const { width, height } = SIZES[direction];
  const { outline, fill } = coloursOf(node.type);
  const words = cardWords(node);
  const [left, top] = [-width / 2, -height / 2];
  const tabs = tabsOf(node.ref, hidden, direction);
  const from = left + MARGIN;
  const room = width - MARGIN - 10;
  // A wide count on the left takes the beginning of the second line.
  const shift = hidden.causes ? tabWidth(hidden.causes) - TAB.width : 0;
  const lineRoom = room - shift - (hidden.effects ? tabWidth(hidden.effects) : 0);
  const number = words.number && svg('text', { class: 'number', x: from + room, y: top + 17 }, words.number);
  const kindRoom = room - (words.number ? widthOf(words.number, KIND, 600) + 6 : 0);
  // The icon shows the type, too; a mark has nothing else.
  const whole = [words.kind, ...words.flags].join(' · ');
  const weight = node.mark || node.was ? 600 : 400;
  const said = [whole, words.flags.join(' · '), words.flags[0]].find((each) => each && widthOf(each, KIND, weight) <= kindRoom) ?? words.flags[0] ?? whole;
  const kind = linesOf(said, kindRoom, 1, KIND, weight)[0] ?? '';
  return svg(
    'g',
    { class: ['card', ...classes].join(' '), 'data-id': node.ref },
    svg('rect', { class: 'box', x: left, y: top, width, height, rx: 8 }),
    svg('rect', { class: 'block', x: left, y: top, width, height, rx: 8, fill, stroke: outline }),
    outlineOf(node.type, { class: 'icon', fill, stroke: outline }, left + 20, top + 18, 8),
    svg('text', { class: 'kind', x: from, y: top + 17 }, kind),
    number,
    linesOf(words.line, lineRoom, 2, LINE).map((line, i) =>
      svg('text', { class: 'line', x: from + i * shift, y: top + 36 + i * 17 }, line),
    ),
    tabs,
  );
}

/** Counts of neighbours that are not drawn, in a corner of the card on their side; a press brings them. */
function tabsOf(ref, hidden, direction) {
  const { width, height } = SIZES[direction];
  const y = height / 2 - TAB.height - 4;
  const tab = (side, xOf) => {
    if (!hidden[side]) return null;
    const wide = tabWidth(hidden[side]);
    const x = xOf(wide);
    return svg(
      'g',
      { class: 'tab', 'data-id': `stub ${side} ${ref}`, 'data-side': side, 'data-of': ref },
      svg('rect', { x, y, width: wide, height: TAB.height, rx: 5 }),
      svg('text', { x: x + wide / 2, y: y + 14 }, `+${shortCount(hidden[side])}`),
    );
  };
  return [tab('causes', () => -width / 2 + 3), tab('effects', (wide) => width / 2 - wide - 4)];
}

/** A group of neighbours that are not drawn: what and how many, and how many are drawn. */
export function groupOf(group, direction, classes) {
  const { width, height } = SIZES[direction];
  const words = groupWords(group);
  const [left, top] = [-width / 2, -height / 2];
  const lines = linesOf(words.title, width - 28, 2, LINE, 600);
  return svg(
    'g',
    { class: ['card', 'group', ...classes].join(' '), 'data-id': group.ref },
    svg('rect', { class: 'box', x: left + 4, y: top + 1, width: width - 4, height: height - 7, rx: 8 }),
    svg('rect', { class: 'box', x: left, y: top + 6, width: width - 4, height: height - 7, rx: 8 }),
    lines.map((line, i) =>
      svg('text', { class: 'line', x: left + 14, y: top + (lines.length === 1 ? 31 : 25) + i * 16 }, line),
    ),
    svg('text', { class: 'kind', x: left + 14, y: top + (lines.length === 1 ? 49 : 56) }, words.note),
  );
}
