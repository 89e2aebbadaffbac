// A few words of a node for the side panel: what was asked, and how its text begins.
import { h } from '../dom.js';
import { firstWords, titleOf } from './names.js';
import { responseIn } from './xml.js';

const TEXT = 280;

/**
 * @param {(method: string, params: object) => Promise<object | null>} optional asks the server, null where it refuses
 * @returns {Promise<{title: string, text: string}>}
 */
export async function glance(node, optional) {
  const record = node.record ?? {};
  const title = titleOf(node, 160);
  if (node.type !== 'Response' && node.type !== 'Answer') {
    const text = firstWords(record.content ?? record.promptText ?? record.summary ?? record.description, TEXT);
    return { title, text: text.startsWith(title.replace(/…$/, '')) && text.length <= title.length ? '' : text };
  }
  const request = node.type === 'Answer' ? node.id : record.request_id;
  const rendered = node.edges?.find((edge) => edge.type === 'RENDERED_AS' && edge.from === node.ref);
  const [query, attachment] = await Promise.all([
    request ? optional('node.get', { ref: `Query:${request}`, include: ['record'] }) : null,
    rendered && !record.content
      ? optional('attachment.get', { hash: rendered.to.slice(rendered.to.indexOf(':') + 1) })
      : null,
  ]);
  const question = firstWords(query?.nodes[0]?.record?.question ?? record.question ?? record.prompt, 160);
  const text = firstWords(record.answer ?? record.content ?? (attachment?.xml && responseIn(attachment.xml)), TEXT);
  return { title: question || title, text: question || text !== title ? text : '' };
}

/** The words below the panel's title, null where there are none. */
export const glanceText = ({ text }) => (text ? h('p', { class: 'glance', dir: 'auto' }, text) : null);
