// What became of an answer's sources after it was made: newer versions, deprecations, deletions, gone contents.
import { h } from '../dom.js';
import { percent, plural, scoreText, timeText } from '../form.js';
import { go } from '../state.js';
import { nodeLine, pageLink, titleOf } from './names.js';
import { textDiff } from './diff.js';

const LOOKED_AT = 24;
const STALE_MAX = 100;
/** What differs in texts of up to so many characters is shown at once. */
const SHORT = 400;
const VERSIONED = new Set(['ContextUnit', 'Summary', 'SystemPromptTemplate', 'ProvEntity']);

export async function sinceThen(view, act, sources) {
  const made = act.history?.events[0];
  if (!made) return null;
  const { near, far } = await sources.load();
  const looked = [...near, ...far].slice(0, LOOKED_AT);
  const [told, stale] = await Promise.all([
    Promise.all(looked.map((each) => changesOf(view, each, made))),
    view.ask
      .withRecords('lineage.stale', { ref: view.node.ref, limit: STALE_MAX, include: ['record', 'status'] })
      .catch(() => null),
  ]);
  const isTold = new Set(looked.filter((_, i) => told[i].length > 0).map(({ ref }) => ref));
  const findings = [...told.flat(), ...(stale ? further(stale, isTold) : [])];
  const then = h(
    'button',
    { type: 'button', class: 'link', 'data-moment': made.tx, onclick: () => go({ as_of: made.tx }) },
    'See this page as it was when the answer was recorded',
  );
  if (findings.length === 0 && looked.length === 0) return null;
  if (findings.length === 0)
    return h(
      'p',
      { class: 'faint' },
      looked.length === 1 ? 'Nothing: its source is as it was. ' : `Nothing: its ${plural(looked.length, 'source')} are as they were. `,
    );
  return [h('ul', { class: 'plain since' }, findings), h('p', { class: 'sub-line' }, then)];
}

/** What the server knows besides: documents with another text at a place, deleted sources, quotes that are not there. */
function further({ sources, citations, complete }, isTold) {
  const further = sources
    .filter(({ ref }) => !isTold.has(ref))
    .map((each) =>
      h(
        'li',
        {},
        nodeLine(each),
        h(
          'p',
          { class: 'warned' },
          each.reasons.map((reason) => REASONS[reason] ?? reason).join('; '),
          each.newer && ['; now ', pageLink(each.newer)],
        ),
      ),
    );
  const quotes = citations
    .filter(({ then, now }) => isLost(then) || isLost(now))
    .map(({ number, document_name: name, chunk, then, now }) =>
      h(
        'li',
        { class: 'quote' },
        chunk ? pageLink(chunk, `[${number}] ${name}`) : `[${number}] ${name}`,
        h(
          'p',
          { class: 'warned' },
          isLost(then) ? `its quote ${matchText(then)} the text as it was` : `its quote ${matchText(now)} the text as it is now`,
        ),
      ),
    );
  return [...further, ...quotes, !complete && h('li', { class: 'faint' }, 'There may be more.')].filter(Boolean);
}

const REASONS = {
  updated: 'has a newer version',
  deprecated: 'is deprecated',
  expired: 'its content has expired',
  purged: 'its content was purged',
  deleted: 'was deleted',
  changed: 'its document has another text at its place',
};

const isLost = (check) => check?.match === 'altered' || check?.match === 'not_found';
const matchText = ({ match, altered }) =>
  match === 'not_found' ? 'is not in' : `differs by ${percent(altered)} from`;

async function changesOf(view, each, made) {
  const findings = [];
  const isMarked = each.status === 'deprecated' || each.status === 'updated';
  const [history, versions] = await Promise.all([
    isMarked ? view.ask.optional('history.get', { ref: each.ref, limit: 1000 }) : null,
    VERSIONED.has(each.type) && each.status !== 'active'
      ? view.ask.optional('versions.list', { ref: each.ref, limit: 10_000 })
      : null,
  ]);
  const status = history?.events.findLast((event) => event.op === 'status' && event.status === 'deprecated');
  if (status) {
    const isSince = status.tx > made.tx;
    findings.push(
      h(
        'li',
        {},
        nodeLine(each),
        h(
          'p',
          { class: isSince ? 'warned' : 'faint' },
          isSince
            ? ['became deprecated on ', timeText(status.at), withScore(status.score)]
            : 'was deprecated already when this answer was recorded',
        ),
      ),
    );
  }
  const list = versions?.versions ?? [];
  const own = list.findIndex(({ ref }) => ref === each.ref);
  if (own >= 0 && own < list.length - 1) {
    const { ref } = list.at(-1);
    const newest = (await view.ask.nodes([ref])).get(ref) ?? list.at(-1);
    const [before, after] = [textOf(each), textOf(newest)];
    const replaced = history?.events.find((event) => event.op === 'status' && event.status === 'updated');
    const wasOld = replaced && replaced.tx <= made.tx;
    findings.push(
      h(
        'li',
        {},
        nodeLine(each),
        h(
          'p',
          { class: 'warned' },
          wasOld ? 'had a newer version already when this answer was recorded; ' : '',
          `has ${plural(list.length - 1 - own, 'newer version')}, the newest is `,
          pageLink(newest.ref, titleOf(newest, 80)),
        ),
        before &&
          after &&
          before !== after &&
          view.fold(`since ${each.ref}`, 'What is different in it', () => textDiff(before, after), { kind: 'small', isOpen: Math.max(before.length, after.length) <= SHORT }),
      ),
    );
  }
  if (each.expired)
    findings.push(
      h(
        'li',
        {},
        nodeLine(each),
        h('p', { class: 'warned' }, each.purged ? 'its content was purged' : 'its content has expired'),
      ),
    );
  return findings;
}

const textOf = ({ record }) => record?.content ?? record?.summary ?? record?.promptText ?? '';

const withScore = (score) => (score === undefined ? '' : `, score ${scoreText(score)}`);
