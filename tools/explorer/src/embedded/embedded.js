// The picture of one answer in a document of its own, without a server: what a notebook shows and `to_html()` keeps. Its
// graph is JSON in the element `graph`: {types, root, nodes, edges, frontier?}, in the forms that the server gives.
import { byId, h, show } from '../dom.js';
import { placed } from '../picture/arrange.js';
import { groupOfRef, grouped } from '../picture/groups.js';
import { startLayout } from '../picture/layout.js';
import { Picture } from '../picture/picture.js';
import { saidBy, titleOf } from '../read/names.js';
import { Model } from '../server/model.js';
import { typeName, useVocabulary } from '../vocabulary.js';

const SAID_MAX = 4000;

const { types, root, nodes, edges, frontier } = JSON.parse(byId('graph').textContent);
const model = new Model(root, nodes.length);
const opened = [];
let selected = '';
let budget;

function marked() {
  if (!selected) return null;
  return { ref: selected, ancestors: model.reach(selected, 'causes').keys(), descendants: model.reach(selected, 'effects').keys() };
}

async function draw(picture) {
  const isFirst = budget === undefined;
  const drawn = grouped(model.visible({ roots: [root] }), {
    roots: [root],
    keep: selected ? [selected] : [],
    opened,
    hidden: (ref, side) => model.hidden(ref, side), // that are not in this document: counted, never opened
    all: false,
    budget,
  });
  ({ budget } = drawn);
  const how = { root, pinned: [], keepView: !isFirst, keepPlaces: !isFirst, marked: marked() };
  await picture.draw(drawn, how);
  document.body.dataset.nodes = String(drawn.nodes.length);
}

/** What the selected node says, below the picture. */
function tell() {
  const node = model.nodes.get(selected);
  if (!node) {
    show(byId('said'));
    return;
  }
  const text = saidBy(node.record);
  show(
    byId('said'),
    h('h2', {}, h('bdi', {}, titleOf(node, 160))),
    h('p', {}, `${typeName(node.type)} · `, h('code', {}, h('bdi', {}, node.ref)), node.status === 'deprecated' && ' · deprecated'),
    text && h('pre', {}, text.length > SAID_MAX ? `${text.slice(0, SAID_MAX)}…` : text),
  );
}

function start() {
  document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  useVocabulary(types);
  nodes.forEach((node) => model.addNode(node));
  edges.forEach((edge) => model.addEdge(edge));
  model.learnTotals({ nodes, edges, frontier });
  // No worker has an address here.
  const layouts = { postMessage: (question) => setTimeout(() => layouts.onmessage({ data: placed(question) })) };
  startLayout(layouts);
  const select = (ref) => {
    const group = groupOfRef(ref);
    if (group) {
      expand(group.of, group.side);
      return;
    }
    selected = ref;
    picture.highlight(marked());
    tell();
  };
  const expand = (ref, side) => {
    opened.push(`${side} ${ref}`);
    draw(picture);
  };
  const picture = new Picture(byId('picture'), {
    select,
    expand,
    open: select,
    clear: () => select(''),
    between: (ref) => {
      const path = selected && model.between(selected, ref);
      if (path) picture.highlight({ ref, path });
    },
  });
  draw(picture);
}

start();
