// The page of a folder of evidence: what a store knows of a period, and which demand that answers.
import { h } from '../dom.js';
import { countText, plural, scoreText, timeText } from '../form.js';
import { typeName } from '../vocabulary.js';

const OPS = [
  ['put', 'recorded'],
  ['version', 'changed'],
  ['status', 'status'],
  ['delete', 'deleted'],
  ['expire', 'content gone'],
];

const bdi = (text) => h('bdi', {}, text);
const code = (text) => h('code', {}, bdi(text));
const row = (cells) => h('tr', {}, cells.map((cell) => h('td', {}, cell)));

/** A table that a narrow screen scrolls by itself. */
const table = (label, heads, rows) =>
  h(
    'div',
    { class: 'wide', role: 'region', 'aria-label': label, tabindex: 0 },
    h('table', { class: 'evidence' }, h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))), h('tbody', {}, rows)),
  );

const nothing = (text) => h('p', { class: 'faint' }, text);

const section = (name, title, ...content) =>
  h('section', { 'data-name': name, 'aria-labelledby': `evidence-${name}` }, h('h2', { id: `evidence-${name}` }, title), content);

/** Of what was purged or has expired nothing is known but that it was written. */
const ofGone = ({ gone }, what) => gone > 0 && nothing(`${plural(gone, what)} more: the content was purged or has expired.`);

const leftOut = ({ left }) => left > 0 && nothing(`${countText(left)} more are in events.jsonl.`);

export function evidencePage({ evidence, made, whence }) {
  const { from, to, scope, first_tx: first, last_tx: last } = evidence;
  const of = [...scope.agents.map((name) => ['agent ', bdi(name)]), ...scope.topics.map((name) => ['topic ', bdi(name)])];
  return h(
    'div',
    { class: 'inner' },
    h('h1', { tabindex: -1 }, `What happened from ${timeText(from)} to ${timeText(to)}`),
    h(
      'p',
      {},
      `${plural(evidence.events, 'event')} in ${plural(evidence.transactions, 'transaction')}`,
      last > 0 && `; the transactions of the period are ${countText(first)} to ${countText(last)}`,
      of.length > 0 && ['. Only of ', of.map((each, i) => [i ? ', ' : '', each]), ', with what was said of that'],
      `. Gathered on ${timeText(made)} by Whence ${whence}. All events are in events.jsonl, the figures of this page in report.json, digests of both in manifest.json.`,
    ),
    h('div', { class: 'actions' }, h('button', { type: 'button', id: 'read-print', onclick: () => print() }, 'Print')),
    counts(evidence),
    writers(evidence),
    ratings(evidence),
    decisions(evidence),
    removals(evidence),
    reads(evidence),
    gaps(evidence),
    proof(evidence),
    demands(evidence),
  );
}

function counts({ types, statuses, flags }) {
  const shown = OPS.filter(([op]) => Object.values(types).some((ops) => ops[op]));
  const others = [
    ...Object.entries(statuses).map(([name, count]) => `${countText(count)} became ${name}`),
    ...Object.entries(flags).map(([name, count]) => `${countText(count)} with the flag ${name}`),
  ];
  return section(
    'counts',
    'Events by type',
    Object.keys(types).length === 0
      ? nothing('There are none.')
      : table('Events by type', ['Type', ...shown.map(([, word]) => word)], Object.entries(types).map(([type, ops]) => row([typeName(type), ...shown.map(([op]) => (ops[op] ? countText(ops[op]) : ''))]))),
    others.length > 0 && h('p', { class: 'sub-line' }, `${others.join(', ')}.`),
  );
}

const writers = ({ writers: list }) =>
  section(
    'writers',
    'Who wrote',
    list.length === 0
      ? nothing('Nobody.')
      : table('Who wrote', ['Name', 'As', 'Transactions', 'Events'], list.map(({ who, actor, known, transactions, events }) =>
          row([
            who ? bdi(who) : h('span', { class: 'faint' }, known ? 'no name' : 'unknown'),
            bdi(actor),
            countText(transactions),
            countText(events),
          ]),
        )),
    nothing('A name is that of a token, a certificate or a person, which the server has checked. What stands under As is what the client calls itself; nobody has checked it. Unknown is who wrote what has no history any more, or is beyond the first 100,000 transactions of the period.'),
  );

const ratings = ({ ratings: found }) =>
  section(
    'ratings',
    'Ratings',
    found.count === 0
      ? !found.gone && nothing('Nobody rated anything.')
      : [
          h('p', { class: 'sub-line' }, `${plural(found.count, 'rating')}, ${countText(found.below_zero)} of them below 0; mean ${scoreText(found.mean)}.`),
          table('Ratings', ['When', 'Of', 'Score', 'By', 'Why'], found.list.map(({ at, subject, score, user_id: by, feedback_text: why }) => row([timeText(at), code(subject), score === undefined ? '' : scoreText(score), bdi(by ?? ''), bdi(why ?? '')]))),
          leftOut(found),
        ],
    ofGone(found, 'rating'),
  );

const decisions = ({ decisions: found }) =>
  section(
    'decisions',
    'Decisions of people',
    found.count === 0
      ? !found.gone && nothing('None was recorded.')
      : [
          h('p', { class: 'sub-line' }, Object.entries(found.verdicts).map(([verdict, count], i) => `${i ? ', ' : ''}${countText(count)} ${verdict}`)),
          table('Decisions', ['When', 'On', 'Verdict', 'By', 'Why'], found.list.map(({ timestamp, at, subject, verdict, by, reason }) => row([timeText(timestamp ?? at), code(subject), verdict ?? '', bdi(by ?? ''), bdi(reason ?? '')]))),
          leftOut(found),
        ],
    ofGone(found, 'decision'),
  );

const removals = ({ removals: found }) =>
  section(
    'removals',
    'What was deleted, purged or expired',
    found.count === 0
      ? nothing('Nothing.')
      : [
          table('Removals', ['When', 'What', 'Record', 'By', 'Why'], found.list.map(({ at, op, ref, purged, who, actor, reason }) =>
            row([
              timeText(at),
              op === 'delete' ? 'deleted' : purged ? 'purged' : 'expired',
              code(ref),
              bdi(who ?? actor ?? ''),
              reason ? bdi(reason) : h('span', { class: 'faint' }, 'no reason was given'),
            ]),
          )),
          leftOut(found),
        ],
  );

const reads = ({ reads: found }) =>
  section(
    'reads',
    'Who read',
    !found
      ? nothing('It is not known here: it is where the server writes it down (serve --audit-reads) and the file is given (--reads).')
      : [
          h('p', { class: 'sub-line' }, `${plural(found.count, 'read')} in the period.`),
          found.by.length > 0 &&
            table('Who read', ['Name', 'By', 'Reads'], found.by.map(({ who, method, count }) => row([who ? bdi(who) : h('span', { class: 'faint' }, 'no name'), code(method), countText(count)]))),
          found.others > 0 && nothing(`${countText(found.others)} more are by other names and methods.`),
          found.untold > 0 && nothing(`${countText(found.untold)} more came quicker than the server could write them down.`),
          found.unread > 0 && nothing(`${plural(found.unread, 'line')} of the files could not be read.`),
          nothing('What was asked for is in the files of the server, not here. They are no part of the log, and nothing proves them.'),
        ],
  );

/** What the files of proofs prove, and what they do not. */
function proof({ proof: found }) {
  if (!found?.key) return section('proof', 'Proof', nothing('There is none: the log had nothing yet when the period ended.'));
  const { files, before, after, key, leaves, whole } = found;
  const of = after - (before ?? 0);
  return section(
    'proof',
    'Proof',
    h('p', {}, 'The log is a tree over all events that only grows, and its size and root are signed. The key is ', code(key), '. Compare it with one that came by another way than this folder.'),
    files.length === 0
      ? of > 0 && nothing('There is no bundle.')
      : table('Files of proofs', ['File', 'Transactions', 'Events'], files.map((each) => row([code(each.file), `${countText(each.first_tx)} to ${countText(each.last_tx)}`, countText(each.leaves)]))),
    h(
      'ul',
      { class: 'plain' },
      h(
        'li',
        {},
        of === 0
          ? 'The log has no event of the period.'
          : whole
          ? `Proved: all ${plural(of, 'event')} that the log has of the period, each as it was written, and that there are no others between.`
          : `Proved: ${countText(leaves)} of the ${plural(of, 'event')} that the log has of the period, each as it was written. The others are of no record in the scope, too large, or beyond the bound of 1,000 files.`,
      ),
      h('li', {}, before === null ? 'The period begins with the log.' : `Proved by before.checkpoint, after.checkpoint and consistency: the log grew from ${countText(before)} to ${countText(after)} events in the period, and nothing before was changed.`),
      h('li', {}, 'Not proved: that the period and the scope are what this page says, for the log may have other events of that time, before the first checkpoint or after the last; the events beside them, which the log proves, show it. Nor that everything that happened was recorded, that what was written is true, and what is in this page besides: counts, names and reasons follow from events.jsonl and from what the server said.'),
      h('li', {}, 'Check it without the server: ', code('whence check FOLDER --key KEY'), ', or each file by ', code('whence-verify proof-1.json --key KEY'), ' and ', code('whence-verify after.checkpoint --older before.checkpoint consistency --key KEY'), '.'),
    ),
  );
}

function gaps({ gaps: found }) {
  const known = found.uptime_s === null;
  return section(
    'gaps',
    'Gaps',
    h(
      'ul',
      { class: 'plain' },
      h('li', {}, found.missing_transactions === 0 ? 'No transaction number is missing among the events.' : `${plural(found.missing_transactions, 'transaction number')} have no event.`),
      h('li', {}, `${plural(found.causes_left_out, 'response')} had more causes than the bounds of telemetry take (attributes.causes_left_out).`),
      h(
        'li',
        {},
        found.not_understood.length > 0
          ? ['Telemetry of kinds that nobody understood, since the server started: ', found.not_understood.map(({ kind, spans }, i) => [i ? ', ' : '', bdi(kind), ` (${countText(spans)})`])]
          : known
            ? 'Whether telemetry was not understood is not known: only a running server counts it.'
            : 'No telemetry of a kind that nobody understood, since the server started.',
      ),
      h('li', {}, 'What was refused or dropped before it was written is not in the log: it is not known from here. A running server counts it in its metrics.'),
      h('li', {}, 'Times are those of the server’s clock. The log never goes back in time, so a clock that was set back is not seen in it; one that was set forward looks like a time without events.'),
    ),
    h('h3', {}, 'The longest times without an event'),
    found.silences.length === 0
      ? nothing('There are fewer than two transactions.')
      : table('The longest times without an event', ['From', 'To', 'Seconds'], found.silences.map((each) => row([timeText(each.from), timeText(each.to), countText(each.seconds)]))),
  );
}

const demands = ({ demands: list }) =>
  section(
    'demands',
    'Which record answers which demand',
    nothing('What a paragraph is about is said in our words. This is no legal advice, and no claim that a system complies.'),
    table('Demands', ['Source', 'Paragraph', 'Is about', 'What answers it', 'What is not answered'], list.map(({ source, paragraph, asks, answer, unanswered }) =>
      row([source, paragraph, asks, answer || h('span', { class: 'faint' }, 'nothing'), unanswered]),
    )),
  );
