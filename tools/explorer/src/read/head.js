// The head of a page: what is shown, the facts, and what can be done with it.
import { download, h, reducedMotion } from '../dom.js';
import { countText, timeText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { openCompare } from '../pages/compare.js';
import { go, open } from '../state.js';
import { typeName } from '../vocabulary.js';
import { copy } from '../pages/copy.js';
import { markdownOf } from './copy.js';

/** What makes a case is fetched when one is wanted. */
const savedAsCase = (view, target, name) =>
  import('../case/save.js').then(
    ({ saveCase }) => saveCase(view, target, name),
    (error) => (target.textContent = error.message),
  );

const ACTS = new Set(['Response', 'Answer']);

export function headOf(view, page, sections, actions) {
  const { node, state } = view;
  return h(
    'div',
    { class: 'read-head', 'data-name': 'head' },
    h(
      'p',
      { class: 'kind' },
      glyph(node.type),
      page.kind ?? typeName(node.type),
      h('span', { class: 'ref mono' }, h('bdi', {}, node.ref)),
    ),
    h('h1', { tabindex: -1, dir: 'auto' }, page.title),
    page.lead && h('p', { class: 'lead', dir: 'auto' }, page.lead),
    h('div', { class: 'chips' }, node.status && statusChip(node.status), page.chips),
    page.facts?.length > 0 &&
      h(
        'dl',
        { class: 'facts-line' },
        page.facts.filter(Boolean).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
      ),
    view.isKept ? keptButtons(view, node) : buttons(view, node, actions),
    state.as_of !== null &&
      h(
        'p',
        { class: 'callout' },
        `This page is as of an earlier moment: transaction ${countText(view.ask.tx)}${view.at ? `, ${timeText(view.at)}` : ''}. `,
        h('button', { type: 'button', class: 'link', onclick: () => go({ as_of: null }) }, 'Show it as it is now'),
      ),
    node.expired &&
      h(
        'p',
        { class: 'callout warn' },
        node.purged
          ? 'The content was purged: somebody asked for its removal, and no moment shows it any more. '
          : 'The content has expired: it is older than this server keeps it. ',
        'Its place in the graph stays, with what it was made from and what came of it.',
      ),
    page.notices,
    sections.length > 3 && contents(sections),
  );
}

export const statusChip = (status) => h('span', { class: `chip ${status}` }, status);

const button = (id, text, title, onclick) => h('button', { type: 'button', id, title, onclick }, text);

/** What a page without a server can do. */
const keptButtons = (view, node) =>
  h('div', { class: 'actions', role: 'group', 'aria-label': 'This page' }, asText(view, node), onPaper());

const fileName = (node, suffix) => `whence-${node.id.replace(/[^\w.-]+/g, '_').slice(0, 60)}.${suffix}`;

const asText = (view, node) =>
  button('read-save', 'Save as text', 'This page as a Markdown file', () => download(fileName(node, 'md'), markdownOf(view)));

const onPaper = () => button('read-print', 'Print', 'This page on paper', () => print());

function buttons(view, node, actions) {
  return h(
    'div',
    { class: 'actions', role: 'group', 'aria-label': 'This page' },
    button('read-picture', 'Picture', 'What it was made from and what came of it, as a picture (r)', () => open(node.ref)),
    button('read-impact', 'Impact', 'All that rests on it (i)', () => open(node.ref, { view: 'impact' })),
    ACTS.has(node.type) &&
      !view.state.with &&
      button('read-compare', 'Compare', 'With an earlier moment, or with another answer: what they say and rest on', () =>
        openCompare(view.ask.rpc, view.ask.tx),
      ),
    button('read-copy', 'Copy link', 'The address of this page as of this moment', (event) => {
      const link = new URL(location.href);
      if (view.state.as_of === null) {
        // What a colleague sees should be what is seen here, however much is written meanwhile.
        const parts = new URLSearchParams(link.hash.slice(1));
        parts.set('as_of', view.ask.tx);
        link.hash = parts.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replace(/\+/g, '%20');
      }
      const { currentTarget: target } = event;
      copy(link.href).then((isCopied) => {
        target.textContent = isCopied ? 'Copied' : 'Not allowed';
        setTimeout(() => (target.textContent = 'Copy link'), 1500);
      });
    }),
    asText(view, node),
    ACTS.has(node.type) &&
      !view.state.with &&
      button('read-case', 'Save as a case', 'This answer with everything it rests on, in one file that needs no server', ({ currentTarget }) =>
        savedAsCase(view, currentTarget, fileName(node, 'html')),
      ),
    button('read-export', 'Export', 'Its records and edges in the formats of the server', actions.exporting),
    onPaper(),
  );
}

const contents = (sections) =>
  h(
    'nav',
    { class: 'contents', 'aria-label': 'On this page' },
    h(
      'ul',
      {},
      sections
        .filter(({ title }) => title)
        .map(({ name, title }) =>
          h(
            'li',
            {},
            h(
              'button',
              {
                type: 'button',
                class: 'link',
                onclick: () => {
                  const heading = document.getElementById(`read-${name}`);
                  heading?.focus({ preventScroll: true });
                  heading?.scrollIntoView({ behavior: reducedMotion() ? 'auto' : 'smooth' });
                },
              },
              title,
            ),
          ),
        ),
    ),
  );
