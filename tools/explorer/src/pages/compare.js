// Comparing: the dialog that asks with what, and the banner that says what is compared.
import { byId, debounced, h, show } from '../dom.js';
import { countText, plural, shortNumber, timeText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { Ask, newestOf } from '../read/ask.js';
import { hasActs, isAct, whatHappened } from '../read/generic.js';
import { countsText, pluralName, titleOf } from '../read/names.js';
import { momentOf } from '../server/load.js';
import { inWords, similarNames, unknownName } from '../server/unknown.js';
import { go, now } from '../state.js';
import { idOfRef, shortId } from '../vocabulary.js';
import { Index, metaOf } from './found.js';

const OFFERED_MAX = 6;
/** How many of a node's own transactions are offered, the newest ones. */
const OWN_MAX = 50;

/**
 * The transactions that changed a node, the newest first, as moments to compare with: right before each, and right after the one that
 * recorded it, before which there was nothing.
 */
async function ownMoments(rpc, ref, asOf, least) {
  const history = await newestOf(new Ask(rpc, asOf), 'history.get', { ref }, 'events', OWN_MAX);
  const whats = new Map();
  for (const event of history?.events ?? []) whats.set(event.tx, [...(whats.get(event.tx) ?? []), event]);
  return [...whats].reverse().map(([tx, events]) => {
    const isAfter = events.some(({ op }) => op === 'put') && tx < least;
    const what = [...new Set(events.map(whatHappened))].join(', ');
    return { since: isAfter ? tx : tx - 1, text: `${isAfter ? 'after' : 'before'}: ${what} · ${timeText(events[0].at)} · transaction ${countText(tx)}` };
  });
}

/** Asks for another moment or another node. What is not there is said in the dialog, and the picture stays. */
export async function openCompare(rpc, headTx) {
  const dialog = byId('compare-dialog');
  const { ref, as_of: asOf } = now();
  const least = typeof asOf === 'number' ? asOf : headTx;
  const moments = await ownMoments(rpc, ref, asOf, least);
  if (dialog.open || now().ref !== ref) return;
  const moment = h('input', {
    type: 'number',
    id: 'compare-tx',
    min: 0,
    max: headTx,
    value: moments[0]?.since ?? Math.max(0, least - 1),
    required: true,
    oninput: () => (own.value = moment.value),
  });
  const own = h(
    'select',
    { id: 'compare-own', onchange: () => (moment.value = own.value) },
    moments.map(({ since, text }) => h('option', { value: since }, text)),
  );
  const time = h('input', { type: 'datetime-local', id: 'compare-at', step: 1 });
  const other = h('input', { type: 'text', id: 'compare-ref', placeholder: 'a ref, an id, or words in it', autocomplete: 'off' });
  const offered = h('div', { class: 'offered', role: 'group', 'aria-label': 'Nodes with these words' });
  const note = h('p', { class: 'bad-note', id: 'compare-note', role: 'alert' });
  const start = (value, view = '') => {
    dialog.close();
    go({ view, with: value, x: [], focus: false });
  };
  /** The last transaction at a time is the server's to say. */
  const startMoment = async () => {
    if (!time.value) {
      start(`tx:${Number(moment.value)}`);
      return;
    }
    try {
      const { tx } = await rpc.call('server.info', { as_of: new Date(time.value).toISOString() });
      start(`tx:${tx}`);
    } catch (error) {
      show(note, inWords(error));
    }
  };
  /** What was written and pressed so far: what is found for something older is not shown over what was said since. */
  let asked = 0;
  const startNode = async (view = '') => {
    const wanted = other.value.trim();
    if (!wanted) return;
    asked += 1;
    try {
      const { nodes } = await rpc.call('node.get', { ref: wanted, ...momentOf(asOf) });
      start(nodes[0].ref, view);
    } catch (error) {
      const isName = unknownName(error) !== null;
      show(note, inWords(error, asOf), isName && ' Write words in it, and choose one.');
      if (isName) offerSimilar(wanted, await similarNames(rpc, error, momentOf(asOf)));
    }
  };
  const choose = (node) => {
    other.value = node.ref;
    show(offered);
    show(note);
    other.focus();
  };
  const entry = (node) =>
    h(
      'button',
      { type: 'button', 'data-ref': node.ref, onclick: () => choose(node) },
      glyph(node.type),
      h('span', { class: 'ellipsis' }, h('bdi', {}, titleOf(node, 80))),
      h('span', { class: 'sub' }, metaOf(node)),
    );
  /** What is called nearly as what was written, where that is still there. */
  const offerSimilar = async (wanted, refs) => {
    if (!refs.length) return;
    const answer = await rpc.call('node.get', { refs, include: ['record', 'status'], ...momentOf(asOf) }).catch(() => null);
    if (answer && wanted === other.value.trim()) show(offered, answer.nodes.map(entry));
  };
  const index = new Index(rpc);
  const offer = debounced(async (turn) => {
    if (turn !== asked) return;
    const text = other.value.trim();
    const found = text.length > 1 ? await index.ask(text, { limit: OFFERED_MAX, asOf }).catch(() => null) : null;
    if (turn !== asked) return;
    show(offered, (found?.nodes ?? []).filter((node) => node.ref !== ref).map(entry));
  }, 130);
  other.addEventListener('input', () => {
    asked += 1;
    show(note);
    offer(asked);
  });
  show(
    dialog,
    h('h2', {}, 'Compare'),
    h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault();
          startMoment();
        },
      },
      h('h3', {}, 'With an earlier moment'),
      moments.length > 0 && h('label', {}, 'What has changed around it since one of its own changes ', own),
      h('label', {}, `${moments.length ? 'or' : 'What has changed around it'} since transaction (0 to ${countText(headTx)}) `, moment),
      h('label', {}, 'or since ', time),
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
          startNode();
        },
      },
      h('h3', {}, 'With another node'),
      h('label', {}, 'What differs in what it and another node were made from ', other),
      offered,
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
            onclick: () => startNode('page'),
          },
          'Side by side',
        ),
      ),
    ),
    note,
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
      comparedText(compared, model),
      marks(model, compared),
      h(
        'span',
        { class: 'buttons' },
        compared.kind === 'pair' &&
          h(
            'button',
            { type: 'button', id: 'banner-read', onclick: () => go({ view: 'page', x: [], focus: false }) },
            'Side by side',
          ),
        leave('End comparison', { with: '' }),
      ),
    );
  else if (impact) show(banner, impactText(impact, model), leave('Back to the neighbourhood', { view: '' }));
}

/** By whom and when an answer was given fits in it. */
const NAME_MAX = 70;

/** A node by its first words; by its id where it is not in the picture. */
const nameOf = (ref, model) => nameIn(ref, model).replace(/[.:;,]$/, ''); // it stands within a sentence

const nameIn = (ref, model) => (model.nodes.has(ref) ? titleOf(model.nodes.get(ref), NAME_MAX) : shortId(idOfRef(ref)));

function pathText({ from, to, way, isInfluence, weight }, model) {
  const name = (ref) => h('b', {}, nameOf(ref, model));
  if (!to || from === to) return h('span', {}, 'Path from ', name(from), ': select where it ends.');
  if (!way) return h('span', {}, 'There is no path from ', name(from), ' to ', name(to), '.');
  const steps = plural(way.length - 1, 'step');
  const strength = weight === undefined ? '' : `, its weights multiply to ${shortNumber(weight)}`;
  return isInfluence
    ? h('span', {}, name(way[0]), ' influenced ', name(way.at(-1)), weight === undefined ? `: ${steps} on the shortest path` : `: ${steps} on the strongest path${strength}`)
    : h('span', {}, 'No influence between ', name(from), ' and ', name(to), `; linked in ${steps}`);
}

const leave = (text, changes) => h('button', { type: 'button', id: 'banner-leave', onclick: () => go(changes) }, text);

function comparedText({ kind, a, b, times }, model) {
  const moment = (tx, at) => `ransaction ${countText(tx)}${at ? ` (${timeText(at)})` : ''}`;
  return kind === 'moments'
    ? h('span', {}, `T${moment(a, times[0])} compared with `, h('b', {}, `t${moment(b, times[1])}`))
    : h('span', {}, h('b', {}, nameOf(a, model)), ' compared with ', h('b', {}, nameOf(b, model)));
}

const SIGNS = { added: '+', removed: '−', reweighted: '~' };

/** How many nodes differ, by how; what no node does is left out. */
function marks(model, { kind }) {
  const nodes = [...model.nodes.values()];
  const names =
    kind === 'moments'
      ? { added: 'added', removed: 'removed', reweighted: 'with other weight' }
      : {
          added: 'only behind the second',
          removed: 'only behind the first',
          reweighted: 'with other weight',
        };
  const count = (is, text, mark) => {
    const many = nodes.filter(is).length;
    return many > 0 && h('span', { class: mark }, `${mark ? `${SIGNS[mark]} ` : ''}${countText(many)} ${text}`);
  };
  const counts = [
    ...Object.entries(names).map(([mark, text]) => count((node) => node.mark === mark, text, mark)),
    count(({ was }) => was, 'with another status', null),
  ].filter(Boolean);
  return counts.length ? counts : h('span', {}, 'Nothing differs in what is shown.');
}

/** Answers by their type, and what else there is by the type of the most: `1 response and 7 keywords and other records`. */
function restingText({ Response, Answer, ...others }) {
  const acts = Object.fromEntries(Object.entries({ Response, Answer }).filter(([, many]) => many > 0));
  const [[most] = []] = Object.entries(others).sort((a, b) => b[1] - a[1]);
  const many = Object.values(others).reduce((sum, count) => sum + count, 0);
  const rest = most && `${countText(many)} ${pluralName(most, many)}${Object.keys(others).length > 1 ? ' and other records' : ''}`;
  return [countsText(acts), rest].filter(Boolean).join(' and ');
}

function impactText(impact, model) {
  const { by_type: byType } = impact.counts;
  const total = Object.values(byType).reduce((sum, count) => sum + count, 0);
  const drawn = [...model.nodes.values()].filter((node) => node.share !== undefined).length;
  const rest = drawn < total ? `; the picture has the nearest ${countText(drawn)}` : '';
  const root = model.nodes.get(model.root);
  const no = `No ${isAct(root) ? 'other ' : ''}answer rests on ${nameOf(model.root, model)}`;
  if (total === 0) return h('span', {}, `${no}, and nothing else does.`);
  return h(
    'span',
    {},
    hasActs(byType) ? h('b', {}, restingText(byType)) : [no, ', but ', h('b', {}, restingText(byType))],
    hasActs(byType) ? ` ${total === 1 ? 'rests' : 'rest'} on ${nameOf(model.root, model)}` : total === 1 ? ' does' : ' do',
    `${rest}. Numbers in the picture are its share in each.`,
  );
}
