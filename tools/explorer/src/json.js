// JSON whose numbers stay as they were written. JavaScript's have 53 bits and forget how they were written: it would make
// 1234567890123456800 of 1234567890123456789, and 1.1 of 1.10.

/** A number that JavaScript would write otherwise: it counts as the nearest that JavaScript has, and is shown and sent as it was written. */
export class Written extends Number {
  #text;

  constructor(text) {
    super(text);
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  toLocaleString() {
    return this.#text;
  }

  /** As it is where the browser can write it so, else as a text: never another number. */
  toJSON() {
    return JSON.rawJSON?.(this.#text) ?? this.#text;
  }
}

/** Whether a value has no parts. */
export const isScalar = (value) => value === null || typeof value !== 'object' || value instanceof Written;

const DEPTH_MAX = 200;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Where a number or a word ends. */
const ENDS = new Set(' \n\r\t,:[]{}"');
/** Texts that mean themselves. */
const PLAIN = /^[^\\\u0000-\u001f]*$/;
const WORDS = new Map([['true', true], ['false', false], ['null', null]]);

/** A number as it was written. */
const exactly = (word) => (String(Number(word)) === word ? Number(word) : new Written(word));

/** A number of the server: its fractions are the shortest that mean them, its integers may have 64 bits. */
const ofServer = (word) => (/^-?\d{16,}$/.test(word) ? exactly(word) : Number(word));

/** Where the text that begins at `at` ends. */
function endOfText(text, at) {
  for (let end = at + 1; ; end++) {
    end = text.indexOf('"', end);
    if (end < 0) throw new SyntaxError('a text has no end');
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
}

/** Where each object and list that `readJson` made is in its text. */
const sources = new WeakMap();

class Reader {
  constructor(text, numberOf, isKept) {
    Object.assign(this, { text, numberOf, isKept, at: 0 });
  }

  whole() {
    const value = this.value(0);
    if (this.next() !== undefined) throw new SyntaxError('something follows');
    return value;
  }

  /** The next sign that is no space. */
  next() {
    const { text } = this;
    while (text[this.at] === ' ' || text[this.at] === '\n' || text[this.at] === '\r' || text[this.at] === '\t') this.at += 1;
    return text[this.at];
  }

  take(sign) {
    if (this.next() !== sign) throw new SyntaxError(`${sign} is missing`);
    this.at += 1;
  }

  value(depth) {
    if (depth > DEPTH_MAX) throw new SyntaxError('it is nested too deep');
    const sign = this.next();
    if (sign === '"') return this.string();
    if (sign === '{' || sign === '[') return this.container(sign, depth);
    const from = this.at;
    while (this.at < this.text.length && !ENDS.has(this.text[this.at])) this.at += 1;
    const word = this.text.slice(from, this.at);
    if (NUMBER.test(word)) return this.numberOf(word);
    if (!WORDS.has(word)) throw new SyntaxError('a value is missing');
    return WORDS.get(word);
  }

  string() {
    const from = this.at;
    this.at = endOfText(this.text, from);
    const inside = this.text.slice(from + 1, this.at - 1);
    return PLAIN.test(inside) ? inside : JSON.parse(this.text.slice(from, this.at));
  }

  container(sign, depth) {
    const from = this.at;
    const isList = sign === '[';
    const end = isList ? ']' : '}';
    const made = isList ? [] : {};
    this.at += 1;
    for (let isFirst = true; this.next() !== end; isFirst = false) {
      if (!isFirst) this.take(',');
      if (isList) made.push(this.value(depth + 1));
      else this.member(made, depth);
    }
    this.at += 1;
    if (this.isKept) sources.set(made, { text: this.text, from, to: this.at });
    return made;
  }

  member(object, depth) {
    if (this.next() !== '"') throw new SyntaxError('a name is missing');
    const name = this.string();
    this.take(':');
    const value = this.value(depth + 1);
    if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    else object[name] = value;
  }
}

/** The value of a JSON text; its numbers, and with `laidOut` its objects and lists, stay as they were written. Throws where it is none. */
export const readJson = (text) => new Reader(text, exactly, true).whole();

/** The value of a JSON text, of whose numbers the integers beyond 53 bits stay as they were written. */
export const readIntegers = (text) => new Reader(text, ofServer, false).whole();

/** Where an integer may be that JavaScript does not have. */
const LONG = /[[,:]\s*-?\d{16,}\s*[,\]}]/;

/** What the server sent. Few answers have a number that is read by hand. */
export function readMessage(text) {
  if (!LONG.test(text)) return JSON.parse(text);
  try {
    return readIntegers(text);
  } catch {
    return JSON.parse(text); // it is nested too deep
  }
}

/** A value laid out in lines. One that `readJson` made keeps the order, the repeated names and the numbers of its text. */
export function laidOut(value) {
  const source = isScalar(value) ? undefined : sources.get(value);
  if (source) return inLines(source.text.slice(source.from, source.to));
  return value instanceof Written ? String(value) : (JSON.stringify(value, null, 2) ?? '');
}

function inLines(text) {
  const parts = [];
  let depth = 0;
  const line = (change) => {
    depth += change;
    parts.push(`\n${'  '.repeat(depth)}`);
  };
  const TOKEN = /\s*([[{]\s*[\]}]|[[\]{},:"]|[^\s[\]{},:"]+)/y;
  for (let token; (token = TOKEN.exec(text)); ) {
    const sign = token[1];
    if (sign === '"') {
      const from = TOKEN.lastIndex - 1;
      TOKEN.lastIndex = endOfText(text, from);
      parts.push(JSON.stringify(JSON.parse(text.slice(from, TOKEN.lastIndex))));
    } else if (sign === ']' || sign === '}') {
      line(-1);
      parts.push(sign);
    } else parts.push(sign === ':' ? ': ' : /^[[{]\s*[\]}]$/.test(sign) ? sign.replace(/\s+/, '') : sign);
    if (sign === '[' || sign === '{') line(1);
    else if (sign === ',') line(0);
  }
  return parts.join('');
}
