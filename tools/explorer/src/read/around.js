// A small picture of what is next to a node: sources before it, what came of it after it, at most five of each.
import { h, svg } from '../dom.js';
import { countText } from '../form.js';
import { outlineOf } from '../picture/glyph.js';
import { linesOf } from '../picture/text_width.js';
import { coloursOf } from '../picture/theme.js';
import { Model } from '../server/model.js';
import { open, pageHash } from '../state.js';
import { typeName } from '../vocabulary.js';
import { titleOf } from './names.js';

const SIDE_MAX = 5;
const ASKED = 40;
const ROW = 44;
const HEIGHT = 36;
const GAP = 56;
const BELOW = 560; // px of width below which the columns become rows
const SIZE = 12.5;

export const around = (view) => ({
  name: 'around',
  title: 'Around it',
  body: async () => {
    const { node, ask } = view;
    const answer = await ask
      .withRecords('lineage.graph', {
        ref: node.ref,
        up: 1,
        down: 1,
        relations: true,
        limit: ASKED,
        include: ['record'],
      })
      .catch(() => null);
    if (!answer) return null;
    const model = new Model(node.ref);
    model.merge(answer);
    const own = model.nodes.get(node.ref);
    const side = (name, count) => {
      // The other half of an act is on this page already.
      const all = model[name]
        .get(node.ref)
        .filter(({ type }) => type !== 'SAME_ACT')
        .map((edge) => ({ edge, node: model.nodes.get(edge[name === 'causes' ? 'cause' : 'effect']) }));
      // Influence comes before what only belongs to it: it is what a reader asks about when room is short.
      const order = (a, b) => a.edge.isRelation - b.edge.isRelation || (b.edge.weight ?? 1) - (a.edge.weight ?? 1);
      const unique = [...new Map(all.sort((a, b) => -order(a, b)).map((each) => [each.node.ref, each])).values()].sort(order);
      const shown = unique.slice(0, SIDE_MAX);
      const halves = model[name].get(node.ref).length - all.length;
      return { shown, more: Math.max((count ?? 0) - halves, unique.length) - shown.length };
    };
    const causes = side('causes', own.causesTotal);
    const effects = side('effects', own.effectsTotal);
    if (causes.shown.length + effects.shown.length === 0)
      return h('p', { class: 'faint' }, 'Nothing is linked with it.');
    const width = Math.max(280, Math.min(1060, view.page.box.clientWidth - 32));
    return h(
      'figure',
      { class: 'around', 'data-width': width },
      width < BELOW ? inRows(node, causes, effects, width) : inColumns(node, causes, effects, width),
      h(
        'figcaption',
        { class: 'faint' },
        sayCount(causes, 'before it'),
        ', ',
        sayCount(effects, 'after it'),
        '. ',
        h('button', { type: 'button', class: 'link', onclick: () => open(node.ref) }, 'The whole picture'),
      ),
    );
  },
});

const sayCount = ({ shown, more }, where) => `${countText(shown.length + more)} ${where}`;

/** Three columns; those without nodes give their place to the others. */
function inColumns(node, causes, effects, width) {
  const columns = [causes, effects].filter(({ shown }) => shown.length).length + 1;
  const wide = Math.min(320, (width - GAP * (columns - 1)) / columns);
  const rows = Math.max(count(causes), count(effects), 1);
  const height = rows * ROW;
  const middle = causes.shown.length ? wide + GAP : 0;
  const right = middle + wide + GAP;
  const centre = height / 2;
  const picture = frame(columns * wide + (columns - 1) * GAP, height);
  column(causes, 0, wide, height, (y, edge) => picture.append(wire(wide, y, middle, centre, edge)), picture);
  column(effects, right, wide, height, (y, edge) => picture.append(wire(middle + wide, centre, right, y, edge)), picture);
  picture.append(card(node, middle, centre - HEIGHT / 2, wide, true));
  return picture;
}

const count = ({ shown, more }) => shown.length + (more > 0 ? 1 : 0);

function column(side, x, wide, height, connect, picture) {
  const top = (height - count(side) * ROW) / 2;
  side.shown.forEach(({ node, edge }, i) => {
    const y = top + i * ROW + ROW / 2;
    connect(y, edge);
    picture.append(card(node, x, y - HEIGHT / 2, wide));
  });
  if (side.more > 0) picture.append(rest(side.more, x, top + side.shown.length * ROW + ROW / 2, wide));
}

/** One under the other: the sources, the node, what came of it. */
function inRows(node, causes, effects, width) {
  const indent = 26;
  const total = count(causes) + count(effects) + 1;
  const picture = frame(width, total * ROW);
  const wide = width - indent - 2;
  let y = ROW / 2;
  const own = count(causes) * ROW + ROW / 2;
  const put = (side, isBefore) => {
    for (const { node: other, edge } of side.shown) {
      picture.append(branch(indent, y, own, isBefore, edge), card(other, indent, y - HEIGHT / 2, wide));
      y += ROW;
    }
    if (side.more > 0) {
      picture.append(rest(side.more, indent, y, wide));
      y += ROW;
    }
  };
  put(causes, true);
  picture.append(card(node, 2, own - HEIGHT / 2, width - 4, true));
  y = own + ROW;
  put(effects, false);
  return picture;
}

const frame = (width, height) =>
  svg('svg', {
    class: 'around-picture',
    viewBox: `-2 -2 ${width + 4} ${height + 4}`,
    width: width + 4,
    height: height + 4,
    role: 'group',
    'aria-label': 'What is next to it: sources before, what came of it after',
  });

/** A line with a head is influence; what only belongs together is dotted and has none, as in the large picture. */
function wire(x1, y1, x2, y2, { isRelation }) {
  const bend = (x2 - x1) / 2;
  const end = isRelation ? x2 : x2 - 7;
  return svg(
    'g',
    { class: isRelation ? 'wires relation' : 'wires' },
    svg('path', { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${end} ${y2}`, fill: 'none' }),
    !isRelation && svg('path', { class: 'head', d: `M${x2 - 8} ${y2 - 4}L${x2 - 1} ${y2}L${x2 - 8} ${y2 + 4}Z` }),
  );
}

function branch(indent, y, own, isBefore, { isRelation }) {
  const x = indent / 2;
  const end = isBefore ? own - HEIGHT / 2 : own + HEIGHT / 2;
  return svg(
    'g',
    { class: isRelation ? 'wires relation' : 'wires' },
    svg('path', {
      d: isBefore ? `M${indent} ${y}H${x}V${isRelation ? end : end - 6}` : `M${x} ${end}V${y}H${isRelation ? indent : indent - 7}`,
      fill: 'none',
    }),
    !isRelation && svg('path', {
      class: 'head',
      d: isBefore
        ? `M${x - 4} ${end - 7}L${x} ${end}L${x + 4} ${end - 7}Z`
        : `M${indent - 8} ${y - 4}L${indent - 1} ${y}L${indent - 8} ${y + 4}Z`,
    }),
  );
}

function card(node, x, y, wide, isOwn = false) {
  const { outline, fill } = coloursOf(node.type);
  const text = titleOf(node, 200);
  const box = svg(
    'g',
    { class: isOwn ? 'card own' : 'card' },
    svg('title', {}, `${typeName(node.type)}: ${text}`),
    svg('rect', { class: 'box', x, y, width: wide, height: HEIGHT, rx: 7 }),
    outlineOf(node.type, { fill, stroke: outline, 'stroke-width': 1.5 }, x + 17, y + HEIGHT / 2, 7),
    svg(
      'svg',
      { x: x + 33, y, width: wide - 38, height: HEIGHT },
      svg('text', { y: 15, class: 'what' }, typeName(node.type)),
      svg('text', { y: 29 }, linesOf(text, wide - 40, 1, SIZE)[0]),
    ),
  );
  return isOwn ? box : svg('a', { href: pageHash(node.ref), 'data-ref': node.ref }, box);
}

const rest = (more, x, y, wide) =>
  svg('text', { x: x + wide / 2, y: y + 4, class: 'rest', 'text-anchor': 'middle' }, `+${countText(more)} more`);
