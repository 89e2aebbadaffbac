// Ratings: those that are there, and a form that writes one where the token allows writing. A rating cannot be taken
// back, so the form first shows what it will write.
import { h, show, svg } from '../dom.js';
import { countText, scoreText, timeText } from '../form.js';
import { describe } from '../server/rpc.js';
import { go, now } from '../state.js';
import { pageLink } from './names.js';
import { KEPT, newestOf } from './ask.js';
import { bounded } from './texts.js';

const FORBIDDEN = -32011;
const SHOWN = 10;
const NAME_KEY = 'whence-name';
const THUMB =
  'M2 10h4v11H2zM8 21h9.5a2.5 2.5 0 0 0 2.4-1.9l1.6-6.4A2.2 2.2 0 0 0 19.4 10H14l.9-4.6A2.4 2.4 0 0 0 12.5 2.5L8 10z';

const thumb = (isUp) =>
  svg(
    'svg',
    { viewBox: '0 0 24 24', class: 'thumb', 'aria-hidden': 'true' },
    svg('path', { d: THUMB, transform: isUp ? null : 'rotate(180 12 12)' }),
  );

/** Who rated, as a way to their page. */
export const raterLink = (person) => pageLink(`Person:${person}`, person);

/** A rating with its words, and notes at the end; one in words alone has no score. */
export const ratingLine = ({ score, feedback_text: text }, ...notes) => [
  score === undefined
    ? h('span', { class: 'score' }, 'no score')
    : h('span', { class: `score ${score < 0 ? 'bad' : 'good'}` }, thumb(score >= 0), h('b', {}, scoreText(score))),
  h('span', { class: 'rating-text' }, text && h('bdi', {}, text)),
  h('span', { class: 'notes' }, notes),
];

/** The ratings of a record, with all that the reader has asked to see. */
export const ratingsOf = (view) => newestOf(view.ask, 'feedback.list', { ref: view.node.ref }, 'records', Math.max(KEPT, view.limit('ratings', 0)));

/** Ratings, newest first; of very many the newest, and `count` says how many there are: a case has no more, a page asks for them. */
export function ratingsList(view, records, count = records.length) {
  if (records.length === 0) return null;
  const newest = [...records].sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  const list = h(
    'ul',
    { class: 'plain ratings' },
    bounded(view, 'ratings', newest, SHOWN, (record, i) =>
      h('li', { 'data-entry': i }, ratingLine(record, record.user_id && [raterLink(record.user_id), ' · '], timeText(record.timestamp))),
      view.isKept ? records.length : Math.max(count, records.length),
    ),
  );
  return [
    list,
    view.isKept &&
      count > records.length &&
      h('p', { class: 'faint' }, `The newest ${countText(records.length)} of ${countText(count)} ratings are listed.`),
  ];
}

/** The form, one for as long as the page is of this node: what is half typed stays while the page is looked at again. */
export const ratingForm = (view, node) =>
  view.held(`rate ${view.state.as_of}`, () => new RatingForm(view, node).element);

class RatingForm {
  constructor(view, node) {
    this.view = view;
    this.node = node;
    this.body = h('div', { class: 'rate' });
    this.element = h(
      'section',
      { 'data-name': 'rate', 'aria-label': 'Rate this answer', 'data-copy': 'no' },
      this.body,
    );
    this.sign = 0;
    if (view.state.as_of !== null) this.past();
    else this.ask();
  }

  past() {
    show(
      this.body,
      h(
        'p',
        { class: 'faint' },
        'Ratings are given to what is there now. ',
        h('button', { type: 'button', class: 'link', onclick: () => go({ as_of: null }) }, 'Show it as it is now'),
      ),
    );
  }

  ask() {
    const button = (isUp, text) =>
      h(
        'button',
        {
          type: 'button',
          class: 'thumb-button',
          'aria-pressed': 'false',
          id: isUp ? 'rate-good' : 'rate-bad',
          onclick: () => this.choose(isUp ? 1 : -1),
        },
        thumb(isUp),
        text,
      );
    this.buttons = [button(true, 'Good'), button(false, 'Bad')];
    this.more = h('div', { class: 'rate-more' });
    this.strength = h(
      'select',
      { id: 'rate-strength', onchange: () => this.preview() },
      h('option', { value: '1' }, 'fully'),
      h('option', { value: '0.5' }, 'partly'),
    );
    this.text = h('textarea', { id: 'rate-text', rows: 3, maxlength: 1000, oninput: () => this.preview() });
    this.name = h('input', {
      id: 'rate-name',
      type: 'text',
      maxlength: 100,
      autocomplete: 'name',
      oninput: () => this.preview(),
    });
    this.name.value = sessionStorage.getItem(NAME_KEY) ?? '';
    this.written = h('pre', { class: 'preview', id: 'rate-preview' });
    this.message = h('p', { role: 'status', id: 'rate-message' });
    show(
      this.body,
      h(
        'div',
        { class: 'thumbs', role: 'group', 'aria-label': 'Rate this answer' },
        h('span', {}, 'Is it right?'),
        this.buttons,
      ),
      this.more,
      this.message,
    );
  }

  async choose(sign) {
    this.sign = this.sign === sign ? 0 : sign;
    const [good, bad] = this.buttons;
    good.setAttribute('aria-pressed', String(this.sign === 1));
    bad.setAttribute('aria-pressed', String(this.sign === -1));
    this.message.textContent = '';
    if (this.sign === 0) {
      show(this.more);
      return;
    }
    if (!this.more.firstChild) this.open();
    this.preview();
    this.text.focus();
    await this.mayWrite();
  }

  open() {
    const label = (text, field, hint) =>
      h('label', { for: field.id }, h('span', {}, text, hint && h('span', { class: 'faint' }, ` ${hint}`)), field);
    this.submit = h('button', { type: 'submit', class: 'primary', id: 'rate-write' }, 'Write this rating');
    show(
      this.more,
      h(
        'form',
        {
          id: 'rate-form',
          onsubmit: (event) => {
            event.preventDefault();
            this.write();
          },
        },
        label('How strongly', this.strength),
        label('Why', this.text, '(optional, others see it)'),
        label('Your name', this.name, '(optional)'),
        h(
          'p',
          { class: 'faint' },
          'It counts for the score of every source that the answer uses, and cannot be taken back.',
        ),
        h('details', { class: 'fold-part small' }, h('summary', {}, 'As JSON'), this.written),
        h(
          'p',
          { class: 'actions' },
          this.submit,
          h('button', { type: 'button', onclick: () => this.choose(this.sign) }, 'Cancel'),
        ),
      ),
    );
  }

  record() {
    const { node } = this;
    const text = this.text.value.trim();
    const name = this.name.value.trim();
    return {
      $type$: 'FeedbackRecord',
      ...(node.type === 'Response' ? { response_id: node.id } : { ref: node.ref }),
      timestamp: new Date().toISOString(),
      score: this.sign * Number(this.strength.value),
      ...(text && { feedback_text: text }),
      ...(name && { user_id: name }),
    };
  }

  preview() {
    this.written.textContent = JSON.stringify(this.record(), null, 2);
  }

  /** A dry run says whether this token may write at all, before somebody has typed a reason. */
  async mayWrite() {
    try {
      await this.view.page.rpc.call('records.write', { records: [this.record()], dry_run: true });
    } catch (error) {
      if (error.code === FORBIDDEN) this.readOnly();
      else this.message.textContent = describe(error);
    }
  }

  readOnly() {
    show(this.more);
    for (const button of this.buttons) {
      button.disabled = true;
      button.setAttribute('aria-pressed', 'false');
    }
    this.message.textContent = 'Your token may read only. A rating needs one with the role write.';
  }

  async write() {
    this.submit.disabled = true;
    const record = this.record();
    sessionStorage.setItem(NAME_KEY, record.user_id ?? '');
    // With a key the write stays one, however often it is sent again over a lost connection.
    this.key ??= `explorer-${Date.now()}-${Math.random().toString(36).slice(2)}`;
    try {
      await this.view.page.rpc.call('records.write', { records: [record], idempotency_key: this.key });
      this.key = null;
      this.text.value = '';
      await this.choose(this.sign);
      this.message.textContent = 'The rating is written.';
      if (now().view === 'page') await this.view.page.again();
    } catch (error) {
      this.key = null;
      this.submit.disabled = false;
      this.message.textContent = describe(error);
    }
  }
}
