// Comparing: the dialog that asks with what, and the banner that says what is compared.
import { byId, h, show } from '../dom.js';
import { countText, plural, shortNumber } from '../form.js';
import { go, now } from '../state.js';
import { idOfRef, labelOf, shortId } from '../vocabulary.js';

/** Asks for another moment or another node. */
export function openCompare(headTx) {
  const dialog = byId('compare-dialog');
  const { ref, as_of: asOf } = now();
  const least = typeof asOf === 'number' ? asOf : headTx;
  const moment = h('input', {
    type: 'number',
    id: 'compare-tx',
    min: 0,
    max: headTx,
    value: Math.max(0, least - 1),
    required: true,
  });
  const other = h('input', { type: 'text', id: 'compare-ref', placeholder: 'Response:resp_… or resp_…' });
  const start = (value, view = '') => {
    dialog.close();
    go({ view, with: value, x: [], focus: false });
  };
  show(
    dialog,
    h('h2', {}, 'Compare'),
    h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault();
          start(`tx:${Number(moment.value)}`);
        },
      },
      h('h3', {}, 'With an earlier moment'),
      h('label', {}, `What has changed around this node since transaction (0 to ${countText(headTx)}) `, moment),
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary', id: 'compare-moment' }, 'Compare moments'),
      ),
    ),
    h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault();
          if (other.value.trim()) start(other.value.trim());
        },
      },
      h('h3', {}, 'With another node'),
      h('label', {}, `What differs in what ${shortId(idOfRef(ref))} and another node were made from `, other),
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'submit', id: 'compare-nodes' }, 'Compare nodes'),
        h(
          'button',
          {
            type: 'button',
            id: 'compare-read',
            title: 'What both say by words, what they have in common and what one lacks, as a page',
            onclick: () => other.value.trim() && start(other.value.trim(), 'page'),
          },
          'Side by side',
        ),
      ),
    ),
    h('p', { class: 'actions' }, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel')),
  );
  dialog.showModal();
}

/** Says above the picture what is compared or affected, or which path is marked; nothing where none is. */
export function showBanner(loaded, path) {
  const banner = byId('banner');
  const { compared, impact, model } = loaded;
  banner.hidden = !compared && !impact && !path;
  if (path) show(banner, pathText(path, model), leave('End path', { path: '' }));
  else if (compared)
    show(
      banner,
      comparedText(compared),
      ...marks(model, compared),
      compared.kind === 'pair' &&
        h(
          'button',
          { type: 'button', id: 'banner-read', onclick: () => go({ view: 'page', x: [], focus: false }) },
          'Side by side',
        ),
      leave('End comparison', { with: '' }),
    );
  else if (impact) show(banner, impactText(impact, model), leave('Back to the neighbourhood', { view: '' }));
}

function pathText({ from, to, way, isInfluence, weight }, model) {
  const name = (ref) => h('b', {}, model.nodes.has(ref) ? labelOf(model.nodes.get(ref), 40) : shortId(idOfRef(ref)));
  if (!to || from === to) return h('span', {}, 'Path from ', name(from), ': select where it ends.');
  if (!way) return h('span', {}, 'What is shown has no path from ', name(from), ' to ', name(to), '.');
  const steps = plural(way.length - 1, 'step');
  const strength = weight === undefined ? '' : `, its weights multiply to ${shortNumber(weight)}`;
  return isInfluence
    ? h('span', {}, name(way[0]), ' influenced ', name(way.at(-1)), weight === undefined ? `: ${steps} on the shortest path` : `: ${steps} on the strongest path${strength}`)
    : h('span', {}, 'No influence between ', name(from), ' and ', name(to), `; linked in ${steps}`);
}

const leave = (text, changes) => h('button', { type: 'button', id: 'banner-leave', onclick: () => go(changes) }, text);

function comparedText({ kind, a, b }) {
  return kind === 'moments'
    ? h('span', {}, `Transaction ${countText(a)} compared with `, h('b', {}, `transaction ${countText(b)}`))
    : h('span', {}, h('b', {}, shortId(idOfRef(b))), ` compared with ${shortId(idOfRef(a))}`);
}

const SIGNS = { added: '+', removed: '−', reweighted: '~' };

function marks(model, { kind, a, b }) {
  const count = (mark) => [...model.nodes.values()].filter((node) => node.mark === mark).length;
  const names =
    kind === 'moments'
      ? { added: 'added', removed: 'removed', reweighted: 'with other weight' }
      : {
          added: `only behind ${shortId(idOfRef(b))}`,
          removed: `only behind ${shortId(idOfRef(a))}`,
          reweighted: 'with other weight',
        };
  return Object.entries(names).map(([mark, text]) =>
    h('span', { class: mark }, `${SIGNS[mark]} ${count(mark)} ${text}`),
  );
}

function impactText(impact, model) {
  const total = Object.values(impact.counts.by_type).reduce((sum, count) => sum + count, 0);
  const drawn = [...model.nodes.values()].filter((node) => node.share !== undefined).length;
  const rest = drawn < total ? `; the picture has the nearest ${countText(drawn)}` : '';
  if (total === 0) return h('span', {}, `No text rests on ${shortId(idOfRef(model.root))}.`);
  return h(
    'span',
    {},
    h('b', {}, plural(total, 'text')),
    ` rest on ${shortId(idOfRef(model.root))}${rest}. Numbers in the picture are its share in each.`,
  );
}
