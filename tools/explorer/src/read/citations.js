// Where an answer's text cites: the brackets that the server reads as citations, found again for the page.

const MENTION = /^(?:, page (\d+)|, section ([\s\S]+))$/;

/** The citation that `[NAME]`, `[NAME, page N]` or `[NAME, section S]` means, as the server takes it, or -1. */
function meant(inside, document, citations, similarity) {
  const rest = MENTION.exec(inside.slice(document.length));
  if (inside.length > document.length && !rest) return -1;
  const candidates = citations
    .map((citation, index) => ({ citation, index }))
    .filter(
      ({ citation }) =>
        citation.document_name === document &&
        (rest?.[1] === undefined || citation.page_number === Number(rest[1])) &&
        (rest?.[2] === undefined || citation.section === rest[2]),
    );
  const of = ({ citation }) => similarity.get(citation.chunk_id) ?? -1;
  candidates.sort((a, b) => of(b) - of(a) || (a.citation.chunk_id < b.citation.chunk_id ? -1 : 1));
  return candidates[0]?.index ?? -1;
}

/** The end of the bracket that begins at `start`, after the name and, where given, page or section; -1 where none fits. */
function bracketEnd(text, start, document, sections) {
  const after = start + 1 + document.length;
  if (!text.startsWith(document, start + 1)) return -1;
  if (text[after] === ']') return after;
  const page = /^, page \d+\]/.exec(text.slice(after, after + 30));
  if (page) return after + page[0].length - 1;
  for (const section of sections)
    if (text.startsWith(`, section ${section}]`, after)) return after + 10 + section.length;
  return -1;
}

/**
 * An answer's text in pieces: plain texts, and brackets that cite, with the index of their citation. With `unsupported`,
 * brackets that mean none are pieces too, with index -1.
 * @param {{document_name: string, page_number?: number, section?: string, chunk_id?: string}[]} citations
 * @param {Map<string, number>} similarity of chunks by id
 * @returns {{text: string, citation?: number}[]}
 */
export function piecesOf(text, citations, similarity = new Map(), unsupported = false) {
  const byLength = (a, b) => b.length - a.length;
  const documents = [...new Set(citations.map((each) => each.document_name))].sort(byLength);
  const sections = [...new Set(citations.map((each) => each.section).filter(Boolean))].sort(byLength);
  const pieces = [];
  let plain = 0;
  const take = (start, end, citation) => {
    if (start > plain) pieces.push({ text: text.slice(plain, start) });
    pieces.push({ text: text.slice(start, end), citation });
    plain = end;
  };
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
    if (at < plain || text[at - 1] === '\\') continue;
    let end = -1;
    let citation = -1;
    for (const document of documents) {
      end = bracketEnd(text, at, document, sections);
      if (end < 0) continue;
      citation = meant(text.slice(at + 1, end), document, citations, similarity);
      if (citation >= 0) break;
    }
    if (citation >= 0) take(at, end + 1, citation);
    else if (unsupported) {
      const close = text.indexOf(']', at);
      if (close > 0 && close - at < 300) take(at, close + 1, -1);
    }
  }
  if (plain < text.length) pieces.push({ text: text.slice(plain) });
  return pieces;
}

/** The pieces by paragraph: a paragraph ends at an empty line. */
export function paragraphsOf(pieces) {
  const paragraphs = [[]];
  for (const piece of pieces) {
    if (piece.citation !== undefined) {
      paragraphs.at(-1).push(piece);
      continue;
    }
    piece.text.split(/\n[^\S\n]*\n\s*/).forEach((text, i) => {
      if (i) paragraphs.push([]);
      if (text) paragraphs.at(-1).push({ text });
    });
  }
  return paragraphs.filter((paragraph) => paragraph.length);
}

const WORD = /[\p{L}\p{N}]+/gu;
const COMPARED_MAX = 40_000;
const RUN_MIN = 4;

/**
 * Runs of at least four words of `text` that are in `other` too, as [start, end] in `text`: what an answer took over
 * word by word. Compares the first 40,000 characters of each.
 */
export function sharedRuns(text, other) {
  const words = (of) =>
    [...of.slice(0, COMPARED_MAX).matchAll(WORD)].map((match) => ({
      word: match[0].toLowerCase(),
      start: match.index,
      end: match.index + match[0].length,
    }));
  const [own, others] = [words(text), words(other)];
  const key = (list, i) =>
    list
      .slice(i, i + RUN_MIN)
      .map(({ word }) => word)
      .join(' ');
  const known = new Set();
  for (let i = 0; i + RUN_MIN <= others.length; i++) known.add(key(others, i));
  const runs = [];
  for (let i = 0; i + RUN_MIN <= own.length; i++) {
    if (!known.has(key(own, i))) continue;
    const last = runs.at(-1);
    if (last && own[i].start <= last[1]) last[1] = own[i + RUN_MIN - 1].end;
    else runs.push([own[i].start, own[i + RUN_MIN - 1].end]);
  }
  return runs;
}
