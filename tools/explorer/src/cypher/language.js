// Cypher for the editor: what each part of a text is, for its colour, and what may stand at a place of it.
export const KEYWORDS = (
  'ALL AND AS ASC ASCENDING AT BY CALL CASE COUNT DESC DESCENDING DISTINCT ELSE END ENDS EXISTS EXPLAIN IN IS LIMIT MATCH NOT NULL ' +
  'ON OPTIONAL OR ORDER PROFILE RETURN SHOW SKIP STARTS CONTAINS THEN TIME TX UNION UNWIND WHEN WHERE WITH XOR YIELD FUNCTIONS ' +
  'PROCEDURES INDEXES CONSTRAINTS true false'
).split(' ');
const KNOWN = new Set(KEYWORDS.map((word) => word.toLowerCase()));

/** The tokens of a text, a line at a time; `state.open` is the end of a comment or text that goes on in the next line. */
export const tokenizer = {
  name: 'cypher',
  startState: () => ({ open: '' }),
  token(stream, state) {
    if (state.open) {
      const kind = state.open === '*/' ? 'comment' : 'string';
      while (!stream.eol()) {
        if (kind === 'string' && stream.next() === '\\') {
          stream.next();
          continue;
        }
        if (kind === 'string' ? stream.string[stream.pos - 1] === state.open : stream.match('*/')) {
          state.open = '';
          break;
        }
        if (kind === 'comment') stream.next();
      }
      return kind;
    }
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match('/*')) {
      state.open = '*/';
      return 'comment';
    }
    const letter = stream.peek();
    if (letter === "'" || letter === '"') {
      stream.next();
      state.open = letter;
      return 'string';
    }
    if (letter === '`') {
      stream.next();
      stream.match(/^[^`]*`?/);
      return 'variableName';
    }
    if (stream.match(/^\$\w+/)) return 'variableName.special';
    if (stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?/)) return 'number';
    if (stream.match(/^[A-Za-z_]\w*/)) {
      const before = stream.string.slice(0, stream.start).trimEnd().at(-1);
      if (before === ':' || (before === '|' && !stream.string.includes('||'))) return 'typeName';
      if (before === '.') return stream.peek() === '(' ? 'variableName.function' : 'propertyName';
      const word = stream.current().toLowerCase();
      if (stream.peek() === '(' && (word === 'count' || !KNOWN.has(word))) return 'variableName.function';
      return KNOWN.has(word) ? 'keyword' : 'variableName';
    }
    stream.next();
    return 'operator';
  },
};

/** The text before a place without what is in comments and texts, so that their brackets and words do not count. */
const bare = (text) =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(\*\/|$)|'(\\.|[^'\\])*('|$)|"(\\.|[^"\\])*("|$)/g, (part) => ' '.repeat(part.length));

/** Whether a text ends within a text or a comment of it. */
const isInside = (text) =>
  /^(?:[^'"/]|\/(?![/*])|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*$/.test(text) === false;

/** The innermost bracket that is open at the end of a text. */
function openBracket(text) {
  const closed = [];
  for (let i = text.length - 1; i >= 0; i--) {
    const letter = text[i];
    if (')]}'.includes(letter)) closed.push(letter);
    else if ('([{'.includes(letter) && !closed.pop()) return letter;
  }
  return '';
}

/** Variables of a text with the label or type that they are given. */
function variablesOf(text) {
  const found = new Map();
  for (const [, name, label] of text.matchAll(/[([]\s*([A-Za-z_]\w*)\s*(?::\s*`?(\w+))?/g))
    if (!KNOWN.has(name.toLowerCase())) found.set(name, label ?? found.get(name));
  for (const [, name] of text.matchAll(/\bAS\s+([A-Za-z_]\w*)/gi)) if (!found.has(name)) found.set(name, undefined);
  return found;
}

/**
 * What may stand at the end of `before`, the text up to the cursor.
 * @param {{labels: string[], relations: string[], properties: Map<string, string[]>, functions: object[], procedures: object[]}} words
 * @returns {{from: number, options: {label: string, type: string, detail?: string}[]} | null}
 */
export function completionsOf(before, whole, words) {
  const text = bare(before);
  if (isInside(before)) return null;
  const word = /[\w]*$/.exec(text)[0];
  const from = before.length - word.length;
  const ahead = text.slice(0, from);
  const option = (type) => (label) => ({ label, type });
  const call = /\bCALL\s+([\w.]*)$/i.exec(text);
  if (call)
    return {
      from: before.length - call[1].length,
      options: words.procedures.map(({ name, signature }) => ({ label: name, type: 'function', detail: signature })),
    };
  if (/\$$/.test(ahead)) return null;
  if (/[:|]\s*$/.test(ahead)) {
    const bracket = openBracket(ahead);
    if (bracket === '[') return { from, options: words.relations.map(option('type')) };
    if (bracket !== '{') return { from, options: words.labels.map(option('class')) };
  }
  const member = /([A-Za-z_]\w*)\.$/.exec(ahead);
  if (member) {
    const label = variablesOf(bare(whole)).get(member[1]);
    const names = words.properties.get(label) ?? [...new Set([...words.properties.values()].flat())].sort();
    return { from, options: names.map(option('property')) };
  }
  if (openBracket(ahead) === '{') {
    const label = /(\w+)\s*\{[^{]*$/.exec(ahead)?.[1];
    if (words.properties.has(label) && /[{,]\s*$/.test(ahead)) return { from, options: words.properties.get(label).map(option('property')) };
  }
  if (!word) return { from, options: [], isQuiet: true };
  return {
    from,
    options: [
      ...[...variablesOf(bare(whole)).keys()].filter((name) => name !== word).map(option('variable')),
      ...KEYWORDS.map(option('keyword')),
      ...words.functions.map(({ name, signature }) => ({ label: name, type: 'function', detail: signature })),
    ],
  };
}
