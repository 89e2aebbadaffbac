// The words of the graph: record types and edge types as the server describes them (`x-whence-types` of `rpc.discover`),
// and how the page shows each: colour by family, shape by place within the family.

/**
 * Hues of the families of types, from the palette of Okabe and Ito, which stays distinct for colour-blind eyes.
 * `light` and `dark` are the outline on each background; fills are mixed from them.
 */
export const FAMILIES = {
  context: { name: 'Context', light: '#0072b2', dark: '#56a9e0', shapes: ['round'] },
  response: { name: 'Responses', light: '#c45100', dark: '#f08a4b', shapes: ['ellipse'] },
  message: { name: 'Messages', light: '#8a7400', dark: '#dccb4a', shapes: ['hexagon', 'tag', 'sheet'] },
  extracted: { name: 'Extracted from XML', light: '#00805d', dark: '#3ecfa0', shapes: ['diamond', 'pentagon', 'slanted'] },
  discussion: { name: 'Discussions', light: '#a8518a', dark: '#e09ac4', shapes: ['hexagon', 'trapezium', 'slanted'] },
  retrieval: { name: 'Retrieval', light: '#2b8fbf', dark: '#7cc9ee', shapes: ['sheet', 'bar', 'triangle', 'plus', 'house'] },
  answer: { name: 'Answers', light: '#b27700', dark: '#f0b53c', shapes: ['octagon'] },
  other: { name: 'Other', light: '#5f6773', dark: '#a6afbb', shapes: ['plus', 'octagon', 'ellipse', 'round', 'house'] },
};

/** Outlines in a square from -1 to 1; null is an ellipse, 'round' a rounded rectangle. */
const SHAPES = {
  ellipse: null,
  round: 'round',
  sheet: [-0.75, -1, 0.35, -1, 0.75, -0.55, 0.75, 1, -0.75, 1],
  tag: [-1, -0.7, 0.45, -0.7, 1, 0, 0.45, 0.7, -1, 0.7],
  diamond: [0, -1, 1, 0, 0, 1, -1, 0],
  pentagon: [0, -1, 0.95, -0.31, 0.59, 0.81, -0.59, 0.81, -0.95, -0.31],
  hexagon: [-0.5, -0.87, 0.5, -0.87, 1, 0, 0.5, 0.87, -0.5, 0.87, -1, 0],
  octagon: [-0.42, -1, 0.42, -1, 1, -0.42, 1, 0.42, 0.42, 1, -0.42, 1, -1, 0.42, -1, -0.42],
  slanted: [-0.55, -0.75, 1, -0.75, 0.55, 0.75, -1, 0.75],
  triangle: [0, -0.95, 1, 0.85, -1, 0.85],
  house: [0, -1, 0.9, -0.2, 0.9, 0.9, -0.9, 0.9, -0.9, -0.2],
  plus: [
    -0.38, -1, 0.38, -1, 0.38, -0.38, 1, -0.38, 1, 0.38, 0.38, 0.38, 0.38, 1, -0.38, 1, -0.38, 0.38, -1, 0.38, -1,
    -0.38, -0.38, -0.38,
  ],
  bar: [-1, -0.5, 1, -0.5, 1, 0.5, -1, 0.5],
  trapezium: [-0.6, -0.75, 0.6, -0.75, 1, 0.75, -1, 0.75],
};

/** The types whose records are rated. */
export const RATED = new Set(['ContextUnit', 'RetrievedChunk', 'Document', 'Response', 'Answer']);

const UNKNOWN = { name: 'Record', family: 'other', shape: 'round', outline: SHAPES.round, labels: [], searched: [], time: null };

/**
 * By type, in the order of the server's catalogue: its name for people, family, shape, the members that name a record
 * (the first that it has), further members worth searching, and the member that holds its time. Empty until
 * `useVocabulary`.
 */
export const TYPES = { __proto__: null };

const EDGES = { __proto__: null };

/**
 * Takes the server's description of its types over. A type of a family that the page does not know is shown as `other`.
 * @param {{records: object[], edges: object[]}} described
 */
export function useVocabulary({ records, edges }) {
  const counts = {};
  for (const record of records.filter(({ is_node }) => is_node)) {
    const family = record.family in FAMILIES ? record.family : 'other';
    const { shapes } = FAMILIES[family];
    const place = counts[family] ?? 0;
    counts[family] = place + 1;
    const shape = shapes[place % shapes.length];
    TYPES[record.name] = {
      name: record.label,
      family,
      shape,
      outline: SHAPES[shape],
      labels: record.label_members,
      searched: record.search_members,
      time: record.time_member,
    };
  }
  for (const edge of edges) EDGES[edge.name] = edge;
}

export const typeOf = (name) => TYPES[name] ?? UNKNOWN;

const influenceOf = (edge) => {
  if (edge.cycle_cut) return 'none';
  const described = EDGES[edge.type];
  return described?.influence_from[typeOfRef(edge.from)] ?? described?.influence ?? 'none';
};

/** Whether the influence of an edge runs along its stored direction, from cause to effect; else against it. */
export const runsAlong = (edge) => influenceOf(edge) === 'along';

/** Whether an edge carries influence; those that carry none are no part of lineage. */
export const hasInfluence = (edge) => influenceOf(edge) !== 'none';

/** `USED_IN` as people say it. */
export const edgeName = (edgeType) => EDGES[edgeType]?.label ?? edgeType.toLowerCase().replaceAll('_', ' ');

export const typeName = (name) => (TYPES[name] ? TYPES[name].name : name);

export const typeOfRef = (ref) => ref.slice(0, ref.indexOf(':'));

export const idOfRef = (ref) => ref.slice(ref.indexOf(':') + 1);

/** A long id cut in its middle, where ids differ least. */
export function shortId(id, length = 24) {
  if (id.length <= length) return id;
  const tail = Math.floor(length / 3);
  return `${id.slice(0, length - tail - 1)}…${id.slice(-tail)}`;
}

export const cut = (text, length) => {
  const points = Array.from(text.slice(0, length * 2 + 2));
  return points.length > length
    ? `${points
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : text;
};

/** Whether there is anything to see in a text: signs without a width, such as U+200B, are none. */
export const isSeen = (text) => /[^\s\p{Cf}]/u.test(text);

/** What a node is called: the first of its type's label members, else its id. */
export function labelOf(node, length = 80) {
  const record = node.record ?? {};
  if (node.type === 'DiscussionRound' && record.roundNumber) {
    return cut(`Round ${record.roundNumber} of ${record.discussionId}`, length);
  }
  if (node.type === 'XMLMessageAttachment' && record.messageId) {
    return cut(`${record.format === 'llm-query' ? 'Query' : 'Response'} XML of ${record.messageId}`, length);
  }
  for (const member of typeOf(node.type).labels) {
    const value = record[member];
    if (typeof value === 'string' && isSeen(value.slice(0, 20 * length)))
      return cut(
        value
          .slice(0, 20 * length)
          .replace(/\s+/g, ' ')
          .trim(),
        length,
      );
  }
  return shortId(node.id ?? idOfRef(node.ref), length);
}

/** A record's own time in milliseconds, or null. */
export function timeOf(node) {
  const member = typeOf(node.type).time;
  const value = member ? node.record?.[member] : null;
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(parsed) ? null : parsed;
}
