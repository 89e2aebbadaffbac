// The page of a document: its passages in the order of its pages, each with what was made from it; and the page of one
// passage.
import { h } from '../dom.js';
import { countText, percent, plural, scoreText } from '../form.js';
import { onePerAct, total } from './ask.js';
import { effects, historySection, timeFact } from './generic.js';
import { statusChip } from './head.js';
import { countsText, nodeLine, pageLink, titleOf } from './names.js';
import { ratingsList, ratingsOf } from './ratings.js';
import { plainText } from './texts.js';
import { withoutSection } from './questions/without.js';

const STEP = 20;
const USES = 3;
const READ_AT_ONCE = 500;
/** Passages that are read to put them in order; those with embeddings are large. */
const READ_MAX = 10_000;
const READ_WITH_VECTORS_MAX = 2000;

export function documentPage(view) {
  return view.node.type === 'Document' ? wholePage(view) : chunkPage(view);
}

async function wholePage(view) {
  const { node, ask } = view;
  const { record = {} } = node;
  const [feedback, loaded] = await Promise.all([
    ratingsOf(view),
    ask
      .withRecords('lineage.ancestors', {
        ref: node.ref,
        depth: 1,
        edge_types: ['LOADED_FROM'],
        limit: 50,
        include: ['record'],
      })
      .catch(() => null),
  ]);
  return {
    title: titleOf(node, 160),
    facts: [
      record.title && ['name', h('bdi', {}, record.document_name)],
      timeFact(node),
      record.uri && ['address', h('bdi', { class: 'mono' }, record.uri)],
      record.sha256 && ['SHA-256', h('span', { class: 'mono' }, record.sha256)],
    ],
    chips: [scoreChip(feedback)],
    sections: [
      { name: 'passages', title: 'Passages', note: ' by page, with what rests on each', body: () => passages(view) },
      { name: 'effects', title: 'Impact: where it was used', body: () => effects(view, node.ref) },
      withoutSection(view),
      loaded?.nodes.length > 0 && {
        name: 'versions',
        title: 'Loaded from',
        note: ' the data set and its versions',
        body: h(
          'ul',
          { class: 'plain' },
          loaded.nodes.map((each) => h('li', {}, nodeLine(each))),
        ),
      },
      feedback?.feedback_count > 0 && {
        name: 'ratings',
        title: 'Ratings that reached it',
        body: ratingsList(view, feedback.records, feedback.feedback_count),
      },
      historySection(view),
    ].filter(Boolean),
  };
}

const scoreChip = (feedback) =>
  feedback?.feedback_count > 0 &&
  h(
    'span',
    { class: `chip ${feedback.aggregate_score < 0 ? 'deprecated' : 'good'}` },
    `score ${scoreText(feedback.aggregate_score)} from ${plural(feedback.feedback_count, 'rating')}`,
  );

/** All passages of a document, in order of page and place; read once, since passages do not change. */
async function readChunks(view, progress) {
  const { ask, node } = view;
  const chunks = [];
  let cursor;
  let isWhole = false;
  let most = READ_MAX;
  while (chunks.length < most) {
    const answer = await ask.withRecords('lineage.descendants', {
      ref: node.ref,
      depth: 1,
      edge_types: ['PART_OF'],
      limit: READ_AT_ONCE,
      include: ['record', 'status'],
      ...(cursor && { cursor }),
    });
    for (const chunk of answer.nodes) {
      if (chunk.record?.embedding) {
        most = READ_WITH_VECTORS_MAX;
        delete chunk.record.embedding;
      }
      chunks.push(chunk);
    }
    cursor = answer.cursor;
    isWhole = !cursor;
    if (isWhole || !view.isCurrent()) break;
    progress(chunks.length);
  }
  const place = ({ record }) => [record?.metadata?.page_number ?? Infinity, record?.metadata?.chunk_index ?? Infinity];
  chunks.sort((a, b) => {
    const [x, y] = [place(a), place(b)];
    return x[0] - y[0] || x[1] - y[1] || (a.id < b.id ? -1 : 1) || 0;
  });
  return { chunks, isWhole };
}

async function passages(view) {
  const { ask, node } = view;
  const graph = await ask.optional('lineage.graph', { ref: node.ref, up: 0, down: 1, limit: 1 });
  const count = graph?.frontier[0]?.effects ?? 0;
  const known = view.kept.held.get('chunks');
  const { chunks, isWhole } =
    known?.count === count && known.asOf === view.state.as_of
      ? known
      : await readChunks(view, (many) => {
          const waiting = view.page.article?.querySelector('[data-name="passages"] .waiting');
          if (waiting) waiting.textContent = `${countText(many)} of ${countText(count)} passages are read…`;
        });
  view.kept.held.set('chunks', { chunks, isWhole, count, asOf: view.state.as_of });
  if (chunks.length === 0) return h('p', { class: 'faint' }, 'No passage of it was recorded.');
  const filter = view.held('page', () => ({ page: '' }));
  const chosen =
    filter.page === '' ? chunks : chunks.filter(({ record }) => String(record?.metadata?.page_number) === filter.page);
  const pages = new Set(chunks.map(({ record }) => record?.metadata?.page_number).filter((page) => page !== undefined));
  const key = `passages ${filter.page}`;
  const shown = chosen.slice(0, view.limit(key, STEP));
  const impacts = await Promise.all(shown.map((chunk) => ask.impact(chunk.ref, 2 * USES, ['record'])));
  const rows = [];
  let before;
  shown.forEach((chunk, i) => {
    const page = chunk.record?.metadata?.page_number;
    if (page !== before || i === 0) rows.push(h('h3', {}, page === undefined ? 'Without a page' : `Page ${page}`));
    before = page;
    rows.push(passage(view, chunk, impacts[i], i));
  });
  return [
    pages.size > 1 && pageChoice(view, filter, pages),
    !isWhole &&
      h(
        'p',
        { class: 'callout' },
        `${countText(chunks.length)} of ${countText(count)} passages were read to put them in order.`,
      ),
    chosen.length === 0 && h('p', { class: 'faint' }, `No passage of page ${filter.page} was recorded.`),
    rows,
    chosen.length > shown.length &&
      h(
        'p',
        { class: 'more' },
        h(
          'button',
          {
            type: 'button',
            'data-more': key,
            onclick: () => view.more(key, shown.length + 2 * STEP, `.passage-card[data-entry="${shown.length}"]`),
          },
          'Show more',
        ),
        h('span', { class: 'faint' }, ` ${countText(shown.length)} of ${countText(chosen.length)} passages`),
      ),
  ];
}

/** "Who uses page 5?": the passages of one page alone. */
function pageChoice(view, filter, pages) {
  const [first, last] = [Math.min(...pages), Math.max(...pages)];
  const field = h('input', {
    id: 'document-page',
    type: 'number',
    min: first,
    max: last,
    value: filter.page,
    placeholder: 'all',
  });
  return h(
    'form',
    {
      class: 'page-choice',
      onsubmit: (event) => {
        event.preventDefault();
        filter.page = field.value;
        view.page.again('#document-page');
      },
    },
    h('label', {}, `Only page (${plural(pages.size, 'page')}, ${first} to ${last}) `, field),
    h('button', { type: 'submit' }, 'Show'),
    filter.page !== '' &&
      h(
        'button',
        {
          type: 'button',
          onclick: () => {
            filter.page = '';
            view.page.again('#document-page');
          },
        },
        'All pages',
      ),
  );
}

function passage(view, chunk, impact, i) {
  const { record } = chunk;
  const count = total(impact?.counts.by_type);
  return h(
    'div',
    { class: 'passage-card', 'data-ref': chunk.ref, 'data-entry': i },
    h(
      'div',
      {},
      record?.metadata?.section && h('p', { class: 'faint' }, h('bdi', {}, record.metadata.section)),
      record
        ? plainText(view, `chunk ${chunk.id}`, record.content, { first: 600 })
        : h('p', { class: 'faint' }, chunk.purged ? 'Its content was purged.' : 'Its content has expired.'),
      h(
        'p',
        { class: 'where' },
        pageLink(chunk.ref, 'This passage'),
        ' ',
        chunk.status && chunk.status !== 'active' && statusChip(chunk.status),
      ),
    ),
    h(
      'div',
      { class: 'used-by' },
      count === 0
        ? h('p', { class: 'faint' }, 'Nothing rests on it.')
        : [
            h('p', {}, 'Used by ', countsText(impact.counts.by_type)),
            h(
              'ul',
              { class: 'plain' },
              onePerAct(impact.nodes)
                .slice(0, USES)
                .map((each) => h('li', {}, nodeLine(each, `share ${percent(each.share)}`))),
            ),
            count > USES && h('p', {}, pageLink(chunk.ref, `All ${countText(count)}`)),
          ],
    ),
  );
}

async function chunkPage(view) {
  const { node, ask } = view;
  const { record = {} } = node;
  const { metadata } = record;
  const feedback = await ratingsOf(view);
  return {
    title: metadata
      ? [metadata.document_name, metadata.page_number !== undefined && `page ${metadata.page_number}`, metadata.section]
          .filter(Boolean)
          .join(', ')
      : node.id,
    facts: [
      metadata && ['document', pageLink(`Document:${metadata.document_name}`, metadata.document_name)],
      metadata?.page_number !== undefined && ['page', countText(metadata.page_number)],
      metadata?.section && ['section', h('bdi', {}, metadata.section)],
      record.embedding && [
        'embedding',
        `${record.embedding_model ?? 'default model'}, ${record.embedding.length} numbers`,
      ],
    ],
    chips: [scoreChip(feedback)],
    sections: [
      record.content && { name: 'text', title: 'Text', body: plainText(view, 'text', record.content) },
      { name: 'requests', title: 'Retrieved for', body: () => requests(view) },
      { name: 'effects', title: 'Impact: where it was used', body: () => effects(view, node.ref) },
      withoutSection(view),
      feedback?.feedback_count > 0 && {
        name: 'ratings',
        title: 'Ratings that reached it',
        body: ratingsList(view, feedback.records, feedback.feedback_count),
      },
      historySection(view),
    ].filter(Boolean),
  };
}

/** The questions that the passage was found for. */
async function requests(view) {
  const answer = await view.ask
    .withRecords('lineage.descendants', {
      ref: view.node.ref,
      depth: 1,
      edge_types: ['RETRIEVED_FOR'],
      limit: 20,
      include: ['record'],
    })
    .catch(() => null);
  if (!answer?.nodes.length) return null;
  return h(
    'ul',
    { class: 'plain' },
    answer.nodes.map((each) => h('li', {}, nodeLine(each))),
    !answer.complete && h('li', { class: 'faint' }, 'and more'),
  );
}
