// The sources of an answer: each with its share as a bar, a passage, how it was rated, and what else rests on it.
import { h } from '../dom.js';
import { blameWords, countText, percent, plural, scoreText, shortNumber } from '../form.js';
import { open } from '../state.js';
import { RATED, typeName } from '../vocabulary.js';
import { glyph } from '../picture/glyph.js';
import { onePerAct, total } from './ask.js';
import { sharedRuns } from './citations.js';
import { statusChip } from './head.js';
import { countsText, firstWords, nodeLine, pageLink, roleOf, saidBy, titleOf } from './names.js';
import { noAnswer, notesOf, rateActs } from './generic.js';
import { lineOf, plainText } from './texts.js';

const ASKED = 60;
const SHOWN = 8;
const MORE = 24;
const EXCERPT = 280;
/** The name of a source says a text up to this length. */
const NAMED_MAX = 140;
const OTHERS = 8;
const BAD = 0;
/** Made for this one request: the page shows them as its question and its prompt. */
const MACHINERY = new Set(['PromptContext', 'Query', 'EmbeddingVector']);
/** What rests behind the passages, of which they are parts or versions. */
const BEHIND = new Set(['Document', 'ProvEntity', 'ProvActivity', 'ProvAgent']);

export class Sources {
  constructor(view, act) {
    this.view = view;
    this.act = act;
    this.loaded = null;
  }

  /** The ancestors by share, with the edges that lead straight to the act. */
  load() {
    this.loaded ??= this.ask();
    return this.loaded;
  }

  async ask() {
    const { ask, node } = this.view;
    const [influence, direct] = await Promise.all([
      ask
        .withRecords('lineage.influence', {
          ref: node.ref,
          limit: ASKED,
          include: ['record', 'status'],
        })
        .catch(() => ({ nodes: [], complete: true })),
      ask.optional('lineage.ancestors', { ref: node.ref, depth: 1, form: 'edges', limit: 1000 }),
    ]);
    const edges = new Map();
    for (const edge of direct?.edges ?? []) {
      const cause = edge.from === node.ref ? edge.to : edge.from;
      edges.set(cause, [...(edges.get(cause) ?? []), edge]);
    }
    const retrieved = new Map(
      (this.act.rag?.retrieved_chunks ?? []).map((chunk) => [`RetrievedChunk:${chunk.chunk_id}`, chunk]),
    );
    const all = influence.nodes.filter(({ type }) => !MACHINERY.has(type));
    for (const each of all) {
      each.direct = edges.get(each.ref) ?? [];
      each.retrieved = retrieved.get(each.ref);
      each.isNear = each.direct.length > 0 || each.retrieved !== undefined;
    }
    const near = all.filter((each) => each.isNear && !BEHIND.has(each.type));
    return {
      near: [...near.filter((each) => !roleOf(each)), ...near.filter(roleOf)],
      far: all.filter((each) => !each.isNear || BEHIND.has(each.type)),
      isWhole: influence.complete,
      dangling: influence.dangling ?? [],
    };
  }

  /** All sources of badly rated answers by ref. It is asked for only where it is shown: it looks at every bad rating. */
  blame() {
    this.blamed ??= this.view.ask
      .optional('impact.blame', { score_below: BAD, limit: 1000, timeout_ms: 5000 })
      .then((answer) => new Map((answer?.nodes ?? []).map((each) => [each.ref, each])));
    return this.blamed;
  }

  /** The running scores of those shown first. */
  scores(nodes) {
    return Promise.all(
      nodes.map(async (each) => {
        if (!RATED.has(each.type) || each.feedback) return;
        each.feedback = (await this.view.ask.optional('feedback.list', { ref: each.ref, limit: 1 })) ?? {
          feedback_count: 0,
        };
      }),
    );
  }

  async list(text) {
    const { near, far, isWhole, dangling } = await this.load();
    const shown = near.slice(0, this.view.limit('sources', this.view.isKept ? ASKED : SHOWN));
    await this.scores(shown);
    if (near.length === 0 && far.length === 0)
      return h('p', { class: 'faint' }, 'It has no sources: nothing that it was made from was recorded.');
    return [
      h(
        'ol',
        { class: 'sources' },
        shown.map((each, i) => this.item(each, text, i)),
      ),
      near.length > shown.length &&
        h(
          'p',
          { class: 'more' },
          h(
            'button',
            {
              type: 'button',
              'data-more': 'sources',
              onclick: () =>
                this.view.more('sources', shown.length + MORE, `.sources > li:nth-child(${shown.length + 1})`),
            },
            'Show more',
          ),
          h(
            'span',
            { class: 'faint' },
            ` ${countText(shown.length)} of ${countText(near.length)}${isWhole ? '' : ' or more'} sources`,
          ),
        ),
      far.length > 0 && [
        h('h3', {}, near.length ? 'Behind these' : 'Through other records'),
        h(
          'ul',
          { class: 'plain' },
          far
            .slice(0, 12)
            .map((each) =>
              h(
                'li',
                {},
                nodeLine(bySaid(each), flags(each), h('span', { title: 'Its share in this answer' }, hasShare(each) && `share ${shareText(each)}`)),
              ),
            ),
          far.length > 12 &&
            h(
              'li',
              { class: 'faint' },
              `and ${plural(far.length - 12, 'more')}${isWhole ? '' : ', or more'}`.replace('mores', 'more'),
            ),
        ),
      ],
      dangling.length > 0 &&
        h(
          'p',
          { class: 'callout warn' },
          `${plural(dangling.length, 'source')} of it ${dangling.length === 1 ? 'was' : 'were'} deleted: `,
          dangling.slice(0, 5).map((ref, i) => [i ? ', ' : '', h('bdi', {}, typeof ref === 'string' ? ref : ref.ref)]),
        ),
    ];
  }

  item(each, text, i) {
    const bar = h('i');
    bar.style.width = `${Math.max(1, Math.min(100, 100 * each.share))}%`;
    return h(
      'li',
      { class: 'source', 'data-ref': each.ref },
      h(
        'div',
        { class: 'share', title: 'The part of this answer that is due to this source' },
        hasShare(each) && h('span', {}, h('span', { class: 'faint' }, 'share '), h('b', {}, shareText(each))),
        hasShare(each) && h('span', { class: 'meter', 'aria-hidden': 'true' }, bar),
      ),
      h(
        'div',
        { class: 'source-text' },
        h('p', { class: 'source-name' }, glyph(each.type), pageLink(each.ref, titleOf(bySaid(each), NAMED_MAX)), ' ', flags(each)),
        h('p', { class: 'faint' }, howUsed(each)),
        excerptOf(each, text),
        each.expired &&
          h('p', { class: 'faint' }, each.purged ? 'Its content was purged.' : 'Its content has expired.'),
        this.view.isKept
          ? wholeText(this.view, each)
          : this.view.fold(`rests ${each.ref}`, 'What else rests on this source', () => this.others(each), { kind: 'small' }),
      ),
    );
  }

  /** What else was made from a source: counts, the largest, and the way to all of it. */
  async others(each) {
    const impact = await this.view.ask.impact(each.ref, OTHERS + 2, ['record']);
    const own = new Set([this.act.response?.ref, this.act.answer?.ref]);
    const count = total(impact?.counts.by_type);
    const ownHere = impact?.nodes.filter(({ ref }) => own.has(ref)).length ?? 0;
    const rest = onePerAct(impact?.nodes ?? [])
      .filter(({ ref }) => !own.has(ref))
      .slice(0, OTHERS);
    if (count - Math.max(1, ownHere) <= 0) return h('p', { class: 'faint' }, 'Nothing else was made from it.');
    await rateActs(this.view, rest);
    const { Response: responses = 0, Answer: answers = 0 } = impact.counts.by_type;
    const isAlone = responses + answers - Math.max(1, ownHere) <= 0;
    const bad = (await this.blame()).get(each.ref);
    return [
      h(
        'p',
        { class: 'sub-line' },
        isAlone && noAnswer(true),
        'In all, this one included: ',
        countsText(impact.counts.by_type),
        bad && `. Rated answers that rest on it: ${blameWords(bad)}.`,
      ),
      h(
        'ul',
        { class: 'plain' },
        rest.map((other) => h('li', {}, nodeLine(other, notesOf(other)))),
      ),
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'button', onclick: () => open(each.ref, { view: 'impact' }) }, `All of them, ranked`),
      ),
    ];
  }

  /** Of a badly rated answer the sources to doubt first: a large share, a bad score, other bad answers. */
  async suspects() {
    const [{ near, far }, blame] = await Promise.all([this.load(), this.blame()]);
    const all = [...near, ...far.filter(({ type }) => type === 'ContextUnit')];
    const most = all.filter((each) => each.share > 0 && !roleOf(each)).slice(0, 20);
    await this.scores(most);
    const doubt = (each) => each.share * (1 - (scoreOf(each) ?? 0));
    // What a model said before rests on sources itself: these come first.
    const first = most.sort((a, b) => isSaid(a) - isSaid(b) || doubt(b) - doubt(a)).slice(0, 3);
    if (first.length === 0) return null;
    return [
      h(
        'p',
        { class: 'sub-line' },
        'It is rated badly. These sources have the largest shares in it and the worst ratings of all answers that they are in.',
      ),
      h(
        'ol',
        { class: 'plain suspects' },
        first.map((each) => {
          const bad = blame.get(each.ref);
          const reasons = [
            `share ${percent(each.share)} of this answer`,
            scoreOf(each) !== null && `score ${scoreText(scoreOf(each))} from ${plural(each.feedback.feedback_count, 'rating')}`,
            bad && `rated answers that rest on it: ${blameWords(bad)}`,
          ].filter(Boolean);
          return h('li', {}, nodeLine(bySaid(each), flags(each)), h('p', { class: 'faint' }, reasons.join(' · ')));
        }),
      ),
    ];
  }
}

const isSaid = ({ type }) => type === 'Response' || type === 'Answer';

/** A response among the sources is called by what it said: its question is often that of the answer it led to. */
const bySaid = (each) => {
  const { question, content, ...record } = each.record ?? {};
  return each.type === 'Response' && question && content ? { ...each, record: { ...record, content: lineOf(content) } } : each;
};

/** The running score of a source, or the mean of the ratings of an answer; null where there is no rating. */
const scoreOf = ({ feedback }) => (feedback?.feedback_count > 0 ? (feedback.aggregate_score ?? feedback.mean_score ?? null) : null);

function flags(each) {
  const score = scoreOf(each);
  return [
    roleOf(each) && h('span', { class: 'chip' }, roleOf(each)),
    each.status && each.status !== 'active' && statusChip(each.status),
    score !== null &&
      h('span', { class: `chip ${score < 0 ? 'deprecated' : 'good'}` }, `score ${scoreText(score)}`),
  ];
}

/** What a source says, for readers who have no other way to it. */
function wholeText(view, each) {
  const text = saidBy(each.record);
  return text && text.length > NAMED_MAX && view.fold(`text ${each.ref}`, 'The whole text', plainText(view, `text ${each.ref}`, text, { first: Infinity }), { kind: 'small' });
}

/** A source without a weight has no share, which is not a share of 0. */
const hasShare = ({ share, direct }) => share > 0 || direct.some(({ weight }) => weight !== undefined);
const shareText = (each) => (hasShare(each) ? percent(each.share) : '');

/** How the answer came by a source. */
function howUsed(each) {
  const types = new Set(each.direct.map(({ type }) => type));
  const weight = each.direct.find((edge) => edge.weight !== undefined)?.weight;
  const record = each.record ?? {};
  const { metadata } = record;
  const what = {
    ContextUnit: () => [
      record.type && `${record.type.toLowerCase()} context`,
      record.source,
      record.version > 1 && `version ${record.version}`,
    ],
    RetrievedChunk: () => [
      metadata?.document_name,
      metadata?.page_number !== undefined && `page ${metadata.page_number}`,
      metadata?.section && `section ${metadata.section}`,
    ],
    XMLMessageAttachment: () => [record.format === 'llm-query' ? 'as XML' : 'an answer as XML'],
    Response: () => ['said before by a model'],
  }[each.type]?.() ?? [typeName(each.type)];
  return [
    ...what,
    types.has('CITES') && 'cited',
    weight !== undefined && `used with weight ${shortNumber(weight)}`,
    each.retrieved?.similarity_score !== undefined && `${percent(each.retrieved.similarity_score)} similar to the question`,
    types.has('PROMPTED') && each.type !== 'XMLMessageAttachment' && 'in the prompt',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The part of a source's text that the answer took over word by word, else its beginning. */
function excerptOf(each, text) {
  // A summary is the text where there is no other; a short one is in the name already.
  const { content, summary } = each.record ?? {};
  const own = content ?? (summary?.length > NAMED_MAX ? summary : null);
  if (typeof own !== 'string' || own === '') return null;
  const runs = text ? sharedRuns(own, text) : [];
  if (own.length <= NAMED_MAX && runs.length === 0) {
    const line = firstWords(lineOf(own), NAMED_MAX);
    // A name that is made from the text says all of it.
    return line === titleOf(bySaid(each), NAMED_MAX) ? null : h('blockquote', { class: 'excerpt', dir: 'auto' }, line);
  }
  const longest = runs.reduce((best, run) => (run[1] - run[0] > best[1] - best[0] ? run : best), [0, 0]);
  let start = Math.max(0, Math.min(longest[0] - 60, own.length - EXCERPT));
  if (start > 0) start = own.indexOf(' ', start) + 1 || start;
  const end = Math.min(own.length, Math.max(start + EXCERPT, Math.min(longest[1], start + 2 * EXCERPT)));
  const parts = [];
  let at = start;
  for (const [from, to] of runs) {
    if (to <= start || from >= end) continue;
    parts.push(
      own.slice(at, Math.max(at, from)),
      h('mark', { class: 'shared' }, own.slice(Math.max(at, from), Math.min(to, end))),
    );
    at = Math.min(to, end);
  }
  parts.push(own.slice(at, end));
  return h(
    'blockquote',
    { class: 'excerpt', dir: 'auto', title: parts.length > 1 ? 'Marked: words that the answer has, too' : null },
    start > 0 && '… ',
    parts.filter((part) => part !== ''),
    end < own.length && ' …',
  );
}
