// The page of a conversation: its messages in order, each as people read it with its XML beside; its subjects, keywords
// and summaries. A message and an attachment have pages of their own.
import { h } from '../dom.js';
import { countText, plural, timeText } from '../form.js';
import { effects, historySection, timeFact } from './generic.js';
import { nodeLine, pageLink, titleOf } from './names.js';
import { bounded, boundedFound, plainText } from './texts.js';
import { xmlParts, xmlSource } from './xml.js';

const MESSAGES = 20;
const WORDS = 40;
const SUMMARIES = 5;

export function topicPage(view) {
  if (view.node.type === 'Topic') return conversationPage(view);
  return view.node.type === 'Message' ? messagePage(view) : attachmentPage(view);
}

async function conversationPage(view) {
  const { node, ask } = view;
  const [messages, subjects, summaries] = await Promise.all([
    ask.count('Message', { topicId: node.id }),
    ask.find('Subject', { topic: node.id }, { by: 'messageCount', desc: true }, view.limit('subjects', WORDS) + 1),
    ask.find('Summary', { topic: node.id }, { by: 'version', desc: true }, view.limit('summaries', SUMMARIES) + 1),
  ]);
  return {
    kind: 'Conversation',
    title: titleOf(node, 160),
    facts: [
      ['messages', countText(messages)],
      timeFact(node, 'began'),
      node.record?.name && ['id', h('bdi', {}, node.id)],
    ],
    sections: [
      summaries.length > 0 && {
        name: 'summary',
        title: 'Summary',
        note: ` version ${summaries[0].record?.version ?? ''}`,
        body: () => summary(view, summaries),
      },
      { name: 'messages', title: 'Messages', body: () => conversation(view, messages) },
      subjects.length > 0 && { name: 'subjects', title: 'Subjects', body: subjectList(view, subjects) },
      { name: 'keywords', title: 'Keywords', body: () => keywords(view) },
      historySection(view),
    ].filter(Boolean),
  };
}

/** The messages in order, with the XML of each. */
async function conversation(view, count) {
  const { ask, node } = view;
  const key = 'messages';
  const wanted = view.limit(key, MESSAGES);
  const messages = await ask.find('Message', { topicId: node.id }, { by: 'createdAt' }, wanted);
  if (messages.length === 0) return h('p', { class: 'faint' }, 'It has no messages.');
  const listed = await ask.optional('attachment.list', { topicId: node.id, limit: Math.min(1000, wanted + 50) });
  const attachments = new Map((listed?.records ?? []).map((record) => [record.messageId, record]));
  const missing = messages.filter(({ id }) => !attachments.has(id));
  if (listed && !listed.complete)
    await Promise.all(
      missing.map(async ({ id }) => {
        const own = await ask.optional('attachment.list', { messageId: id, limit: 1 });
        if (own?.records[0]) attachments.set(id, own.records[0]);
      }),
    );
  const bubbles = await Promise.all(
    messages.map((message, i) => bubble(view, message, attachments.get(message.id), i)),
  );
  return h(
    'ol',
    { class: 'plain conversation' },
    bounded(view, key, bubbles, MESSAGES, (each) => each, count),
  );
}

async function bubble(view, message, attachment, i) {
  const { record } = message;
  const role = record?.role ?? (attachment?.format === 'llm-query' ? 'user' : attachment ? 'assistant' : 'message');
  const got = attachment && (await view.ask.optional('attachment.get', { hash: attachment.hash }));
  const xml = got?.xml ?? null;
  return h(
    'li',
    { class: `bubble ${role === 'user' ? 'mine' : ''}`, 'data-ref': message.ref, 'data-entry': i },
    h(
      'p',
      { class: 'who' },
      h('b', {}, h('bdi', {}, role)),
      record?.createdAt !== undefined &&
        h('span', { class: 'notes' }, timeText(record.createdAt), ' · ', pageLink(message.ref, 'message')),
      got?.responseId && attachment.format === 'llm-response' && pageLink(`Response:${got.responseId}`, 'its sources'),
    ),
    record?.text && plainText(view, `text ${message.id}`, record.text, { first: 2000 }),
    !record && h('p', { class: 'faint' }, message.purged ? 'Its content was purged.' : 'Its content has expired.'),
    attachment && xmlBlock(view, attachment.hash, xml, { isMessageKnown: Boolean(record?.text) }),
    record && !record.text && !attachment && h('p', { class: 'faint' }, 'No text was recorded.'),
  );
}

/** An XML text as its parts, and folded away as its source. */
function xmlBlock(view, hash, xml, { isMessageKnown = false, isOpen = false } = {}) {
  if (xml === null) return h('p', { class: 'faint' }, 'Its XML text is gone.');
  return [
    !isMessageKnown && xmlParts(view, hash, xml),
    view.fold(
      `xml ${hash}`,
      `XML source, ${plural(xml.length, 'character')}`,
      [
        xmlSource(xml),
        h(
          'p',
          { 'data-copy': 'no' },
          pageLink(`XMLMessageAttachment:${hash}`, 'This attachment and what was extracted from it'),
        ),
      ],
      { kind: 'small', isOpen },
    ),
  ];
}

/** The newest summary as a text, the versions before it folded. */
async function summary(view, summaries) {
  const [newest] = summaries;
  const text = newest.record?.content;
  return [
    text ? plainText(view, 'summary', text, { first: 3000 }) : h('p', { class: 'faint' }, 'Its content is gone.'),
    h('h3', {}, 'Version by version, newest first'),
    h(
      'ol',
      { class: 'plain summaries', reversed: true },
      boundedFound(view, 'summaries', summaries, SUMMARIES, (each, i) =>
        h(
          'li',
          { 'data-entry': i },
          h('b', {}, `${each.record?.version ?? ''} `),
          pageLink(
            each.ref,
            each.record ? (each.record.increment ?? each.record.content ?? '').slice(0, 300) || each.id : each.id,
          ),
          h('span', { class: 'notes' }, each.record?.createdAt !== undefined && timeText(each.record.createdAt)),
        ),
      ),
    ),
  ];
}

const subjectList = (view, subjects) =>
  h(
    'ul',
    { class: 'plain' },
    boundedFound(view, 'subjects', subjects, WORDS, (each, i) =>
      h(
        'li',
        { 'data-entry': i },
        nodeLine(each, each.record && plural(each.record.messageCount, 'message')),
        each.record?.description && h('p', { class: 'faint' }, h('bdi', {}, each.record.description.slice(0, 400))),
      ),
    ),
  );

async function keywords(view) {
  const key = 'keywords';
  const found = await view.ask.find(
    'Keyword',
    { topic: view.node.id },
    { by: 'frequency', desc: true },
    view.limit(key, WORDS) + 1,
  );
  if (found.length === 0) return null;
  return h(
    'ul',
    { class: 'plain words' },
    boundedFound(view, key, found, WORDS, (each, i) =>
      h(
        'li',
        { 'data-entry': i },
        pageLink(each.ref, each.id, {
          class: 'chip',
          title: each.record && `mentioned ${plural(each.record.frequency, 'time')}`,
        }),
      ),
    ),
  );
}

async function messagePage(view) {
  const { node, ask } = view;
  const { record = {} } = node;
  const [listed, topic] = await Promise.all([
    ask.optional('attachment.list', { messageId: node.id, limit: 1 }),
    record.topicId ? ask.nodes([`Topic:${record.topicId}`], ['record']) : new Map(),
  ]);
  const attachment = listed?.records[0];
  const xml = attachment && (await ask.xmlOf({ id: attachment.hash, record: attachment }));
  const whole = topic.get(`Topic:${record.topicId}`);
  return {
    title: record.text ? titleOf(node, 160) : `${record.role ?? 'Message'} ${node.id}`,
    facts: [
      record.topicId && [
        'conversation',
        pageLink(`Topic:${record.topicId}`, whole ? titleOf(whole, 60) : record.topicId),
      ],
      record.role && ['from', h('bdi', {}, record.role)],
      timeFact(node, 'sent'),
    ],
    sections: [
      record.text && { name: 'text', title: 'Text', body: plainText(view, 'text', record.text) },
      attachment && { name: 'xml', title: 'XML', body: xmlBlock(view, attachment.hash, xml) },
      attachment && {
        name: 'effects',
        title: 'What came of it',
        body: () => effects(view, `XMLMessageAttachment:${attachment.hash}`),
      },
      { name: 'used', title: 'Used for', body: () => effects(view, node.ref, { key: 'used' }) },
      historySection(view),
    ].filter(Boolean),
  };
}

async function attachmentPage(view) {
  const { node, ask } = view;
  const { record = {} } = node;
  const answer = node.expired ? null : await ask.optional('attachment.get', { hash: node.id });
  const xml = answer?.xml ?? null;
  return {
    kind: record.format === 'llm-query' ? 'Question as XML' : 'Answer as XML',
    title: titleOf(node, 160),
    facts: [
      record.topicId && ['conversation', pageLink(`Topic:${record.topicId}`, record.topicId)],
      record.messageId && ['message', pageLink(`Message:${record.messageId}`, record.messageId)],
      answer?.responseId && ['response', pageLink(`Response:${answer.responseId}`, answer.responseId)],
      timeFact(node),
    ],
    sections: [
      xml && { name: 'parts', title: 'What it says', body: xmlParts(view, node.id, xml) },
      xml && {
        name: 'source',
        title: 'Source',
        body: view.fold('source', `XML, ${plural(xml.length, 'character')}`, xmlSource(xml), {
          isOpen: xml.length < 20_000,
        }),
      },
      { name: 'effects', title: 'What was extracted from it', body: () => effects(view, node.ref) },
      historySection(view),
    ].filter(Boolean),
  };
}
