// The keyboard: one table of keys, which the help dialog shows and the listener obeys.
import { byId, h, show } from './dom.js';

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What the page's own words mean, a line each. */
const WORDS = [
  ['Weight', 'what a record gives one source of its answer: from 0 to 1, all sources of the answer together 1'],
  ['Share', 'the part of an answer that is due to a source, over all ways from the source to the answer'],
  ['Blame', 'how many of the rated answers that rest on a source are bad; points say how much more often than of the other answers'],
  ['Stale', 'a source that has a newer version, is deprecated or is gone since an answer was made from it'],
];

/** @param {Record<string, () => void>} actions by name @param {(dx: number, dy: number) => void} walk */
export function startKeyboard(actions, walk) {
  const keys = [
    ['/', 'Search', actions.search],
    ['n', 'Newest answers: the first of them', actions.newest],
    ['w', 'Worth a look: the first of that', actions.worth],
    ['s', 'Sources of the answer that is read: the first to look at', actions.sources],
    ['m', 'Moment: as of when; Enter goes on from it', actions.moment],
    ['← → ↑ ↓', 'Walk between neighbours in the picture', null],
    ['Enter', 'Put the selected node in the middle', null],
    ['u', 'Undo (also Ctrl+Z)', actions.undo],
    ['f', 'Focus: only ancestors and descendants of the selected node', actions.focus],
    ['i', 'Impact: all that rests on the selected node', actions.impact],
    ['r', 'Read: the page of the selected node, and from there its picture', actions.read],
    ['<', 'Draw more of what the selected node was made from', () => actions.more('causes')],
    ['>', 'Draw more of what was made from it', () => actions.more('effects')],
    ['p', 'Path: from the selected node to the next one that is selected', actions.path],
    ['k', 'Keep: pin the selected node', actions.pin],
    ['g', 'Arrange the picture anew', actions.arrange],
    ['e', 'Details: the record beside the picture', actions.details],
    ['t', 'Table', actions.table],
    ['l', 'Live: follow what is written', actions.live],
    ['d', 'Dark or light', actions.dark],
    ['o', 'Answers: all of them as a table, and over time; f: since when', actions.answers],
    ['b', 'By agent, model or topic: the lines of the answers over time', actions.lines],
    ['c', 'Cypher: queries, and any method of the server', actions.cypher],
    ['a', 'About this server: version, size, cluster', actions.about],
    ['Esc', 'Close the panel, then clear the selection', null],
    ['?', 'This help', () => help(keys, actions.about)],
  ];
  const byKey = new Map(keys.filter(([, , action]) => action).map(([key, , action]) => [key, action]));
  byId('help-button').addEventListener('click', () => help(keys, actions.about));
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !isTyping(event)) {
      event.preventDefault();
      actions.undo();
      return;
    }
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector('dialog[open]') ||
      isTyping(event)
    )
      return;
    const isInPicture = event.target === byId('picture');
    if (isInPicture && ARROWS[event.key]) walk(...ARROWS[event.key]);
    else if (isInPicture && event.key === 'Enter') actions.open();
    else if (event.key === 'Escape') actions.clear();
    else if (byKey.has(event.key)) byKey.get(event.key)();
    else return;
    event.preventDefault();
  });
}

/** The editor is in a shadow tree: the event's own target is its host. */
const isTyping = (event) =>
  event.composedPath()[0].closest?.('input:not([type="range"]), textarea, select, [contenteditable]') !== null;

function help(keys, about) {
  const dialog = byId('help-dialog');
  const toAbout = () => {
    dialog.close();
    about();
  };
  show(
    dialog,
    h('h2', {}, 'Keyboard'),
    h(
      'dl',
      { class: 'keys' },
      keys.map(([key, text]) => [
        h(
          'dt',
          {},
          key.split(' ').map((each) => h('kbd', {}, each)),
        ),
        h('dd', {}, text),
      ]),
    ),
    h('h2', {}, 'Picture'),
    h(
      'p',
      {},
      'Influence runs in the direction of the arrows: ancestors, what a node was made from, are before it, ' +
        'descendants after it. ' +
        'Click selects, double click puts a node in the middle, Shift and click marks the path from the selected node. ' +
        'A count like +37 on a card, or a group, stands for neighbours that are not drawn; a press draws them or lists them.',
    ),
    h('h2', {}, 'Words'),
    h(
      'dl',
      { class: 'keys words-used' },
      WORDS.map(([word, meaning]) => [h('dt', {}, word), h('dd', {}, meaning)]),
    ),
    h('p', {}, 'The address holds all that is shown: copy it to come back to it.'),
    h(
      'p',
      {},
      h(
        'a',
        { href: 'explorer/licences.txt', target: '_blank', rel: 'noopener' },
        'Licences of the libraries in this page',
      ),
    ),
    h(
      'p',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', 'aria-haspopup': 'dialog', id: 'help-about', onclick: toAbout },
        'About this server',
      ),
      h('button', { type: 'button', class: 'primary', autofocus: true, onclick: () => dialog.close() }, 'Close'),
    ),
  );
  dialog.showModal();
  dialog.scrollTop = 0; // the button that has the focus is at its end
}
