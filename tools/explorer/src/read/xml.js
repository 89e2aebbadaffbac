// The XML texts of a conversation: their parts as people read them, and their source as a tree that folds.
import { h } from '../dom.js';
import { countText, memberWords, percent } from '../form.js';
import { pageLink } from './names.js';
import { plainText } from './texts.js';

const NODES_MAX = 2000;
const TEXT_MAX = 20_000;
const DEPTH_OPEN = 3;

/** The document, or null where the text is none. It is only read: nothing in it runs or is fetched. */
function parse(xml) {
  const parsed = new DOMParser().parseFromString(xml, 'application/xml');
  return parsed.querySelector('parsererror') ? null : parsed.documentElement;
}

const textIn = (root, name) => {
  const found = [...(root?.children ?? [])].find((child) => child.localName === name);
  return found?.textContent.trim() || null;
};

export const questionIn = (xml) => textIn(parse(xml), 'userMessage');

export const responseIn = (xml) => textIn(parse(xml), 'response');

/** What a document says: the message, and what was found in it. */
export function xmlParts(view, key, xml) {
  const root = parse(xml);
  if (!root) return h('p', { class: 'faint' }, 'The text is not well-formed XML; its source is below.');
  const message = textIn(root, 'userMessage') ?? textIn(root, 'response');
  const subjects = [...root.querySelectorAll('subject')].slice(0, 50);
  const update = root.querySelector('summaryUpdate')?.textContent.trim();
  const context = root.querySelector('context');
  return [
    message && plainText(view, `${key} message`, message, { first: 3000 }),
    subjects.length > 0 &&
      h(
        'ul',
        { class: 'plain found', 'aria-label': 'Subjects found in it' },
        subjects.map((subject) =>
          h(
            'li',
            {},
            h('b', {}, h('bdi', {}, subject.getAttribute('name') ?? 'subject')),
            subject.getAttribute('description') && [': ', h('bdi', {}, subject.getAttribute('description'))],
            h('span', { class: 'keywords' }, keywordsOf(subject)),
          ),
        ),
      ),
    update && h('p', { class: 'faint' }, 'For the summary: ', h('bdi', {}, update.slice(0, 1000))),
    context && contextOf(context),
  ];
}

const keywordsOf = (subject) =>
  [...subject.querySelectorAll('keyword')].slice(0, 50).map((keyword) => {
    const term = (keyword.getAttribute('term') ?? keyword.textContent).trim();
    const confidence = Number(keyword.getAttribute('confidence'));
    return [
      ' ',
      pageLink(`Keyword:${term}`, term, {
        class: 'chip',
        title: keyword.hasAttribute('confidence') ? `confidence ${percent(confidence)}` : null,
      }),
    ];
  });

function contextOf(context) {
  const parts = [...context.attributes].map(({ name, value }) => `${memberWords(name)}: ${value}`);
  for (const child of context.children) parts.push(`${memberWords(child.localName)}: ${child.textContent.trim()}`);
  return h('p', { class: 'faint' }, 'With the context ', h('bdi', {}, parts.join(' · ').slice(0, 1000)));
}

/** The source as a tree whose elements fold; as plain text where it is no XML or too large for a tree. */
export function xmlSource(xml) {
  const root = parse(xml);
  if (!root || root.getElementsByTagName('*').length > NODES_MAX)
    return h(
      'pre',
      { class: 'xml', tabindex: 0 },
      xml.length > 10 * TEXT_MAX ? `${xml.slice(0, 10 * TEXT_MAX)}…` : xml,
    );
  return h(
    'div',
    { class: 'xml-tree mono', tabindex: 0, role: 'group', 'aria-label': 'XML source' },
    elementOf(root, 0),
  );
}

function elementOf(element, depth) {
  const start = ['<', h('span', { class: 'tag' }, element.nodeName), attributesOf(element)];
  const end = ['</', h('span', { class: 'tag' }, element.nodeName), '>'];
  const children = [...element.childNodes].filter((node) => node.nodeType !== Node.TEXT_NODE || node.data.trim());
  if (children.length === 0) return h('div', {}, start, '/>');
  if (children.every((node) => node.nodeType === Node.TEXT_NODE) && element.textContent.length < 160)
    return h('div', {}, start, '>', h('bdi', {}, element.textContent.trim()), end);
  return h(
    'details',
    { open: depth < DEPTH_OPEN },
    h('summary', {}, start, '>', h('span', { class: 'faint closed' }, ` … ${countText(children.length)} inside`)),
    h(
      'div',
      { class: 'inside' },
      children.map((node) => nodeOf(node, depth + 1)),
    ),
    h('div', {}, end),
  );
}

function nodeOf(node, depth) {
  if (node.nodeType === Node.ELEMENT_NODE) return elementOf(node, depth);
  const text = node.data?.trim() ?? '';
  const shown = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  return node.nodeType === Node.COMMENT_NODE
    ? h('div', { class: 'faint' }, `<!-- ${shown} -->`)
    : h('div', { class: 'xml-text', dir: 'auto' }, shown);
}

const attributesOf = (element) =>
  [...element.attributes].map(({ name, value }) => [
    ' ',
    h('span', { class: 'attribute' }, name),
    '="',
    h('bdi', {}, value),
    '"',
  ]);
