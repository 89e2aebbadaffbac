// The start page: the newest answers, what needs somebody's eyes, and what is in the graph; of an empty store, how to fill it.
import { byId, h, show } from '../dom.js';
import { blameWords, countText, dayText, minuteText, plural } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { momentOf } from '../server/load.js';
import { DEFAULTS, go, hashOf, now, pageHash } from '../state.js';
import { TYPES, typeName } from '../vocabulary.js';
import { firstWords, nameOfAct, newestActs, ratingOf } from './acts.js';
import { answersHash } from './answers.js';
import { firstSteps } from './first_steps.js';
import { needsEyes } from './needs_eyes.js';
import { titleOf } from '../read/names.js';
import { failureOf } from '../read/texts.js';

const NEWEST_MAX = 8;
/** While records come in, what costs the server more than a glance is asked again this often at most. */
const SLOW_MS = 10_000;

export class Start {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {() => void} about opens the about box */
  constructor(rpc, about) {
    this.rpc = rpc;
    this.about = about;
    this.turn = 0;
    this.slow = { at: -Infinity, asOf: undefined, eyes: null };
  }

  async show(asOf, isLive = false) {
    const turn = ++this.turn;
    const info = await this.rpc.call('server.info', momentOf(asOf));
    const total = sum(info.nodes);
    const [acts, slow] = await Promise.all([
      total ? newestActs(this.rpc, info.nodes, asOf, NEWEST_MAX) : [],
      total ? this.eyesOf(info, asOf, isLive) : null,
    ]);
    if (turn !== this.turn) return;
    const focused = isLive ? document.activeElement?.closest('#start-content a')?.getAttribute('href') : null;
    show(
      byId('start-content'),
      h('p', { class: 'lead' }, lead(info, total, asOf)),
      total
        ? [
            h('div', { class: 'columns' }, newest(acts), eyes(slow)),
            inGraph(info.nodes),
          ]
        : asOf === null
          ? firstSteps()
          : nothingThen(),
      h(
        'p',
        { class: 'version' },
        h(
          'button',
          {
            type: 'button',
            class: 'link',
            id: 'about-button',
            'aria-haspopup': 'dialog',
            title: 'About this server (a)',
            onclick: this.about,
          },
          `Whence ${info.version}`,
        ),
      ),
    );
    if (focused)
      byId('start-content')
        .querySelector(`a[href="${CSS.escape(focused)}"]`)
        ?.focus();
  }

  async eyesOf(info, asOf, isLive) {
    const known = this.slow;
    if (isLive && known.eyes && known.asOf === asOf && performance.now() - known.at < SLOW_MS) return known.eyes;
    const found = await needsEyes(this.rpc, info.nodes, asOf);
    this.slow = { at: performance.now(), asOf, eyes: found };
    return found;
  }

}

/** The list of a type: answers have their table. */
const listHash = (type) =>
  type === 'Response' || type === 'Answer'
    ? answersHash({ kind: type === 'Answer' ? 'answer' : '' })
    : hashOf({ ...DEFAULTS, live: now().live, as_of: now().as_of, view: 'search', types: type });

function inGraph(nodes) {
  const types = [...Object.keys(TYPES), ...Object.keys(nodes).filter((type) => !TYPES[type])].filter((type) => nodes[type] > 0);
  return h(
    'section',
    { 'aria-label': 'In the graph' },
    h('h2', {}, 'In the graph'),
    h(
      'div',
      { class: 'counts' },
      types.map((type) =>
        h('a', { class: 'card', href: listHash(type) }, glyph(type), h('b', {}, countText(nodes[type])), h('span', {}, typeName(type))),
      ),
    ),
  );
}

const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);

const lead = (info, total, asOf) =>
  total === 0
    ? 'Here is seen what every answer was made from, and what was made from it.'
    : `${asOf === null ? '' : 'At the moment below: '}${plural(total, 'record')} and ${plural(sum(info.edges), 'edge')}. Search one, or open an answer to see what it was ` +
      'made from and what was made from it.';

const nothingThen = () =>
  h(
    'p',
    { class: 'nothing-then' },
    'Nothing had been recorded by then. A moment means when records were written, not the times that are in them. ',
    h('button', { type: 'button', class: 'link', onclick: () => go({ as_of: null }) }, 'Show it as it is now'),
  );

function newest(acts) {
  return h(
    'section',
    { class: 'entries', 'aria-label': 'Newest answers' },
    h('div', { class: 'head' }, h('h2', {}, 'Newest answers'), h('a', { href: answersHash() }, 'All answers')),
    acts.length ? acts.map(actEntry) : h('p', { class: 'sub' }, 'No answer was recorded as of this moment.'),
  );
}

function actEntry(act) {
  const { node, question, said, agent, model, time, remark, isLastOfSeveral } = act;
  const by = [agent, model].filter(Boolean).join(' · ');
  const failure = firstWords(failureOf(node.record));
  return h(
    'a',
    { class: 'entry', href: pageHash(node.ref), 'data-ref': node.ref },
    glyph(node.type),
    h('span', { class: 'title' }, nameOfAct(act)),
    firstWords(remark, 300)
      ? h('span', { class: 'said' }, `“${firstWords(remark, 300)}”`)
      : question && (said || failure) && h('span', { class: 'said' }, said || `failed: ${failure}`),
    h('span', { class: 'sub' }, h('bdi', {}, by), [by && time && ' · ', time && minuteText(time), isLastOfSeveral && ' · last of several calls']),
    ratingOf(act),
  );
}

function nodeEntry(node, sub) {
  return h(
    'a',
    { class: 'entry', href: pageHash(node.ref), 'data-ref': node.ref },
    glyph(node.type),
    h('span', { class: 'title' }, titleOf(node, 90)),
    h('span', { class: 'sub' }, h('bdi', {}, firstWords(sourceOf(node), 120)), sub && ` · ${sub}`),
  );
}

const sourceOf = ({ type, id, record }) => record?.source ?? record?.document_name ?? `${typeName(type)} ${id}`;

function eyes({ bad, deprecated, stale, blamed }) {
  const part = (title, entries) => entries.length > 0 && h('div', { class: 'entries' }, h('h3', {}, title), entries);
  const isQuiet = !bad.length && !deprecated.length && !stale.length && !blamed.length;
  return h(
    'section',
    { class: 'eyes', 'aria-label': 'Worth a look' },
    h('h2', {}, 'Worth a look'),
    isQuiet && h('p', { class: 'sub' }, 'Nothing is rated badly, and nothing was deprecated.'),
    part('Badly rated', bad.map(actEntry)),
    part(
      'Newly deprecated',
      deprecated.map(({ node, at }) => nodeEntry(node, at && `deprecated ${dayText(at)}`)),
    ),
    part(
      'Stale: changed since answers were made from it',
      stale.map(({ node, at }) =>
        nodeEntry(node, [node.reasons.join(', '), at && `newer version of ${dayText(at)}`].filter(Boolean).join(' · ')),
      ),
    ),
    part(
      'Blame: sources of bad answers',
      blamed.map((node) => nodeEntry(node, blameWords(node))),
    ),
  );
}
