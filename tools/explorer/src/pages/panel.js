// The side panel: everything about the selected node, and what impact or a comparison lists.
import { byId, h, show } from '../dom.js';
import { countText, plural, scoreText, shortNumber, timeText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { momentOf } from '../server/load.js';
import { glance, glanceText } from '../read/glance.js';
import { hasActs, isAct, noAnswer, shareNote, throughText, whatHappened } from '../read/generic.js';
import { titleOf } from '../read/names.js';
import { raterLink } from '../read/ratings.js';
import { strongestFirst } from '../read/questions/side_by_side.js';
import { ratingOf } from './acts.js';
import { fields } from './record_view.js';
import { inWords } from '../server/unknown.js';
import { open, openPage } from '../state.js';
import { RATED, edgeName, hasInfluence, idOfRef, labelOf, runsAlong, shortId, typeName, typeOfRef } from '../vocabulary.js';

const NEIGHBOURS_MAX = 100;
const LISTED_MAX = 200;
/** Of the first so many nodes of a list the ratings are asked for. */
const RATED_MAX = 60;

export class Panel {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {{select(ref: string): void, compare(ref: string): void,
   *   pin(ref: string): void, isPinned(ref: string): boolean}} actions */
  constructor(rpc, actions) {
    this.rpc = rpc;
    this.actions = actions;
    this.box = byId('panel');
    this.content = byId('panel-content');
    this.turn = 0;
    this.model = null; // what the picture shows, so that links can select in it
    this.ratings = new WeakMap();
    this.opened = new Map(); // sections that the reader opened or closed, for the next nodes, too
    byId('panel-close').addEventListener('click', () => actions.select(''));
    byId('panel-grip').addEventListener('click', () => {
      const isTall = this.box.classList.toggle('tall');
      byId('panel-grip').setAttribute('aria-expanded', String(isTall));
    });
  }

  hide() {
    this.turn += 1;
    this.open(false);
    show(this.content);
  }

  open(isOpen) {
    this.box.hidden = !isOpen;
    byId('details-button').setAttribute('aria-pressed', String(isOpen));
  }

  /** Shows something that is no node. @param {string} key what it is @param {Promise} content */
  async showOther(key, content) {
    const turn = ++this.turn;
    const parts = await content;
    if (turn !== this.turn) return;
    const top = this.box.dataset.ref === key ? this.box.scrollTop : 0;
    this.open(true);
    this.box.dataset.ref = key;
    show(this.content, parts);
    this.box.scrollTop = top;
  }

  /** Shows a node as of a moment; `extra` (an impact or a comparison) is shown above its record. */
  async show(ref, asOf, extra = null) {
    const turn = ++this.turn;
    try {
      const parts = await this.ask(ref, asOf);
      if (turn !== this.turn) return;
      const top = this.box.dataset.ref === ref ? this.box.scrollTop : 0;
      this.open(true);
      this.box.dataset.ref = ref;
      show(this.content, this.head(parts), extra, this.sections(parts));
      this.box.scrollTop = top;
    } catch (error) {
      if (turn !== this.turn) return;
      this.open(true);
      show(this.content, h('h2', {}, idOfRef(ref)), h('p', {}, inWords(error, asOf)));
    }
  }

  async ask(ref, asOf) {
    const moment = momentOf(asOf);
    const optional = (method, params) => this.rpc.call(method, { ...params, ...moment }).catch(() => null);
    const node = (await this.rpc.call('node.get', { ref, include: ['record', 'status', 'edges'], ...moment })).nodes[0];
    const [versions, feedback, history, attachment] = await Promise.all([
      optional('versions.list', { ref, include: ['record'] }),
      RATED.has(node.type) ? optional('feedback.list', { ref }) : null,
      optional('history.get', { ref }),
      node.type === 'XMLMessageAttachment' ? optional('attachment.get', { hash: node.id }) : null,
    ]);
    return { node, versions, feedback, history, attachment, words: await glance(node, optional) };
  }

  head({ node, feedback, words }) {
    const score = feedback?.aggregate_score ?? feedback?.mean_score;
    const chips = [
      node.status && h('span', { class: `chip ${node.status}` }, node.status),
      feedback?.feedback_count > 0 && typeof score === 'number' && h('span', { class: 'chip' }, `score ${scoreText(score)}`),
      feedback?.feedback_count > 0 && h('span', { class: 'chip' }, plural(feedback.feedback_count, 'rating')),
    ];
    const isRoot = this.model?.root === node.ref;
    return [
      h('div', { class: 'kind' }, glyph(node.type), typeName(node.type)),
      h('h2', { dir: 'auto' }, words.title),
      glanceText(words),
      h('div', { class: 'ref mono' }, node.ref),
      h('div', { class: 'chips' }, chips),
      h(
        'div',
        { class: 'actions' },
        h(
          'button',
          {
            type: 'button',
            id: 'panel-read',
            class: 'primary',
            title: 'Its page to read (r)',
            onclick: () => openPage(node.ref),
          },
          'Read',
        ),
        h('button', { type: 'button', id: 'panel-open', disabled: isRoot, onclick: () => open(node.ref) }, 'Open'),
        h(
          'button',
          { type: 'button', id: 'panel-impact', onclick: () => open(node.ref, { view: 'impact' }) },
          'Impact',
        ),
        !isRoot &&
          this.model?.root &&
          h('button', { type: 'button', onclick: () => this.actions.compare(node.ref) }, 'Compare'),
        h(
          'button',
          {
            type: 'button',
            id: 'panel-pin',
            title: 'Stays in the picture, whatever else it shows (k)',
            'aria-pressed': String(this.actions.isPinned(node.ref)),
            onclick: ({ currentTarget }) => {
              this.actions.pin(node.ref);
              currentTarget.setAttribute('aria-pressed', String(this.actions.isPinned(node.ref)));
            },
          },
          'Pin',
        ),
        h('button', { type: 'button', onclick: () => navigator.clipboard?.writeText(node.ref) }, 'Copy ref'),
      ),
    ];
  }

  sections({ node, versions, feedback, history, attachment }) {
    const section = (name, count, isOpen, ...content) =>
      h(
        'details',
        { open: this.opened.get(name) ?? isOpen, 'data-name': name },
        h(
          'summary',
          { onclick: (event) => this.opened.set(name, !event.currentTarget.parentElement.open) },
          name,
          count ? h('span', { class: 'count' }, ` ${typeof count === 'number' ? countText(count) : count}`) : null,
        ),
        content,
      );
    const { causes, effects, others } = sides(node);
    const all = this.allOf(node);
    return [
      section('Record', 0, true, node.record ? fields(node.record, this) : h('p', {}, 'The content has expired.')),
      attachment?.xml && section('XML', 0, true, h('pre', { class: 'xml', tabindex: 0 }, attachment.xml)),
      causes.length > 0 && section('Made from', countOf(causes, all.causes), true, this.links(causes, all.causes)),
      effects.length > 0 && section('Used for', countOf(effects, all.effects), true, this.links(effects, all.effects)),
      others.length > 0 && section('Also linked', others.length, false, this.links(others)),
      node.edges_total > node.edges.length &&
        h(
          'p',
          { class: 'sub' },
          `Of its ${countText(node.edges_total)} edges the first ${countText(node.edges.length)} were looked at.`,
        ),
      versions?.versions.length > 1 &&
        section('Versions', versions.versions.length, true, this.versions(versions.versions, node.ref)),
      feedback?.records.length > 0 &&
        section('Feedback', feedback.records.length, true, feedbackList(feedback.records)),
      history && section('History', history.events.length, false, historyList(history.events)),
    ];
  }

  /** How many neighbours a node has on each side, where more than the edges of the answer, as far as the picture knows. */
  allOf(node) {
    if (node.edges_total <= node.edges.length) return {};
    const { causesTotal = 0, effectsTotal = 0 } = this.model?.nodes.get(node.ref) ?? {};
    return { causes: causesTotal, effects: effectsTotal };
  }

  /** @param {{ref: string, edge: object}[]} entries @param {number} [all] how many there are, where more */
  links(entries, all = 0) {
    const rest = Math.max(all, entries.length) - NEIGHBOURS_MAX;
    return h(
      'ul',
      { class: 'list' },
      entries
        .slice(0, NEIGHBOURS_MAX)
        .map(({ ref, edge }) =>
          h(
            'li',
            {},
            h(
              'div',
              { class: 'line' },
              glyph(typeOfRef(ref)),
              this.link(ref),
              h('span', { class: 'number' }, [
                edgeName(edge.type),
                edge.weight === undefined ? '' : `, weight ${shortNumber(edge.weight)}`,
              ]),
            ),
          ),
        ),
      rest > 0 && h('li', {}, `and ${countText(rest)} more`),
    );
  }

  /** A node by its label: selects it where it is in the picture, else opens it. */
  link(ref, text = null) {
    const shown = this.model?.nodes.get(ref);
    const go = () => (shown ? this.actions.select(ref) : open(ref));
    return h(
      'button',
      { type: 'button', class: 'link', title: ref, 'data-ref': ref, onclick: go },
      text ?? (shown ? titleOf(shown, 60) : shortId(idOfRef(ref), 34)),
    );
  }

  versions(versions, own) {
    return h(
      'ul',
      { class: 'list' },
      versions.map((version) =>
        h(
          'li',
          {},
          h(
            'div',
            { class: 'line' },
            version.ref === own
              ? h('b', {}, `Version ${version.version}`)
              : this.link(version.ref, `Version ${version.version}`),
            h('span', { class: 'number' }, timeOfRecord(version.record)),
          ),
          h('div', { class: 'sub' }, labelOf(version, 90)),
        ),
      ),
    );
  }

  /** What rests on a node: counts by type and by depth, then all affected, the one it has the largest share in first. */
  impact(impact, drawn, asOf) {
    const { by_type: byType, by_depth: byDepth } = impact.counts;
    const total = Object.values(byType).reduce((sum, count) => sum + count, 0);
    return h(
      'details',
      { open: true, 'data-name': 'Impact', id: 'impact-list' },
      h('summary', {}, 'Impact', h('span', { class: 'count' }, ` ${countText(total)} affected`)),
      total === 0
        ? h('p', {}, 'No response, answer or text rests on this node.')
        : [
            !hasActs(byType) && h('p', {}, noAnswer(isAct(this.model.nodes.get(this.model.root)))),
            h('h3', {}, 'By type'),
            bars(byType, typeName),
            h('h3', {}, 'By steps'),
            bars(byDepth, (depth) => plural(Number(depth), 'step')),
            h(
              'ul',
              { class: 'list' },
              impact.nodes
                .slice(0, LISTED_MAX)
                .map((node, i) =>
                  h(
                    'li',
                    {},
                    h(
                      'div',
                      { class: 'line' },
                      glyph(node.type),
                      this.link(node.ref, titleOf(node, 60)),
                      isAct(node) && i < RATED_MAX && this.rating(node, asOf),
                      h('span', { class: 'number' }, shareNote(node), throughText(node) && ` · ${throughText(node)}`),
                    ),
                  ),
                ),
            ),
            total > LISTED_MAX &&
              h(
                'p',
                { class: 'sub' },
                `The ${LISTED_MAX} largest shares are listed; the picture has ${countText(drawn)}.`,
              ),
          ],
    );
  }

  /** The rating of an answer in a list, which is asked for once and comes later. */
  rating(node, asOf) {
    if (!this.ratings.has(node)) {
      const place = h('span');
      this.ratings.set(node, place);
      this.rpc.call('feedback.list', { ref: node.ref, limit: 1, ...momentOf(asOf) }).then(
        ({ mean_score: score = null, feedback_count: ratings = 0 }) => show(place, ratingOf({ score, ratings })),
        () => {}, // the list is whole without it
      );
    }
    return this.ratings.get(node);
  }

  /** What a comparison found in the ancestry. */
  compared({ listed }) {
    if (!listed) return null;
    const rows = (mark, sign, entries, text) =>
      entries.map((entry) =>
        h(
          'li',
          {},
          h(
            'div',
            { class: 'line' },
            h('b', { class: mark }, sign),
            this.link(entry.ref),
            h('span', { class: 'number' }, text(entry)),
          ),
        ),
      );
    const weight = (entry) => `weight ${shortNumber(entry.weight)}`;
    const all = [
      ...rows('added', '+', strongestFirst(listed.added), weight),
      ...rows('removed', '−', strongestFirst(listed.removed), weight),
      ...rows(
        'reweighted',
        '~',
        listed.reweighted,
        (entry) => `${shortNumber(entry.before)} → ${shortNumber(entry.after)}`,
      ),
    ];
    return h(
      'details',
      { open: true, 'data-name': 'Difference', id: 'difference-list' },
      h('summary', {}, 'Difference in ancestry', h('span', { class: 'count' }, ` ${countText(all.length)}`)),
      all.length ? h('ul', { class: 'list' }, all.slice(0, LISTED_MAX)) : h('p', {}, 'Both rest on the same.'),
    );
  }
}

const timeOfRecord = (record) => {
  const value = record?.timestamp ?? record?.createdAt;
  return value === undefined ? '' : timeText(value);
};

/** Neighbours by side, strongest edges first; edges without influence apart, feedback left to its own list. */
function sides(node) {
  const causes = [];
  const effects = [];
  const others = [];
  for (const edge of node.edges ?? []) {
    const isFrom = edge.from === node.ref;
    const other = isFrom ? edge.to : edge.from;
    if (edge.type === 'EVALUATES' && !isFrom) continue;
    const list = !hasInfluence(edge) ? others : isFrom === runsAlong(edge) ? effects : causes;
    list.push({ ref: other, edge });
  }
  const byWeight = (a, b) => (b.edge.weight ?? 1) - (a.edge.weight ?? 1);
  return { causes: causes.sort(byWeight), effects: effects.sort(byWeight), others };
}

/** Edges of very many neighbours are not all there; how many there are is known where the picture has the node. */
const countOf = (entries, all = 0) => Math.max(entries.length, all);

const feedbackList = (records) =>
  h(
    'ul',
    { class: 'list' },
    records
      .slice(0, LISTED_MAX)
      .map((record) =>
        h(
          'li',
          {},
          h(
            'div',
            { class: 'line' },
            h('b', {}, record.score === undefined ? 'no score' : scoreText(record.score)),
            record.user_id && raterLink(record.user_id),
            h('span', { class: 'number' }, timeText(record.timestamp)),
          ),
          record.feedback_text && h('div', {}, record.feedback_text),
        ),
      ),
  );

const historyList = (events) =>
  h(
    'ul',
    { class: 'list' },
    events
      .slice(0, LISTED_MAX)
      .map((event) =>
        h(
          'li',
          {},
          h(
            'div',
            { class: 'line' },
            h('b', {}, whatHappened(event)),
            event.score === undefined ? '' : `score ${scoreText(event.score)}`,
            event.reason && h('bdi', {}, event.reason),
            h(
              'button',
              { type: 'button', class: 'link number', title: timeText(event.at), 'data-moment': event.tx },
              `transaction ${event.tx}`,
            ),
          ),
        ),
      ),
  );

function bars(counts, name) {
  const most = Math.max(...Object.values(counts));
  return h(
    'div',
    { class: 'bars' },
    Object.entries(counts).map(([key, count]) => {
      const bar = h('i');
      bar.style.width = `${Math.max(2, (100 * count) / most)}%`;
      return [
        h('span', {}, name(key)),
        h('span', { class: 'meter' }, bar),
        h('span', { class: 'number' }, countText(count)),
      ];
    }),
  );
}
