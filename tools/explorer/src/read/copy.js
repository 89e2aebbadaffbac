// A page as a Markdown text by itself: what is shown, with long texts whole where the page has them whole.

const SKIPPED = 'button, svg, form, nav, .actions, [data-copy="no"], .waiting';

/** @param {import('./view.js').View} view */
export function markdownOf(view) {
  const { article } = view.page;
  const text = [...article.children]
    .map((part) => block(part).trim())
    .filter(Boolean)
    .join('\n\n');
  const from = `${location.origin}${location.pathname}`;
  const head = `<!-- ${escapeComment(view.node.ref)} as of transaction ${view.ask.tx}, ${from} -->`;
  return new Blob([`${text}\n\n${head}\n`], { type: 'text/markdown;charset=utf-8' });
}

const escapeComment = (text) => text.replaceAll('--', '- -').replace(/[<>\n]/g, ' ');

/** Characters that Markdown would read as marks; texts of records are quoted as they are. */
const escape = (text) => text.replace(/([\\`*_[\]<>#|~])/g, '\\$1');

const clean = (text) => text.replace(/\s+/g, ' ').trim();

function inline(node) {
  if (node.nodeType === Node.TEXT_NODE) return escape(node.data.replace(/\s+/g, ' '));
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(SKIPPED)) return '';
  const inner = [...node.childNodes].map(inline).join('');
  if (!inner.trim()) return node.matches('.meter') ? '' : inner;
  if (node.matches('a[href]')) return `[${inner.trim()}](${node.href.replace(/[()\s]/g, encodeURIComponent)})`;
  if (node.matches('b, strong, mark, dt')) return `**${inner.trim()}**`;
  if (node.matches('.notes, .note, .faint, .chip')) return ` ${inner.trim()} `;
  return inner;
}

const quote = (text) =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

/** An element with blocks inside, by kind; what has none is a paragraph. */
function block(element) {
  if (element.matches(SKIPPED)) return '';
  const tag = element.localName;
  const heading = /^h([1-4])$/.exec(tag);
  if (heading) return `${'#'.repeat(Number(heading[1]))} ${clean(inline(element))}`;
  if (tag === 'pre') return `~~~\n${element.textContent.replaceAll('~~~', '~ ~ ~')}\n~~~`;
  if (element.matches('.text')) return quote(escape(element.textContent));
  if (tag === 'ul' || tag === 'ol') return listOf(element);
  if (tag === 'dl')
    return [...element.querySelectorAll('dt')]
      .map((term) => `- **${clean(escape(term.textContent))}**: ${clean(inline(term.nextElementSibling))}`)
      .join('\n');
  if (tag === 'table') return tableOf(element);
  if (tag === 'p' || tag === 'summary') return clean(inline(element));
  if (![...element.children].some(isBlock)) return clean(inline(element));
  return [...element.children]
    .map(block)
    .map((text) => text.trim())
    .filter(Boolean)
    .join('\n\n');
}

const isBlock = (element) =>
  element.matches('h1, h2, h3, h4, p, ul, ol, dl, table, pre, .text, details, blockquote, summary') ||
  [...element.children].some(isBlock);

function listOf(list) {
  return [...list.children]
    .filter((item) => !item.matches(SKIPPED))
    .map((item, i) => {
      const mark = list.localName === 'ol' ? `${i + 1}.` : '-';
      return `${mark} ${block(item).trim().replace(/\n/g, '\n  ')}`;
    })
    .join('\n');
}

function tableOf(table) {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => clean(inline(cell)) || ' '));
  if (rows.length === 0) return '';
  const width = Math.max(...rows.map((row) => row.length));
  const line = (row) => `| ${[...row, ...Array(width - row.length).fill(' ')].join(' | ')} |`;
  const hasHead = table.tHead !== null;
  const head = hasHead ? rows.shift() : Array(width).fill(' ');
  return [line(head), line(Array(width).fill('---')), ...rows.map(line)].join('\n');
}
