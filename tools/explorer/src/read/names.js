// What a node is called where people read it: its own first words, and links to its page.
import { h } from '../dom.js';
import { glyph } from '../picture/glyph.js';
import { pageHash } from '../state.js';
import { cut, idOfRef, labelOf, shortId, typeName, typeOfRef } from '../vocabulary.js';

/** The beginning of a text in one line. */
export const firstWords = (text, length = 90) =>
  typeof text === 'string' ? cut(text.slice(0, 20 * length).replace(/\s+/g, ' ').trim(), length) : '';

const withoutTags = (xml) => xml?.slice(0, 4000).replace(/<[^>]*>/g, ' ');

const TITLES = {
  Response: (record, node) => record.content ?? `${record.agent} · ${shortId(node.id.replace(/^resp_/, ''), 24)}`,
  Answer: (record) => record.answer ?? record.message,
  Message: (record, node) => record.text ?? `${record.role ? `${record.role}: ` : ''}${node.id}`,
  DiscussionRound: (record) =>
    `Round ${record.roundNumber}: ${record.moderatorResponse?.content ?? record.analyzerResponse?.content ?? ''}`,
  XMLMessageAttachment: (record) => withoutTags(record.xmlContent),
  Summary: (record) => `Version ${record.version}: ${record.increment ?? record.content ?? ''}`,
  ContextUnit: (record) => record.summary || record.content || record.source,
  SystemPromptTemplate: (record) => `${record.modelId}, version ${record.version}`,
  RetrievedChunk: (record) => record.content,
  ProvEntity: (record, node) => iriName(node.id),
  ProvActivity: (record, node) => iriName(node.id),
};

/** A thing of a pipeline by the last parts of its IRI, which are its name. */
export function iriName(iri) {
  const [path, part] = iri.split('#');
  const name = path.replace(/^urn:openlineage:job:/, '').replace(/^urn:uuid:/, 'run ').replace(/\/+$/, '');
  const last = name.slice(name.lastIndexOf('/') + 1) || name;
  if (!part) return last;
  const run = /^(run|read-by|job)[:=]/.exec(part);
  return run ? `${last} (${part.startsWith('read-by') ? 'as read' : 'as written'})` : `${last} #${part}`;
}

export function titleOf(node, length = 90) {
  const text = node.record && TITLES[node.type]?.(node.record, node);
  return firstWords(text, length) || labelOf(node, length);
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
