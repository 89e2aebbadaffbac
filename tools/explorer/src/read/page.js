// The page of a node, to read: what it says, what it was made from, what came of it. Each kind of node has a module that
// says what its page has; this one puts it on the page, and looks again when something near it changes.
import { asNamed, byId, h, reducedMotion, show } from '../dom.js';
import { glyph } from '../picture/glyph.js';
import { NOT_FOUND } from '../server/rpc.js';
import { laterText, recordedLater } from '../server/unknown.js';
import { timeOfTransaction } from '../server/watch.js';
import { go, now } from '../state.js';
import { typeName } from '../vocabulary.js';
import { actPage } from './act.js';
import { around } from './around.js';
import { discussionPage } from './discussion.js';
import { documentPage } from './document.js';
import { genericPage, recordSection } from './generic.js';
import { headOf } from './head.js';
import { titleOf } from './names.js';
import { personPage } from './person/person.js';
import { provPage } from './prov.js';
import { sideBySide } from './questions/side_by_side.js';
import { topicPage } from './topic.js';
import { unitPage } from './unit.js';
import { Kept, View } from './view.js';

const PAGES = {
  Response: actPage,
  Answer: actPage,
  ContextUnit: unitPage,
  Summary: unitPage,
  SystemPromptTemplate: unitPage,
  Document: documentPage,
  RetrievedChunk: documentPage,
  Topic: topicPage,
  Message: topicPage,
  XMLMessageAttachment: topicPage,
  Discussion: discussionPage,
  DiscussionRound: discussionPage,
  SummaryEntry: discussionPage,
  Person: personPage,
  Session: personPage,
  ProvEntity: provPage,
  ProvActivity: provPage,
  ProvAgent: provPage,
};

/** Pages whose place is remembered for a reader who comes back. */
const KEPT_MAX = 20;
const LIVE_MS = 1200;
/** A page that follows leaves the server alone for this many times as long as a look took. */
const PAUSES = 4;

/**
 * What a page is made of.
 * @typedef {object} Page
 * @property {string} title
 * @property {[string, any][]} [facts] names and values below the title
 * @property {any[]} [chips]
 * @property {any[]} [notices] what the reader has to know first
 * @property {{name: string, title: string, note?: any, body: any | (() => Promise<any>)}[]} sections those without
 *   content are left out
 */

export class ReadPage {
  /**
   * @param {import('../server/rpc.js').Rpc} rpc
   * @param {{exporting(): void, failed(error: Error): void, around?: (view: View) => object}} actions `around`: the section that shows
   *   what is near, where it is another than the small picture
   */
  constructor(rpc, actions) {
    this.rpc = rpc;
    this.actions = actions;
    this.box = byId('read');
    this.turn = 0;
    this.ref = null;
    this.pages = new Map();
    this.isFollowed = false;
    this.isMoved = false;
    this.times = new Map();
    // A link begins at the top of its page, "back" where the reader was.
    this.box.addEventListener('click', ({ target }) => {
      this.isFollowed ||= Boolean(target.closest('a'));
      this.isMoved ||= Boolean(target.closest('[data-moment]'));
    });
    this.box.addEventListener('scroll', () => this.ref && (this.keptOf(this.ref).scrollTop = this.box.scrollTop), {
      passive: true,
    });
    // The small picture is made for the width that there is.
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (width && contentRect.width && Math.abs(contentRect.width - width) > 40) this.later();
      width = contentRect.width || width;
    }).observe(this.box);
  }

  keptOf(ref) {
    const kept = this.pages.get(ref) ?? new Kept();
    this.pages.delete(ref);
    this.pages.set(ref, kept);
    if (this.pages.size > KEPT_MAX) this.pages.delete(this.pages.keys().next().value);
    return kept;
  }

  /** What to watch: the page is looked at again when something of it happens. */
  matches({ ref, with: other }) {
    const type = ref.slice(0, ref.indexOf(':'));
    const matches = [
      { upstream_of: ref, depth: 2 },
      { downstream_of: ref, depth: 2 },
      { ops: ['status', 'delete', 'expire', 'changed'] },
      { types: ['FeedbackRecord'] },
    ];
    if (other) matches.push({ upstream_of: other, depth: 2 });
    if (type === 'Person' || type === 'Session') matches.push({ types: ['Response', 'FeedbackRecord'] });
    if (type === 'Topic') matches.push({ topics: [ref.slice(6)] });
    if (type.startsWith('Discussion') || type === 'SummaryEntry')
      matches.push({ types: ['Discussion', 'DiscussionRound', 'SummaryEntry'] });
    return matches;
  }

  /**
   * Shows the page of `state.ref` as of `state.as_of`, and says to `asOf` which transaction that is. A page that is there
   * already changes only where it differs.
   */
  async show(state, asOf = () => {}) {
    const turn = ++this.turn;
    const key = state.with ? `${state.ref} ${state.with}` : state.ref;
    const isNew = this.ref !== key;
    const isFirst = this.ref === null;
    const view = new View(this, state, this.keptOf(key));
    view.isCurrent = () => turn === this.turn;
    try {
      view.node = await view.ask.start(state.ref);
    } catch (error) {
      // A server that is busy for a short time takes nothing from a page that is there.
      if (turn === this.turn && (isNew || error.code === NOT_FOUND)) this.clear();
      const later = view.isKept ? null : await recordedLater(this.rpc, error, state.as_of);
      if (!later) throw error;
      if (turn === this.turn) this.notYet(later);
      return;
    }
    if (turn !== this.turn) return;
    asOf(view.ask.tx);
    const [page, at] = await Promise.all([state.with ? sideBySide(view, state.with) : pageOf(view)(view), state.as_of === null ? null : this.timeOf(view.ask.tx)]);
    if (turn !== this.turn) return;
    view.at = at;
    document.title = asNamed(`${titleOf(view.node, 60)} · Whence`);
    const own = state.with ? [] : [(this.actions.around ?? around)(view), recordSection(view)];
    const sections = [...page.sections, ...own].filter(Boolean);
    const parts = sections.map((section) => sectionOf(section));
    const head = headOf(view, page, sections, this.actions);
    const all = [head, ...parts.map(({ element }) => element)];
    if (isNew) {
      const scrollTop = this.isFollowed ? 0 : view.kept.scrollTop;
      this.isFollowed = false;
      this.isMoved = false;
      this.ref = key;
      this.article = h('article', { class: 'inner', 'data-type': view.node.type }, all);
      show(this.box, this.article);
      this.box.scrollTop = scrollTop;
      const heading = () => this.article.querySelector('h1').focus({ preventScroll: true });
      if (!isFirst) heading();
      await Promise.all(parts.map(({ filled }) => filled));
      if (turn !== this.turn) return;
      const hadFocus = head.contains(document.activeElement);
      head.replaceWith(
        headOf(
          view,
          page,
          sections.filter((_, i) => parts[i].element.isConnected),
          this.actions,
        ),
      );
      if (scrollTop) this.box.scrollTop = scrollTop;
      if (hadFocus) heading();
    } else {
      await Promise.all(parts.map(({ filled }) => filled));
      if (turn !== this.turn) return;
      const present = parts.map(({ element }) => element).filter((element) => !element.hidden);
      const names = new Set(present.map((element) => element.dataset.name));
      const again = headOf(
        view,
        page,
        sections.filter(({ name }) => names.has(name)),
        this.actions,
      );
      this.reconcile([again, ...present]);
      // Another moment of the same page was asked for, which its head says.
      if (this.isMoved) this.box.scrollTop = 0;
      this.isMoved = false;
    }
  }

  /** When a transaction was, null where the server does not say. */
  async timeOf(tx) {
    if (!this.times.has(tx)) this.times.set(tx, await timeOfTransaction(this.rpc, tx));
    return this.times.get(tx);
  }

  /** In the place of a page of something that was recorded after the moment. */
  notYet(later) {
    const { node, tx } = later;
    const button = (text, asOf, kind) => h('button', { type: 'button', class: kind, onclick: () => go({ as_of: asOf }) }, text);
    document.title = asNamed(`${titleOf(node, 60)} · Whence`);
    show(
      this.box,
      h(
        'article',
        { class: 'inner', id: 'read-later' },
        h('p', { class: 'kind' }, glyph(node.type), typeName(node.type), h('span', { class: 'ref mono' }, h('bdi', {}, node.ref))),
        h('h1', { tabindex: -1, dir: 'auto' }, titleOf(node, 160)),
        h('p', { class: 'callout' }, laterText(later)),
        h('p', { class: 'actions' }, button('The first moment it existed', tx, 'primary'), button('Show it as it is now', null)),
      ),
    );
  }

  /** As `later`, where something went or changed: what opened parts had is asked for again. */
  changed = () => {
    for (const kept of this.pages.values()) kept.filled.clear();
    this.later();
  };

  /**
   * Looks again soon, however much happens: once for all of it, and rarer where a look takes the server longer. As an
   * arrow, since watches call it.
   */
  later = () => {
    if (this.timer) return;
    this.timer = setTimeout(
      async () => {
        const began = performance.now();
        if (now().view === 'page' && this.ref) await this.again();
        this.took = performance.now() - began;
        this.timer = 0;
      },
      Math.max(LIVE_MS, PAUSES * (this.took ?? 0)),
    );
  };

  clear() {
    this.ref = null;
    show(this.box);
  }

  /** Looks again; what then matches `focus` gets the focus. */
  async again(focus = null) {
    try {
      await this.show({ ...now() });
      const target = focus && this.article.querySelector(focus);
      if (!target) return;
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
      target.scrollIntoView({ block: 'nearest', behavior: reducedMotion() ? 'auto' : 'smooth' });
    } catch (error) {
      this.actions.failed(error);
    }
  }

  /** Puts the parts that differ in place of those shown; what the reader looks at stays where it is. */
  reconcile(fresh) {
    const old = new Map([...this.article.children].map((element) => [element.dataset.name, element]));
    const top = this.box.getBoundingClientRect().top;
    const anchor = [...this.article.children].find((element) => element.getBoundingClientRect().bottom > top);
    const offset = anchor ? anchor.getBoundingClientRect().top : 0;
    const used = fresh.map((element) => {
      const before = old.get(element.dataset.name);
      return before?.isEqualNode(element) ? before : element;
    });
    // What goes, goes first: an element that stays is not moved, which would take its focus.
    const wanted = new Set(used);
    for (const element of [...this.article.children]) if (!wanted.has(element)) element.remove();
    let at = this.article.firstElementChild;
    for (const element of used) {
      if (element === at) at = at.nextElementSibling;
      else this.article.insertBefore(element, at);
    }
    const stays = anchor && this.article.querySelector(`:scope > [data-name="${anchor.dataset.name}"]`);
    if (stays) this.box.scrollTop += stays.getBoundingClientRect().top - offset;
  }
}

/** A case has what pages of answers ask for; of other records it has what they say. */
const pageOf = (view) => {
  const own = PAGES[view.node.type];
  return own && (own === actPage || !view.isKept) ? own : genericPage;
};

/** A section, and the promise that it has its content; one without content goes. */
function sectionOf({ name, title, note, body, element: own }) {
  if (own) return { element: own, filled: Promise.resolve() };
  const element = h(
    'section',
    { 'data-name': name, 'aria-labelledby': `read-${name}` },
    title && h('h2', { id: `read-${name}`, tabindex: -1 }, title, note && h('span', { class: 'note' }, note)),
  );
  const fill = (content) => {
    const nodes = [content].flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false);
    if (nodes.length) element.append(...nodes);
    else {
      element.hidden = true;
      element.remove();
    }
  };
  if (typeof body !== 'function') {
    fill(body);
    return { element, filled: Promise.resolve() };
  }
  const waiting = h('p', { class: 'faint waiting' }, 'Loading…');
  element.append(waiting);
  const filled = body().then(
    (content) => {
      waiting.remove();
      fill(content);
    },
    () => {
      waiting.textContent = 'The server did not answer this part.';
    },
  );
  return { element, filled };
}
