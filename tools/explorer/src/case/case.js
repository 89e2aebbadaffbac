// A case: the explorer's own pages of some answers, in a file, with what a server answered beside them instead of a server.
import { byId, h, show } from '../dom.js';
import { countText, plural, scoreText, timeText } from '../form.js';
import { readMessage } from '../json.js';
import { nodeLine } from '../read/names.js';
import { ReadPage } from '../read/page.js';
import { now, onChange, openPage, startState } from '../state.js';
import { timeOf, useVocabulary } from '../vocabulary.js';
import { evidencePage } from './evidence.js';
import { FORM } from './gather.js';
import { KeptRpc } from './kept.js';
import { check, isUndamaged } from './proof.js';
import types from './types.json';
import { pictureSection, startLayoutHere } from './picture.js';

const meanText = ({ aggregate_score: score, mean_score: mean = score, feedback_count: count }) => (typeof mean !== 'number' ? plural(count, 'rating') : `rated ${scoreText(mean)}`);

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event('themechange'));
}

/** Paper has everything: folded parts are open on it, and its ground is white. */
function startPrinting() {
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')];
    closed.forEach((each) => (each.open = true));
    useTheme('light');
  });
  addEventListener('afterprint', () => {
    closed.forEach((each) => (each.open = false));
    useTheme(prefersDark.matches ? 'dark' : 'light');
  });
}

function say(kind, ...words) {
  byId('verified').className = kind;
  show(byId('verified'), words);
}

/** Answers of which the log proved nothing when the file was made, and why. */
const sayUnproven = ({ unproven = [] }) =>
  unproven.length > 0 && [' When it was made there was no proof of ', unproven.map(({ ref, why }, i) => [i ? '; of ' : '', h('bdi', {}, ref), ': ', h('bdi', {}, why)]), '.'];

/** What the reader has to know of the file: what was verified, by whose key, of which time; where it came from. */
function sayWhatWasVerified(data) {
  const { whence, tx, made } = data;
  const moment = tx === undefined ? '' : `, as of its transaction ${countText(tx)}`;
  const origin = ` Kept on ${timeText(made)} from a Whence ${whence} server${moment}.`;
  const proof = byId('proof').textContent.trim();
  if (proof === '') {
    say('none', h('b', {}, 'Not verified.'), ' This file has no proof in it: it says what it says, and anybody may have changed it.', sayUnproven(data), origin);
    return;
  }
  say('none', h('b', {}, 'Checking the proof…'), origin);
  // Thousands of records take a second or two: the page comes first.
  setTimeout(() => {
    const isWhole = isUndamaged(proof, byId('case').textContent);
    sayWhatIsProven(isWhole ? check(proof, data) : { kind: 'bad', failure: 'the data of this file are damaged' }, data, origin);
  }, 50);
}

function sayWhatIsProven(found, data, origin) {
  document.body.dataset.checked = found.kind;
  if (found.kind === 'bad') {
    say('bad', h('b', {}, 'The proof in this file does not hold: '), h('bdi', {}, found.failure), '. Do not rely on what it shows.', origin);
    return;
  }
  const [records, allRecords] = found.records;
  const [edges, allEdges] = found.edges;
  const all = found.kind === 'good';
  say(
    found.kind,
    h('b', {}, all ? 'Verified: ' : 'Verified in part: '),
    `${countText(records)} of ${plural(allRecords, 'record')} shown here and ${countText(edges)} of ${plural(allEdges, 'edge')} between them are as the log had them. `,
    found.without.length > 0 && ['Not proven at all: ', found.without.map((ref, i) => [i ? ', ' : '', h('bdi', {}, ref)]), '.', sayUnproven(data), ' '],
    found.reports.map(({ origin: log, size, newest_at: at, keys }) => [
      'Log ',
      h('bdi', {}, log),
      `, ${plural(size, 'event')}, the newest of the proof of ${timeText(at)}; signed by `,
      keys.map((key, i) => [i ? ', ' : '', h('code', {}, h('bdi', {}, key))]),
      '. ',
    ]),
    'The key is from this file: compare it with the one that you know.',
    origin,
    h(
      'details',
      {},
      h('summary', {}, 'What that does not prove'),
      h(
        'ul',
        {},
        [
          ...found.reports[0].not_proved,
          'shares, scores, statuses, what changed since, and where the picture has things: the server or this page computed them',
          'when this file was made and by which version, which it says itself',
          'who wrote, ratings in a history that are not listed here, and the text of a summary as a whole',
        ].map((each) => h('li', {}, each)),
      ),
    ),
  );
}

/** The way between the pages of several answers. */
function showCases(kept) {
  const { cases } = kept.kept;
  byId('cases').hidden = cases.length < 2;
  if (cases.length < 2) return;
  show(byId('cases'), h('a', { href: '#' }, `All ${countText(cases.length)} answers`));
}

function listPage(kept) {
  const { cases } = kept.kept;
  document.title = `${plural(cases.length, 'answer')} · Whence`;
  const line = ({ ref }) => {
    const node = kept.model.nodes.get(ref);
    const ratings = kept.answers.get(`feedback.list ${ref}`);
    const time = timeOf(node);
    return h(
      'li',
      {},
      nodeLine(
        node,
        ratings?.feedback_count > 0 && h('span', {}, meanText(ratings)),
        time !== null && h('span', {}, timeText(time)),
      ),
    );
  };
  show(
    byId('read'),
    h('div', { class: 'inner' }, h('h1', { tabindex: -1 }, plural(cases.length, 'answer')), h('ol', { class: 'plain', id: 'list' }, cases.map(line))),
  );
}

/** A record that is not in the file has no page here: its name is no link. */
function unlink(kept) {
  for (const link of byId('read').querySelectorAll('a[data-ref][href]')) if (!kept.has(link.dataset.ref)) link.removeAttribute('href');
}

function start() {
  useTheme(prefersDark.matches ? 'dark' : 'light');
  prefersDark.addEventListener('change', () => useTheme(prefersDark.matches ? 'dark' : 'light'));
  startPrinting();
  const data = readMessage(byId('case').textContent);
  if (data.form !== FORM) throw new Error(`it is of form ${data.form}, and its script reads form ${FORM}`);
  useVocabulary(types); // not those in the file: no proof covers these words, and whoever changes them changes what it says
  sayWhatWasVerified(data);
  if (data.evidence) showEvidence(data);
  else startPages(data);
}

function showEvidence(data) {
  document.title = 'Evidence · Whence';
  show(byId('read'), evidencePage(data));
  document.body.dataset.state = 'ready';
}

function startPages(data) {
  startLayoutHere();
  const kept = new KeptRpc(data);
  showCases(kept);
  new MutationObserver(() => unlink(kept)).observe(byId('read'), { childList: true, subtree: true });
  const page = new ReadPage(kept, { failed, around: (view) => pictureSection(view, kept) });
  const showState = async (state) => {
    document.body.dataset.state = 'loading';
    if (!state.ref) {
      if (data.cases.length === 1) openPage(data.cases[0].ref);
      else {
        page.clear();
        listPage(kept);
        document.body.dataset.state = 'ready';
      }
      return;
    }
    try {
      await page.show({ ...state, as_of: null, with: '' });
      document.body.dataset.state = 'ready';
    } catch (error) {
      failed(error);
    }
  };
  let shown = '';
  onChange((state) => {
    if (state.ref !== shown) scrollTo(0, 0);
    shown = state.ref;
    showState({ ...now() });
  });
  startState();
}

function failed(error) {
  document.body.dataset.state = 'error';
  show(byId('read'), h('div', { class: 'inner' }, h('h1', {}, 'It cannot be shown'), h('p', {}, error.message)));
}

try {
  start();
} catch (error) {
  say('bad', 'Nothing was verified: this file cannot be read. ', error.message);
  failed(error);
}
