// An answer's text in paragraphs, its citations marked, and beside each paragraph the passages that it cites.
import { h } from '../dom.js';
import { percent } from '../form.js';
import { paragraphsOf, piecesOf } from './citations.js';
import { pageLink } from './names.js';
import { moreOfText, shownOf, upTo } from './texts.js';

const LAST_WORD_MAX = 24;

export function answerText(view, text, { answer, rag }) {
  const citations = answer?.record?.citations ?? [];
  const similarity = new Map((rag?.retrieved_chunks ?? []).map((chunk) => [chunk.chunk_id, chunk.similarity_score]));
  const isUnsupported = Boolean(answer?.record?.flags?.includes('unsupported'));
  const shown = upTo(text, shownOf(view, 'answer', text));
  const noted = new Set();
  const rows = paragraphsOf(piecesOf(shown, citations, similarity, isUnsupported)).map((paragraph) => {
    const notes = [];
    const content = paragraph.map((piece) =>
      pieceOf(piece, citations, (index) => {
        if (noted.has(index)) return;
        noted.add(index);
        notes.push(index);
      }),
    );
    return h(
      'div',
      { class: 'passage' },
      h('p', { class: 'text answer', dir: 'auto' }, content),
      notes.length > 0 &&
        h(
          'aside',
          { class: 'margin', 'aria-label': 'Cited here' },
          notes.map((index) => note(citations, index, similarity)),
        ),
    );
  });
  const silent = citations.map((_, index) => index).filter((index) => !noted.has(index));
  return [
    h('div', { class: `answer-text${citations.length ? ' cited' : ''}` }, rows),
    moreOfText(view, 'answer', text),
    shown.length === text.length &&
      silent.length > 0 && [
        h('h3', {}, 'Cited without a place in the text'),
        h(
          'div',
          { class: 'unplaced' },
          silent.map((index) => note(citations, index, similarity)),
        ),
      ],
  ];
}

/** A plain piece, a marked citation that leads to its note, or a bracket without a passage. */
function pieceOf(piece, citations, mention) {
  if (piece.citation === undefined) return piece.text;
  if (piece.citation < 0)
    return h('mark', { class: 'unsupported', title: 'No passage that was retrieved stands behind this' }, piece.text);
  mention(piece.citation);
  const number = piece.citation + 1;
  return h(
    'mark',
    { class: citations[piece.citation].unsupported ? 'unsupported' : null },
    withLastWord(
      piece.text,
      h(
        'button',
        {
          type: 'button',
          class: 'cite',
          'aria-label': `Passage ${number}: ${citations[piece.citation].document_name}`,
          onclick: ({ currentTarget }) => {
            const target = currentTarget.closest('section')?.querySelector(`#cited-${number}`);
            target?.focus();
            target?.scrollIntoView({ block: 'nearest' });
          },
        },
        String(number),
      ),
    ),
  );
}

/** A text and its number: the number never begins a line without the word before it, unless that is a long one. */
function withLastWord(text, number) {
  const start = text.trimEnd().lastIndexOf(' ') + 1;
  if (text.length - start > LAST_WORD_MAX) return [text, number];
  return [text.slice(0, start), h('span', { class: 'unbroken' }, text.slice(start), number)];
}

function note(citations, index, similarity) {
  const citation = citations[index];
  const isUnsupported = citation.flags?.includes('unsupported');
  const place = [
    citation.page_number !== undefined && `page ${citation.page_number}`,
    citation.section && `section ${citation.section}`,
  ].filter(Boolean);
  const alike = similarity.get(citation.chunk_id);
  return h(
    'div',
    { class: 'cited-passage', id: `cited-${index + 1}`, tabindex: -1 },
    h('b', { class: 'number' }, String(index + 1)),
    h(
      'div',
      {},
      citation.excerpt
        ? h('blockquote', { class: 'excerpt', dir: 'auto' }, citation.excerpt)
        : h('p', { class: 'faint' }, 'Its excerpt is gone: the passage was purged.'),
      h(
        'p',
        { class: 'where' },
        citation.chunk_id
          ? pageLink(`RetrievedChunk:${citation.chunk_id}`, [citation.document_name, ...place].join(', '))
          : h('bdi', {}, [citation.document_name, ...place].join(', ')),
        alike !== undefined && h('span', { class: 'faint' }, ` · ${percent(alike)} similar to the question`),
        isUnsupported && h('span', { class: 'chip deprecated' }, 'no such passage was retrieved'),
      ),
    ),
  );
}
