// Small functions for making and finding elements; text always goes in as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

/** @returns {HTMLElement} the element with this id, which index.html promises */
export const byId = (id) => document.getElementById(id);

/** Makes an element: attributes by name, `on…` as listeners, null or false left out; children are nodes or text. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG elements. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') throw new Error('the content security policy forbids style attributes');
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/** Characters that turn the order of what follows: a text with one would say something else than it is, so they are shown. */
const OVERRIDES = /[\u202d\u202e]/g;
const shown = (letter) => `⟨U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text as elements have it: who measures one measures this. */
export const asShown = (text) => String(text).replace(OVERRIDES, shown);

/** Letters without a width, and such as turn or part what follows: two names that differ by one would look alike. */
const UNSEEN = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/** Which way a text with such letters runs is marked in it. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Before a joiner: letters of scripts that are joined by it (Persian, those of India), their marks, and pictures. */
const JOINED = /(?:[\p{M}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]|(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L})$/u;

/** A name as elements have it: a text whose letters are all seen, but for those that its script is written with. */
export const asNamed = (text) =>
  String(text).replace(UNSEEN, (letter, at, all) => {
    const isOfScript =
      /[\u200c\u200d]/.test(letter) ? JOINED.test(all.slice(Math.max(0, at - 2), at)) : /[\u061c\u200e\u200f]/.test(letter) && RIGHT_TO_LEFT.test(all);
    return isOfScript ? letter : shown(letter);
  });

/** Elements that hold names: what is isolated from the text around it, headings, and texts of a picture. */
const NAMES = new Set(['bdi', 'h1', 'h2', 'h3', 'text']);

function append(element, children) {
  const said = NAMES.has(element.localName) ? asNamed : asShown;
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : said(child));
  }
}

/** Replaces what is in `element`. */
export function show(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** Runs `action` once, `ms` after the last of several calls. */
export function debounced(action, ms) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), ms);
  };
}

/** A menu that hangs from its title; Esc and a press elsewhere close it. */
export function menu(title, kind, box) {
  const summary = h('summary', {}, title);
  const element = h('details', { class: kind }, summary, box);
  document.addEventListener('pointerdown', ({ target }) => {
    if (!element.contains(target)) element.open = false;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !element.open || !element.checkVisibility()) return;
    element.open = false;
    summary.focus();
    event.stopPropagation();
  });
  return element;
}

export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export const narrow = () => matchMedia('(max-width: 760px)').matches;

/** Offers bytes as a download. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
