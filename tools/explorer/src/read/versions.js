// Versions of one thing: a list, and any two of them side by side with what differs marked.
import { diffLines, diffWordsWithSpace } from 'diff';
import { h, narrow } from '../dom.js';
import { timeText } from '../form.js';
import { idOfRef, timeOf } from '../vocabulary.js';
import { textDiff } from './diff.js';
import { pageLink, titleOf } from './names.js';
import { statusChip } from './head.js';
import { bounded } from './texts.js';

const LISTED = 8;
const CHOICES = 200;
const SIDE_MAX = 20_000;

export const textOfVersion = ({ record }) => record?.content ?? record?.promptText ?? record?.summary ?? null;

export const versionsSection = (view, list, own) => ({
  name: 'versions',
  title: 'Versions',
  body: async () => [await versionList(view, list), await comparison(view, list, own)],
});

async function versionList(view, list) {
  const shown = [...list].reverse();
  const known = await view.ask.nodes(shown.slice(0, view.limit('versions', LISTED)).map(({ ref }) => ref));
  return h(
    'ol',
    { class: 'plain versions' },
    bounded(view, 'versions', shown, LISTED, ({ ref, version }, i) => {
      const node = known.get(ref) ?? { ref, id: idOfRef(ref) };
      const isOwn = ref === view.node.ref;
      const at = known.has(ref) ? timeOf(node) : null;
      return h(
        'li',
        { 'data-entry': i, 'aria-current': isOwn ? 'page' : null },
        h('b', {}, `${version} `),
        isOwn ? h('span', {}, titleOf(node, 120)) : pageLink(ref, titleOf(node, 120)),
        isOwn && h('span', { class: 'chip' }, 'this page'),
        node.status && node.status !== 'active' && statusChip(node.status),
        at !== null && h('span', { class: 'notes' }, timeText(at)),
      );
    }),
  );
}

/** Two versions that the reader chooses; first the one before the page's, and the page's. */
async function comparison(view, list, own) {
  const at = own < 0 ? list.length - 1 : own;
  const chosen = view.held('versions', () => ({
    a: list[at === 0 ? 0 : at - 1].ref,
    b: list[at === 0 ? 1 : at].ref,
  }));
  const stage = h('div', { class: 'compared' });
  const draw = async () => {
    const [a, b] = [chosen.a, chosen.b];
    const known = await view.ask.nodes([...new Set([a, b])]);
    const of = (ref) => ({ ...known.get(ref), version: list.find((version) => version.ref === ref)?.version });
    if (a === chosen.a && b === chosen.b) stage.replaceChildren(...compared(of(a), of(b)));
  };
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
        choices(list, at).map((version) =>
          h('option', { value: version.ref, selected: version.ref === chosen[side] }, `version ${version.version}`),
        ),
      ),
    );
  await draw();
  return [h('div', { class: 'version-choice', 'data-copy': 'no' }, select('a', 'Compare'), select('b', 'with')), stage];
}

/** The versions to choose from: of very many the first, those about the page's, and the newest. */
function choices(list, at) {
  if (list.length <= CHOICES) return list;
  const about = CHOICES / 2;
  return list.filter((_, i) => i === 0 || i >= list.length - about || Math.abs(i - at) <= about / 2);
}

function compared(a, b) {
  const [before, after] = [textOfVersion(a), textOfVersion(b)];
  if (before === null || after === null)
    return [h('p', { class: 'faint' }, 'The text of one of them was not recorded, or is gone.')];
  if (before === after) return [h('p', { class: 'faint' }, 'Their texts are the same.')];
  if (narrow() || before.length + after.length > SIDE_MAX) return [textDiff(before, after)];
  const parts = (before.length + after.length < SIDE_MAX / 2 ? diffWordsWithSpace : diffLines)(before, after, {
    timeout: 400,
  });
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
