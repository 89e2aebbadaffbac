// The page of any record, and what all pages have: what came of a node, its history, and its record as it is stored.
import { h } from '../dom.js';
import { countText, percent, plural, scoreText, timeText } from '../form.js';
import { ratingOf } from '../pages/acts.js';
import { fields } from '../pages/record_view.js';
import { Model, newerThan } from '../server/model.js';
import { go } from '../state.js';
import { edgeName, hasInfluence, runsAlong, typeOf } from '../vocabulary.js';
import { KEPT, newestOf, onePerAct, total } from './ask.js';
import { countsText, nodeLine, pageLink, saidBy, titleOf } from './names.js';
import { bounded, plainText } from './texts.js';

const LISTED = 12;

/** Parts of one request, whose answer has the page that a reader looks for. */
const OF_REQUEST = new Set(['Query', 'PromptContext', 'EmbeddingVector']);

/** A page that says of a record what the server knows of every record. */
export async function genericPage(view) {
  const { node } = view;
  const long = view.isKept
    ? saidBy(node.record)
    : typeOf(node.type)
        .labels.map((member) => node.record?.[member])
        .find((text) => typeof text === 'string' && text.length > 140);
  const answer = OF_REQUEST.has(node.type)
    ? (await view.ask.nodes([`Answer:${node.id}`])).get(`Answer:${node.id}`)
    : null;
  return {
    title: titleOf(node, 160),
    facts: [timeFact(node)],
    notices:
      answer &&
      h(
        'p',
        { class: 'callout' },
        'What was answered: ',
        pageLink(answer.ref, titleOf(answer, 200), { id: 'read-answered' }),
      ),
    sections: [
      long && { name: 'text', title: 'Text', body: plainText(view, 'text', long) },
      { name: 'linked', title: 'Linked with', body: () => linked(view) },
      // Of what an answer rests on, a case has the records and no more.
      (!view.isKept || view.page.rpc.hasPage(node.ref)) && [
        { name: 'effects', title: 'What came of it', body: () => effects(view, node.ref) },
        historySection(view),
      ],
    ]
      .flat()
      .filter(Boolean),
  };
}

/** When a record was made, by its own time. */
export function timeFact(node, name = 'made') {
  const member = typeOf(node.type).time;
  const value = member && node.record?.[member];
  return value === undefined || value === null ? null : [name, timeOfValue(value)];
}

export const timeOfValue = (value) => h('time', { datetime: new Date(value).toISOString?.() }, timeText(value));

/** Every neighbour by the kind of edge, with its own first words. */
async function linked(view) {
  const { node, ask } = view;
  const groups = new Map();
  for (const edge of node.edges ?? []) {
    const isFrom = edge.from === node.ref;
    const side = !hasInfluence(edge) ? 'related' : isFrom === runsAlong(edge) ? 'effect' : 'cause';
    const key = `${edge.type} ${side}`;
    if (!groups.has(key)) groups.set(key, { edge, side, refs: [] });
    groups.get(key).refs.push(isFrom ? edge.to : edge.from);
  }
  const wanted = [...groups.values()].flatMap(({ refs, edge, side }) =>
    refs.slice(0, view.limit(`${edge.type} ${side}`, LISTED)),
  );
  const known = await ask.nodes([...new Set(wanted)].slice(0, 200));
  const SIDES = { cause: 'made from', effect: 'used for', related: 'belongs together with' };
  return [...groups.entries()].map(([key, { edge, side, refs }]) => [
    h('h3', {}, `${edgeName(edge.type)} `, h('span', { class: 'faint' }, `${SIDES[side]} · ${countText(refs.length)}`)),
    h(
      'ul',
      { class: 'plain' },
      bounded(view, key, refs, LISTED, (ref, i) =>
        h('li', { 'data-entry': i }, known.has(ref) ? nodeLine(known.get(ref)) : pageLink(ref)),
      ),
    ),
  ]);
}

/** All that rests on a node, by type, and those with the largest share. */
export async function effects(view, ref, { key = 'effects' } = {}) {
  const wanted = view.limit(key, LISTED);
  const impact = await view.ask.impact(ref, wanted + 1, ['record']);
  const count = total(impact?.counts.by_type);
  if (!count) return null;
  const nodes = onePerAct(impact.nodes);
  const shown = nodes.slice(0, wanted);
  await Promise.all([rateActs(view, shown), markThrough(view, ref, shown)]);
  return [
    h('p', { class: 'sub-line' }, !hasActs(impact.counts.by_type) && noAnswer(isAct(view.node)), countsText(impact.counts.by_type)),
    h(
      'ul',
      { class: 'plain' },
      bounded(
        view,
        key,
        nodes,
        LISTED,
        (each, i) => h('li', { 'data-entry': i }, nodeLine(each, notesOf(each))),
        count - (impact.nodes.length - nodes.length),
      ),
    ),
  ];
}

export const isAct = ({ type }) => type === 'Response' || type === 'Answer';

export const hasActs = ({ Response: responses = 0, Answer: answers = 0 }) => responses + answers > 0;

/** Said where keywords and the like rest on something, and no answer, or none but the one that is shown. */
export const noAnswer = (isOther) => `No ${isOther ? 'other ' : ''}answer rests on it. `;

/** Learns the ratings of the answers among nodes; a case has none of other answers. */
export async function rateActs({ ask, isKept }, nodes) {
  if (isKept) return;
  await Promise.all(
    nodes.filter(isAct).map(async (each) => {
      const found = await ask.optional('feedback.list', { ref: each.ref, limit: 1 });
      Object.assign(each, { score: found?.mean_score ?? null, ratings: found?.feedback_count ?? 0 });
    }),
  );
}

/** Marks what rests on a node through a newer version of it alone. */
async function markThrough({ ask, isKept }, ref, nodes) {
  if (isKept || !nodes.some(({ depth }) => depth > 1)) return;
  const newer = newerThan(ref, await ask.optional('versions.list', { ref, limit: 10_000 }));
  if (!newer.length) return;
  const graph = await ask.optional('lineage.descendants', { ref, form: 'graph', limit: 1000 });
  if (!graph?.complete) return;
  const model = new Model(ref, Infinity);
  model.merge({ nodes: [{ ref }, ...graph.nodes], edges: graph.edges });
  const through = model.onlyThrough(ref, newer);
  for (const each of nodes) each.isThroughNewer = through.has(each.ref);
}

export const throughText = ({ isThroughNewer }) => isThroughNewer && 'through a newer version';

/** What stands beside a node that rests on another: its rating, the way, its share. */
export const notesOf = (node) => [
  isAct(node) && node.score !== undefined && ratingOf(node),
  throughText(node) && h('span', {}, throughText(node)),
  shareNote(node),
];

export const shareNote = ({ share, depth }) =>
  h(
    'span',
    { title: share > 0 ? 'Its share in this text, and over how many steps' : 'Over how many steps' },
    `${share > 0 ? `share ${percent(share)} · ` : ''}${plural(depth, 'step')}`,
  );

const OPS = { put: 'recorded', feedback: 'rated', version: 'changed', delete: 'deleted', expire: 'content gone', purge: 'content purged' };
const EVENTS = 20;
/** How many times as many events are read where older ones are asked for. */
const MORE = 10;

/** What happened to a record, each with a way to see it as it was then. */
export const historySection = (view) => ({
  name: 'history',
  title: 'History',
  body: async () => {
    const kept = view.limit('older', KEPT);
    const answer = await newestOf(view.ask, 'history.get', { ref: view.node.ref }, 'events', kept);
    if (!answer || answer.events.length < (view.isKept ? 1 : 2)) return null;
    return [
      h(
        'ol',
        { class: 'plain events' },
        bounded(view, 'history', together(answer.events).reverse(), EVENTS, (event, i) =>
          h('li', { 'data-entry': i }, eventLine(event)),
        ),
      ),
      answer.left > 0 && h(
          'p',
          { class: 'faint' },
          `These are its newest ${countText(answer.events.length)} events. `,
          !view.isKept && h('button', { type: 'button', 'data-more': 'older', onclick: () => view.more('older', kept * MORE) }, 'Older'),
        ),
    ];
  },
});

/** Ratings that follow each other as one event, with how many they are. */
function together(events) {
  const kept = [];
  for (const event of events) {
    const last = kept.at(-1);
    if (event.op === 'feedback' && last?.op === 'feedback') kept[kept.length - 1] = { ...event, times: last.times + 1 };
    else kept.push({ ...event, times: 1 });
  }
  return kept;
}

/** An event of a history in words. */
export const whatHappened = ({ op, status }) =>
  op === 'status' ? (status === 'updated' ? 'got a newer version' : `became ${status}`) : (OPS[op] ?? op);

function eventLine(event) {
  const isScored = event.score !== undefined && event.status !== 'updated';
  return [
    h('span', {}, whatHappened(event), event.times > 1 && ` ${countText(event.times)} times`),
    isScored && h('span', { class: 'faint' }, ` score ${scoreText(event.score)}`),
    event.reason && h('span', { class: 'why' }, h('bdi', {}, event.reason)),
    h(
      'span',
      { class: 'notes' },
      timeText(event.at),
      ' ',
      h(
        'button',
        { type: 'button', class: 'link', 'data-moment': event.tx, onclick: () => go({ as_of: event.tx }) },
        'as it was then',
      ),
    ),
  ];
}

/** The record as it is stored, for those who want every member. */
export function recordSection(view) {
  const { node } = view;
  if (!node.record) return null;
  const links = { link: (ref, text) => pageLink(ref, text) };
  return {
    name: 'record',
    title: 'All fields',
    body: view.fold('record', 'The record as it is stored', fields(node.record, links)),
  };
}
