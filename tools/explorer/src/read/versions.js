// Versions of one thing: a list, and any two of them side by side with what differs marked.
import { diffLines, diffWordsWithSpace } from 'diff';
import { h, narrow } from '../dom.js';
import { timeText } from '../form.js';
import { timeOf } from '../vocabulary.js';
import { textDiff } from './diff.js';
import { pageLink, titleOf } from './names.js';
import { statusChip } from './head.js';
import { bounded } from './texts.js';

const LISTED = 8;
const CHOICES = 200;
const SIDE_MAX = 20_000;

export const textOfVersion = ({ record }) => record?.content ?? record?.promptText ?? record?.summary ?? null;

export function versionsSection(view, list, own) {
  const newest = [...list].reverse();
  return {
    name: 'versions',
    title: 'Versions',
    body: [
      h(
        'ol',
        { class: 'plain versions', reversed: true },
        bounded(view, 'versions', newest, LISTED, (version, i) => {
          const at = timeOf(version);
          return h(
            'li',
            { 'data-entry': i, 'aria-current': version.ref === view.node.ref ? 'page' : null },
            h('b', {}, `${version.version} `),
            version.ref === view.node.ref ? h('span', {}, titleOf(version, 120)) : pageLink(version.ref, titleOf(version, 120)),
            version.ref === view.node.ref && h('span', { class: 'chip' }, 'this page'),
            version.status && version.status !== 'active' && statusChip(version.status),
            at !== null && h('span', { class: 'notes' }, timeText(at)),
          );
        }),
      ),
      comparison(view, list, own),
    ],
  };
}

/** Two versions that the reader chooses; first the one before the page's, and the page's. */
function comparison(view, list, own) {
  const last = list.length - 1;
  const at = own < 0 ? last : own;
  const chosen = view.held('versions', () => ({ a: list[at === 0 ? 0 : at - 1].ref, b: list[at === 0 ? 1 : at].ref }));
  const place = (ref) => Math.max(0, list.findIndex((version) => version.ref === ref));
  const stage = h('div', { class: 'compared' });
  const draw = () => stage.replaceChildren(...compared(view, list[place(chosen.a)], list[place(chosen.b)]));
  const select = (side, text) =>
    h(
      'label',
      {},
      `${text} `,
      h(
        'select',
        {
          id: `versions-${side}`,
          onchange: ({ target }) => {
            chosen[side] = target.value;
            draw();
          },
        },
        list.slice(-CHOICES).map((version) =>
          h('option', { value: version.ref, selected: version.ref === chosen[side] }, `version ${version.version}`),
        ),
      ),
    );
  draw();
  return h(
    'div',
    { 'data-key': `${chosen.a} ${chosen.b}` },
    h('div', { class: 'version-choice', 'data-copy': 'no' }, select('a', 'Compare'), select('b', 'with')),
    stage,
  );
}

function compared(view, a, b) {
  const [before, after] = [textOfVersion(a), textOfVersion(b)];
  if (before === null || after === null)
    return [h('p', { class: 'faint' }, 'The text of one of them was not recorded, or is gone.')];
  if (before === after) return [h('p', { class: 'faint' }, 'Their texts are the same.')];
  if (narrow() || before.length + after.length > SIDE_MAX) return [textDiff(before, after)];
  const parts = (before.length + after.length < SIDE_MAX / 2 ? diffWordsWithSpace : diffLines)(before, after, { timeout: 400 });
  if (!parts) return [textDiff(before, after)];
  const side = (version, mark, isOwn) =>
    h(
      'div',
      { class: 'side' },
      h('h3', {}, `Version ${version.version}`),
      h(
        'div',
        { class: 'text diff', dir: 'auto' },
        parts.filter(isOwn).map((part) => (part.added || part.removed ? h(mark, {}, part.value) : part.value)),
      ),
    );
  return [
    h(
      'div',
      { class: 'sides' },
      side(a, 'del', ({ added }) => !added),
      side(b, 'ins', ({ removed }) => !removed),
    ),
  ];
}
