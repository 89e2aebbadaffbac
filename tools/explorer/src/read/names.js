// What a node is called where people read it: its own first words, and links to its page.
import { h } from '../dom.js';
import { countText, minuteText, timeText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { pageHash } from '../state.js';
import { lineOf, questionOf } from './texts.js';
import { cut, idOfRef, isSeen, labelOf, shortId, timeOf, typeName, typeOfRef } from '../vocabulary.js';

/** The beginning of a text in one line; texts may be megabytes. */
export const firstWords = (text, length = 90) =>
  typeof text === 'string' && isSeen(text.slice(0, 20 * length))
    ? cut(
        text
          .slice(0, 20 * length)
          .replace(/\s+/g, ' ')
          .trim(),
        length,
      )
    : '';

const SAYS = ['content', 'answer', 'question', 'prompt', 'text', 'promptText', 'xmlContent', 'xml', 'feedback_text', 'summary', 'description'];

/** Of a record, what it says; undefined where it says nothing. */
export const saidBy = (record) => SAYS.map((name) => record?.[name]).find((value) => typeof value === 'string' && value);

const withoutTags = (xml) => xml?.slice(0, 4000).replace(/<[^>]*>/g, ' ');

const AGENT_MAX = 30;

/** A response without a text: by whom, and when. */
function byWhomAndWhen({ agent }, node) {
  const time = timeOf(node);
  return [cut(agent ?? '', AGENT_MAX), time !== null && minuteText(time)].filter(Boolean).join(' · ');
}

const TITLES = {
  Response: (record, node) => questionOf(record) || record.content || byWhomAndWhen(record, node),
  Answer: (record) => record.answer ?? record.message,
  Message: (record, node) => record.text ?? `${record.role ? `${record.role}: ` : ''}${node.id}`,
  DiscussionRound: (record) =>
    `Round ${record.roundNumber}: ${record.moderatorResponse?.content ?? record.analyzerResponse?.content ?? ''}`,
  XMLMessageAttachment: (record) => withoutTags(record.xmlContent),
  Summary: (record) => `Version ${record.version}: ${record.increment ?? record.content ?? ''}`,
  ContextUnit: (record) => record.summary || (record.content && lineOf(record.content)) || record.source,
  SystemPromptTemplate: (record) => `${record.modelId}, version ${record.version}`,
  RetrievedChunk: (record) => record.content,
  ProvEntity: (record, node) => provName(record, node),
  ProvActivity: (record, node) => provName(record, node),
  ProvAgent: (record, node) => provName(record, node),
};

/** A value of PROV-JSON: literals are objects with the text under `$`, several values a list. */
export function plainOf(value) {
  const first = Array.isArray(value) ? value[0] : value;
  return first !== null && typeof first === 'object' ? (first.$ ?? null) : (first ?? null);
}

/** Versions and runs of one thing have one label; when they were written, or began, distinguishes them. */
function provName(record, node) {
  const attributes = (Array.isArray(record.attributes) ? record.attributes[0] : record.attributes) ?? {};
  const label = plainOf(attributes['prov:label']);
  if (label === null) return iriName(node.id);
  const type = String(plainOf(attributes['prov:type']) ?? '');
  const generated = record.relations?.find(({ relation }) => relation === 'wasGeneratedBy');
  const time = plainOf(generated?.attributes?.['prov:time']) ?? plainOf(attributes['prov:startTime']);
  const when = time ? ` ${timeText(time)}` : '';
  if (type.endsWith(':DatasetVersion')) return `${label}, written${when}`;
  if (type.endsWith(':DatasetReading')) return `${label}, as a run read it`;
  return type.endsWith('Run') ? `${label}, run${when}` : String(label);
}

/** A thing of a pipeline by the last parts of its IRI, which are its name. */
export function iriName(iri) {
  const [path, part] = iri.split('#');
  const name = path
    .replace(/^urn:openlineage:job:/, '')
    .replace(/^urn:uuid:/, 'run ')
    .replace(/\/+$/, '');
  const last = name.slice(name.lastIndexOf('/') + 1) || name;
  if (!part) return last;
  const run = /^(run|read-by|job)[:=]/.exec(part);
  return run ? `${last} (${part.startsWith('read-by') ? 'as read' : 'as written'})` : `${last} #${part}`;
}

/** What a node is called: `title`, where that was found elsewhere, else as its record says. */
export function titleOf(node, length = 90) {
  const text = node.title ?? (node.record && TITLES[node.type]?.(node.record, node));
  return firstWords(text, length) || labelOf(node, length);
}

/** By the source of a unit, which may be any text: `constructor` is none of them. */
const SAID_BEFORE = {
  __proto__: null,
  'message:user': 'question',
  'message:human': 'question',
  'message:system': 'instruction',
  'message:developer': 'instruction',
};

/** `question` or `instruction`: what an answer was asked and instructed, which is no source to doubt; null of all else. */
export function roleOf({ type, record }) {
  if (type === 'ContextUnit') return SAID_BEFORE[record?.source] ?? null;
  if (type === 'SystemPromptTemplate') return 'instruction';
  return type === 'Query' || (type === 'XMLMessageAttachment' && record?.format === 'llm-query') ? 'question' : null;
}

/** A link to the page of a node. */
export const pageLink = (ref, text, attributes = {}) =>
  h('a', { href: pageHash(ref), 'data-ref': ref, ...attributes }, h('bdi', {}, text ?? shortId(idOfRef(ref), 40)));

/** A line for a node: its shape, its first words as a link, notes at the end. */
export function nodeLine(node, ...notes) {
  return h(
    'div',
    { class: 'node-line' },
    glyph(node.type ?? typeOfRef(node.ref)),
    h(
      'span',
      { class: 'node-text' },
      pageLink(node.ref, node.record ? titleOf(node, 140) : undefined),
      h('span', { class: 'faint' }, ` ${typeName(node.type ?? typeOfRef(node.ref))}`),
      node.expired && h('span', { class: 'faint' }, node.purged ? ' · content purged' : ' · content expired'),
    ),
    notes.some(Boolean) && h('span', { class: 'notes' }, notes),
  );
}

/** How many of each type, as words. */
export const countsText = (counts) =>
  Object.entries(counts)
    .map(([type, many]) => `${countText(many)} ${pluralName(type, many)}`)
    .join(', ');

/** `responses`, `entries`: the name of a type in the middle of a sentence. */
export function pluralName(type, many) {
  const name = typeName(type).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  if (many === 1) return name;
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}
