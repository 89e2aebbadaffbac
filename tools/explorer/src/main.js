// The explorer's start: makes the parts, wires them, and turns changes of state into what is loaded and shown.
import { About } from './pages/about.js';
import { forgetSpoken } from './pages/acts.js';
import { Answers } from './pages/answers.js';
import { openCompare, showBanner } from './pages/compare.js';
import { Console } from './console/console.js';
import { showControls, slider } from './controls.js';
import { asNamed, byId, debounced } from './dom.js';
import { Exporting } from './pages/exporting.js';
import { ALL_UP_TO, groupOfRef, grouped } from './picture/groups.js';
import { Later } from './picture/later.js';
import { GroupList } from './pages/group_list.js';
import { plural } from './form.js';
import { startKeyboard } from './keyboard.js';
import { startLayout } from './picture/layout.js';
import { groupWords } from './picture/card_words.js';
import { showLegend } from './picture/legend.js';
import { addressOf } from './server/address.js';
import { load, momentOf, strongestPath } from './server/load.js';
import { notice, noticeOfFailure, startMessages } from './server/messages.js';
import { Panel } from './pages/panel.js';
import { titleOf } from './read/names.js';
import { ReadPage } from './read/page.js';
import { Picture } from './picture/picture.js';
import { markedOf, openedNodes, pathKey, pathOf, selectedIn } from './picture/selection.js';
import { Rpc } from './server/rpc.js';
import { isOfOther, unknownName } from './server/unknown.js';
import { Search } from './pages/search.js';
import { ResultsPage } from './pages/results_page.js';
import { Start } from './pages/start.js';
import { drawingOf, questionOf, sceneOf, sectionOf } from './shown.js';
import { go, now, onChange, open, openPage, startState } from './state.js';
import { Table } from './pages/table.js';
import { isDark, startTheme, toggleTheme } from './picture/theme.js';
import { Timeline } from './pages/timeline.js';
import { Undo } from './undo.js';
import { typeName, useVocabulary } from './vocabulary.js';
import { watch } from './server/watch.js';

/** How long what came in live is marked. */
const FRESH_MS = 4000;

startTheme();
startLayout();
const rpc = new Rpc(addressOf('/ws').replace(/^http/, 'ws'));
startMessages(rpc);
let info = null;
let loaded = null;
/** The last state whose picture was drawn. */
let good = null;
let turn = 0;
/** Whether the reader came to the picture from elsewhere: arrows then walk in it at once. */
let isEntered = false;
let watches = [];
let legend = () => {};

const picture = new Picture(byId('picture'), {
  select: (ref) => go({ sel: ref, details: true }),
  open,
  expand: (ref, side, count) => expand(ref, side, count),
  clear: () => go({ sel: '', path: '', details: false }),
  between: (ref) => go({ path: now().sel && now().sel !== ref ? now().sel : '', sel: ref }),
});
const panel = new Panel(rpc, {
  select: (ref) => go({ sel: ref, details: Boolean(ref) }),
  compare: (ref) => go({ view: '', with: ref, x: [], focus: false }),
  pin: (ref) => togglePin(ref),
  isPinned: (ref) => now().pin.includes(ref),
});
const groupList = new GroupList(rpc, panel, {
  divide: (by) => go({ by }),
  draw: (changes) => go(changes),
  select: (ref) => go({ sel: ref }),
});
const later = new Later(rpc, picture, () => speak());
const table = new Table({ select: (ref) => go({ sel: ref }) });
const search = new Search(rpc, () => info);
const results = new ResultsPage(search);
const about = new About(rpc);
const start = new Start(rpc, () => about.open());
const answers = new Answers(rpc);
const readPage = new ReadPage(rpc, { exporting: () => exporting.open(), failed: (error) => failed(error, now()) });
const timeline = new Timeline(rpc);
const exporting = new Exporting(rpc, picture);
const undo = new Undo();

/** Everything shown needs the server's words; they are asked for once. */
const vocabulary = rpc.call('rpc.discover').then((described) => {
  useVocabulary(described['x-whence-types']);
  exporting.useFormats(described);
  picture.restyle();
  return described;
});
const queries = new Console(rpc, vocabulary);
/** The page of queries brings its editor, which the page does without until then. */
let cypher = null;
/** Whose answer the picture shows last. */
let drawn = queries;
queries.drew = (source) => (drawn = source);
async function cypherPage() {
  cypher ??= import('./cypher/page.js').then(({ CypherPage }) => new CypherPage(rpc, vocabulary));
  const page = await cypher;
  page.drew = queries.drew;
  return page;
}

// --- what is shown -------------------------------------------------------------------------------------------------

const sectionNow = (state) => sectionOf(state, Boolean(drawn.loaded()));

function changed(state, before) {
  isEntered ||= sectionNow(state) === 'explore' && sectionNow(before) !== 'explore' && Boolean(loaded);
  showState(state);
  if ((state.view !== before.view || state.ref !== before.ref) && state.view !== 'search') search.empty();
  if (questionOf(state) !== questionOf(before) || !loaded) reload();
  else if (loaded.model) {
    if (drawingOf(state) !== drawingOf(before)) {
      setState('loading');
      redraw().catch((error) => failed(error, state));
    } else if (state.sel !== before.sel || state.path !== before.path || state.by !== before.by || state.details !== before.details)
      select();
  }
  if (state.live && !before.live) reload({ isLive: true });
  if (state.live !== before.live || questionOf(state) !== questionOf(before)) follow();
}

/** Asks again for all that the state shows. */
async function reload({ isLive = false } = {}) {
  const mine = ++turn;
  const state = { ...now() };
  const section = sectionNow(state);
  if (!isLive) {
    setState('loading');
    answers.waiting();
  }
  try {
    await vocabulary;
    await refreshInfo(mine);
    if (typeof state.as_of === 'string') findMoment(state.as_of, mine);
    if (section === 'start') await start.show(state.as_of, isLive);
    else if (section === 'answers') await answers.show(state, info, isLive);
    else if (section === 'console') await queries.open();
    else if (section === 'cypher') (await cypherPage()).open();
    else if (section === 'search') await results.show(state, info);
    else if (section === 'read') await readPage.show(state, (tx) => timeline.show(info.tx, tx));
    else await reloadPicture(state, mine, isLive);
    if (mine !== turn) return;
    if (section !== 'explore') shownElsewhere(section);
    notice('');
    if (section !== 'explore') setState('ready');
  } catch (error) {
    if (mine === turn) failed(error, state);
  }
}

/** Says which transaction was the last at a time, whatever the view shows of it. */
function findMoment(time, mine) {
  rpc.call('server.info', momentOf(time)).then(
    ({ tx }) => mine === turn && timeline.show(info.tx, tx),
    () => {}, // the view's own question says what is wrong
  );
}

function shownElsewhere(section) {
  loaded = { section };
  panel.hide();
  document.body.dataset.nodes = '0';
}

async function reloadPicture(state, mine, isLive) {
  const answer = state.view === 'answer' ? drawn.loaded() : await load(rpc, state);
  if (mine !== turn) return;
  const before = loaded?.model ? new Set(loaded.model.nodes.keys()) : null;
  loaded = answer;
  good = state;
  performance.mark('answered');
  loaded.fresh =
    isLive && before ? new Set([...answer.model.nodes.keys()].filter((ref) => !before.has(ref))) : new Set();
  timeline.show(info.tx, answer.tx);
  delete document.body.dataset.layoutMs;
  await redraw();
  if (loaded.fresh.size) setTimeout(() => picture.settleFresh(), FRESH_MS);
}

async function redraw({ anew = false } = {}) {
  const state = now();
  const { model, roots, compared, impact, fresh } = loaded;
  const hide = state.hide ? state.hide.split(',') : [];
  const filters = { weight: state.w, focus: state.focus ? state.sel || model.root : '', roots };
  const visible = model.visible({ ...filters, hide });
  const path = pathOf(loaded, state);
  speak(); // before the picture: what is above it takes room
  const isSame = picture.scene === sceneOf(state) && !anew;
  // What is on the screen stays when more is opened; when less is, it goes.
  const stays = isSame && picture.how.opened.every((each, i) => each === state.x[i]) ? [...picture.nodes.keys()] : [];
  const drawn = grouped(visible, {
    roots,
    keep: [selectedIn(model, state), ...state.pin, ...(path?.way ?? []), ...openedNodes(state), ...stays].filter(
      Boolean,
    ),
    opened: state.x,
    hidden: (ref, side) => (compared || impact ? 0 : model.hidden(ref, side)),
    all: state.all > 0,
    budget: isSame ? picture.shown.budget : undefined,
  });
  const isDrawn = await picture.draw(drawn, {
    root: model.root,
    fresh,
    pinned: state.pin,
    opened: state.x,
    keepView: isSame && !picture.isFitted,
    keepPlaces: isSame,
    marked: markedOf(loaded, state),
  });
  if (!isDrawn) return;
  picture.scene = sceneOf(state);
  document.body.dataset.layoutMs ??= String(Math.round(performance.now() - loaded.answeredAt));
  document.body.dataset.nodes = String(drawn.nodes.length);
  table.show(drawn.nodes, model.depths(), state.sel);
  legend = () =>
    showLegend(model.visible(filters).nodes, drawn.nodes, {
      hide,
      compared,
      edges: drawn.edges,
      toggle: (type) => toggleType(type, hide),
    });
  legend();
  showSelected();
  if (isEntered && document.activeElement === document.body) byId('picture').focus({ preventScroll: true });
  isEntered = false;
  setState('ready');
  findPath();
  later.ask(drawn, model, state.as_of, [...roots, state.path, state.sel]);
}

/** Says what the picture is of: above it, and as the name of the page. The keyboard stays where it was. */
function speak() {
  const focused = document.activeElement?.id;
  showBanner(loaded, pathOf(loaded, now()));
  if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
  document.title = asNamed(`${titleOf(loaded.model.nodes.get(loaded.model.root), 60)} · Whence`);
}

const toggleType = (type, hide) =>
  go({ hide: (hide.includes(type) ? hide.filter((each) => each !== type) : [...hide, type]).join() });

/** The server knows all paths, the picture only those of what is drawn. */
async function findPath() {
  const state = now();
  const { path } = state;
  const of = loaded;
  const ref = path && of?.model ? selectedIn(of.model, state) : '';
  const key = pathKey(path, ref);
  if (!path || !ref || ref === path || of.compared || of.asked === key) return;
  of.asked = key;
  const found = await strongestPath(rpc, of.model, path, ref, state.as_of).catch(() => null);
  if (!found || of !== loaded || of.asked !== key) return;
  of.strongest = { key, ...found };
  await redraw();
}

function select() {
  findPath();
  speak();
  picture.highlight(markedOf(loaded, now()));
  showSelected();
}

/** Shows the selected node in the table and the panel, and brings it into view. */
function showSelected() {
  const { model, compared, impact } = loaded;
  const state = now();
  const ref = selectedIn(model, state);
  table.select(ref);
  panel.model = model;
  const group = groupOfRef(state.sel);
  if (group && model.nodes.has(group.of)) {
    groupList.show(group, picture.shown, model, state);
    picture.reveal(state.sel);
    return;
  }
  const extra = compared
    ? panel.compared(compared)
    : impact && ref === model.root
      ? panel.impact(impact, model.nodes.size - 1, state.as_of)
      : null;
  // The picture has all the room until the reader asks for details, or there is a list that has no other place.
  if (!state.sel || (!extra && !state.details && ref === model.root)) {
    panel.hide();
    picture.reveal(ref);
    return;
  }
  const isGone = compared?.kind === 'moments' && model.nodes.get(ref)?.mark === 'removed';
  panel.show(ref || state.sel, isGone ? compared.a : state.as_of, extra);
  picture.reveal(ref);
}

function setState(value) {
  document.body.dataset.state = value;
  byId('main').setAttribute('aria-busy', String(value === 'loading'));
}

async function refreshInfo(mine) {
  const answer = await rpc.call('server.info');
  if (answer.tx !== info?.tx) forgetSpoken();
  if (mine !== undefined && mine !== turn) return;
  info = answer;
  timeline.show(info.tx);
}

/** Shows what a state is about where it cannot be compared; false where that fails, too. */
async function shownAlone(state, mine) {
  const alone = { ...state, with: '' };
  try {
    if (sectionNow(state) === 'read') {
      await readPage.show(alone, (tx) => timeline.show(info.tx, tx));
      if (mine === turn) shownElsewhere('read');
    } else await reloadPicture(alone, mine, false);
    return true;
  } catch {
    return false;
  }
}

async function failed(error, state) {
  setState('error');
  if (isOfOther(error, state)) {
    const mine = turn;
    const isShown = await shownAlone(state, mine);
    if (mine !== turn) return;
    setState('error');
    if (isShown) {
      noticeOfFailure(rpc, error, state);
      return;
    }
  }
  // A ref with a mistake leaves what was there: the reader mends it, or goes back.
  const isUnknown = unknownName(error) !== null && sectionNow(state) === 'explore';
  if (isUnknown && loaded?.model && good && good.as_of === state.as_of) {
    noticeOfFailure(rpc, error, state, good);
    return;
  }
  document.body.dataset.nodes = '0';
  loaded = null;
  table.show([], new Map(), '');
  panel.hide();
  noticeOfFailure(rpc, error, state);
  if (sectionNow(state) === 'explore')
    await picture.draw({ nodes: [], edges: [], groups: [], tabs: new Map() }, { root: '', marked: null, opened: [] });
}

// --- live ----------------------------------------------------------------------------------------------------------

/** Opens the watches that the state needs, closes those it does not. */
function follow() {
  watches.forEach((each) => each.close());
  watches = [];
  const state = now();
  if (!state.live) return;
  watches.push(watch(rpc, {}, somethingWritten));
  if (sectionNow(state) === 'read' && state.as_of === null)
    watches.push(...readPage.matches(state).map((match) => watch(rpc, match, match.ops ? readPage.changed : readPage.later)));
  if (sectionNow(state) !== 'explore' || state.as_of !== null) return;
  const near = debounced(() => reload({ isLive: true }), 80);
  const isOne = !state.with || state.with.startsWith('tx:');
  if (isOne && state.view !== 'impact') watches.push(watch(rpc, { upstream_of: state.ref, depth: state.up + 1 }, near));
  if (isOne)
    watches.push(
      watch(rpc, { downstream_of: state.ref, ...(state.view === 'impact' ? {} : { depth: state.down + 1 }) }, near),
    );
  watches.push(
    watch(rpc, { ops: ['status'] }, (refs) => [...refs].some((ref) => loaded?.model?.nodes.has(ref)) && near()),
  );
}

async function somethingWritten() {
  const head = info?.tx;
  await refreshInfo();
  if (info.tx === head) return;
  search.refresh();
  const section = sectionNow(now());
  if (section !== 'explore' && section !== 'read' && now().as_of === null) reload({ isLive: true });
}

// --- controls ------------------------------------------------------------------------------------------------------

function showState(state) {
  const section = sectionNow(state);
  showControls(state, section);
  search.moveTo(section === 'start' ? byId('start-search') : null);
  if (section !== 'explore') panel.hide();
  if (section !== 'answers') answers.leave();
  byId('undo-button').disabled = undo.isEmpty;
  table.setInSight(state.table);
}

/** Draws the neighbours behind a count where they are few, else lists them. */
function expand(ref, side, count) {
  if (!loaded?.model) return;
  if (count > ALL_UP_TO) go({ sel: `group ${side} ${ref}`, by: '' });
  // A second press on the same count asks for the next ones: the same entry again.
  else if (hasRoom()) go({ x: [...now().x, `${side} ${ref}`] });
}

function hasRoom() {
  const { model } = loaded;
  if (model.nodes.size < model.most) return true;
  notice(
    `${plural(model.most, 'node')} are loaded, which is the most. Undo, focus, or put another node in the middle first.`,
  );
  return false;
}

function togglePin(ref) {
  const { pin } = now();
  go({ pin: pin.includes(ref) ? pin.filter((each) => each !== ref) : [...pin, ref] });
}

function arrangeAnew() {
  if (!loaded?.model) return;
  setState('loading');
  redraw({ anew: true }).catch((error) => failed(error, now()));
}

/** How long what a key asks for may take to be there. */
const THERE_MS = 5000;
let wantedPlace = '';

/** Puts the keyboard on the first of what is asked for, when it is there; another key gives that up. */
async function focusOn(selector) {
  wantedPlace = selector;
  for (const began = performance.now(); performance.now() - began < THERE_MS; await new Promise((resolve) => setTimeout(resolve, 40))) {
    if (wantedPlace !== selector) return;
    const place = document.body.dataset.state === 'ready' ? document.querySelector(selector) : null;
    if (!place) continue;
    place.focus();
    return;
  }
}

const onStart = (selector) => {
  if (sectionNow(now()) !== 'start') goHome();
  focusOn(`#start ${selector}`);
};

function goHome() {
  go({ view: '', ref: '', sel: '', with: '', focus: false, x: [], w: 0, pin: [], all: 0, hide: '', path: '' });
  byId('start').scrollTop = 0;
}

/** The keyboard goes from the moment to what was asked for as of it. */
byId('moment-date').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  focusOn(sectionNow(now()) === 'start' ? '#start :is(.entry, .nothing-then button)' : 'main section:not([hidden]) :is(h1, a, button)');
});

const SPLITS = ['', 'agent', 'model', 'topic'];

const actions = {
  newest: () => onStart('[aria-label="Newest answers"] .entry'),
  worth: () => onStart('.eyes .entry'),
  sources: () => sectionNow(now()) === 'read' && focusOn('#read :is([data-name="suspects"], [data-name="sources"]) li a'),
  moment: () => byId('moment-date').focus(),
  lines: () => sectionNow(now()) === 'answers' && go({ split: SPLITS[(SPLITS.indexOf(now().split) + 1) % SPLITS.length] }),
  search: () => byId('search').focus(),
  undo: () => {
    undo.undo();
    showState(now());
  },
  focus: () => {
    if (sectionNow(now()) === 'answers') byId('answers-from').focus();
    if (sectionNow(now()) === 'explore') go({ focus: !now().focus, sel: now().sel || now().ref });
  },
  impact: () => {
    const { view, ref, sel } = now();
    if (view === 'impact') go({ view: '' });
    else if (sel || ref) open(sel || ref, { view: 'impact' });
  },
  more: (side) => {
    const ref = loaded?.model ? selectedIn(loaded.model, now()) : '';
    const group = picture.nodes?.get(`group ${side} ${ref}`);
    const count = group?.count ?? picture.shown.tabs.get(ref)?.[side] ?? 0;
    if (count > 0) expand(ref, side, count);
    else if (ref) byId('spoken').textContent = 'All its neighbours on this side are drawn.';
  },
  path: () => {
    const { path, sel, ref } = now();
    if (sectionNow(now()) === 'explore') go({ path: path ? '' : sel || ref });
  },
  pin: () => sectionNow(now()) === 'explore' && !groupOfRef(now().sel) && togglePin(now().sel || now().ref),
  arrange: arrangeAnew,
  table: () => go({ table: !now().table }),
  details: () => go({ details: byId('panel').hidden, sel: byId('panel').hidden ? now().sel || now().ref : '' }),
  // At an earlier moment nothing follows what is written: to follow it is to come back.
  live: () => go(now().as_of === null ? { live: !now().live } : { live: true, as_of: null }),
  dark: toggleTheme,
  answers: () => go({ view: now().view === 'answers' ? '' : 'answers', ref: '', sel: '' }),
  cypher: () => go({ view: ['cypher', 'console'].includes(now().view) ? '' : drawnView() }),
  read: () => {
    const { view, ref, sel } = now();
    if (view === 'page') open(ref);
    else if (sel || ref) openPage(sel || ref);
  },
  open: () => now().sel && now().sel !== now().ref && !groupOfRef(now().sel) && open(now().sel),
  about: () => about.open(),
  clear: () => go(now().path ? { path: '' } : { sel: '', details: false }),
};

/** From the picture of an answer back to where it was asked for. */
const drawnView = () => (now().view === 'answer' && drawn === queries ? 'console' : 'cypher');

function walk(dx, dy) {
  const ref = picture.beside(now().sel || now().ref, dx, dy);
  const node = picture.nodes?.get(ref);
  if (!node) return;
  go({ sel: ref });
  byId('spoken').textContent = node.isGroup ? groupWords(node).title : `${typeName(node.type)} ${titleOf(node, 80)}`;
}

byId('all-select').addEventListener('change', ({ target }) => go({ all: Number(target.value) }));
slider('up', (up) => go({ up }));
slider('down', (down) => go({ down }));
slider('weight', (w) => go({ w }));
const clicks = {
  'answers-button': actions.answers,
  'cypher-button': actions.cypher,
  'live-button': actions.live,
  'dark-button': actions.dark,
  'impact-button': actions.impact,
  'focus-button': actions.focus,
  'undo-button': actions.undo,
  'table-button': actions.table,
  'details-button': actions.details,
  'compare-button': () => openCompare(rpc, info?.tx ?? 0),
  'export-button': () => exporting.open(),
  'zoom-in': () => picture.zoom(1.3),
  'zoom-out': () => picture.zoom(1 / 1.3),
  'zoom-fit': () => picture.fit(),
  'arrange-button': actions.arrange,
};
for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener('click', action);
byId('home').addEventListener('click', (event) => {
  event.preventDefault();
  goHome();
});
byId('panel-content').addEventListener('click', ({ target }) => {
  const moment = target.closest('[data-moment]')?.dataset.moment;
  if (moment) go({ as_of: Number(moment) });
});
const showTheme = () => byId('dark-button').setAttribute('aria-pressed', String(isDark()));
document.addEventListener('themechange', () => {
  showTheme();
  if (loaded?.model) {
    legend();
    select();
  } else if (loaded?.section === 'start' || loaded?.section === 'read') reload({ isLive: true });
});
showTheme();
startKeyboard(actions, walk);

onChange(changed);
byId('legend').open = !matchMedia('(max-width: 760px)').matches;
startState();
undo.start();
follow();
