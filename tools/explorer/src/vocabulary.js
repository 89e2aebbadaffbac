// What the page knows of Whence's record and edge types: colours, shapes, labels, times, directions of influence.

/**
 * Hues of the families of types, from the palette of Okabe and Ito, which stays distinct for colour-blind eyes.
 * `light` and `dark` are the outline on each background; fills are mixed from them.
 */
export const FAMILIES = {
  context: { name: 'Context', light: '#0072b2', dark: '#56a9e0' },
  response: { name: 'Responses', light: '#c45100', dark: '#f08a4b' },
  message: { name: 'Messages', light: '#8a7400', dark: '#dccb4a' },
  extracted: { name: 'Drawn from XML', light: '#00805d', dark: '#3ecfa0' },
  discussion: { name: 'Discussions', light: '#a8518a', dark: '#e09ac4' },
  retrieval: { name: 'Retrieval', light: '#2b8fbf', dark: '#7cc9ee' },
  answer: { name: 'Answers', light: '#b27700', dark: '#f0b53c' },
  other: { name: 'Other', light: '#5f6773', dark: '#a6afbb' },
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

/**
 * By type: its name for people, family, shape, the members that name a record (first that is there),
 * further members worth searching, and the member that holds its time.
 */
export const TYPES = {
  ContextUnit: type('Context unit', 'context', 'round', ['summary', 'source'], ['type'], 'timestamp'),
  Response: type('Response', 'response', 'ellipse', ['agent'], ['model'], 'timestamp'),
  FeedbackRecord: type('Feedback', 'other', 'plus', ['feedback_text'], ['user_id', 'response_id'], 'timestamp'),
  Topic: type('Topic', 'message', 'hexagon', ['name'], [], 'createdAt'),
  Message: type('Message', 'message', 'tag', ['text', 'role'], ['topicId'], 'createdAt'),
  XMLMessageAttachment: type('XML attachment', 'message', 'sheet', ['messageId'], ['format', 'topicId'], 'createdAt'),
  Keyword: type('Keyword', 'extracted', 'diamond', ['term'], [], 'createdAt'),
  Subject: type('Subject', 'extracted', 'pentagon', ['name'], ['description', 'topic'], 'createdAt'),
  Summary: type('Summary', 'extracted', 'slanted', ['increment', 'content'], ['topic'], 'createdAt'),
  SystemPromptTemplate: type('Prompt template', 'other', 'octagon', ['modelId'], [], 'createdAt'),
  Discussion: type('Discussion', 'discussion', 'hexagon', ['topic', 'discussionId'], ['userId'], 'createdAt'),
  DiscussionRound: type('Round', 'discussion', 'trapezium', [], ['userId', 'discussionId'], 'timestamp'),
  SummaryEntry: type('Discussion summary', 'discussion', 'slanted', ['content', 'summary'], [], 'createdAt'),
  Document: type('Document', 'retrieval', 'sheet', ['title', 'document_name'], [], 'timestamp'),
  RetrievedChunk: type('Chunk', 'retrieval', 'bar', ['content'], [], null),
  Query: type('Query', 'retrieval', 'triangle', ['question'], [], 'timestamp'),
  EmbeddingVector: type('Embedding', 'retrieval', 'plus', ['model'], [], null),
  PromptContext: type('Prompt context', 'retrieval', 'house', ['question'], [], null),
  Answer: type('Answer', 'answer', 'octagon', ['answer', 'message'], [], null),
  ProvEntity: type('PROV entity', 'other', 'ellipse', ['qname'], [], null),
  ProvActivity: type('PROV activity', 'other', 'round', ['qname'], [], null),
  ProvAgent: type('PROV agent', 'other', 'house', ['qname'], [], null),
};

function type(name, family, shape, labels, searched, time) {
  return { name, family, shape, outline: SHAPES[shape], labels, searched, time };
}

const UNKNOWN = type('Record', 'other', 'round', [], [], null);

export const typeOf = (name) => TYPES[name] ?? UNKNOWN;

const ALONG = new Set(['USED_IN', 'PROMPTED', 'RENDERED_AS', 'RETRIEVED_FOR', 'INCLUDED_IN']);

/** Whether influence runs the way an edge is drawn. All that are not in ALONG are drawn from effect to cause. */
export const runsAlong = (edgeType) => ALONG.has(edgeType);

/** Edges that carry no influence and so are no part of lineage; only chunks descend from what they are part of. */
export const hasInfluence = (edge) =>
  edge.type !== 'EVALUATES' && (edge.type !== 'PART_OF' || edge.from.startsWith('RetrievedChunk:'));

/** `USED_IN` as people say it. */
export const edgeName = (edgeType) => edgeType.toLowerCase().replaceAll('_', ' ');

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
    if (typeof value === 'string' && /\S/.test(value.slice(0, 20 * length)))
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

/** A label that tells apart records whose labels repeat: responses of one agent by their ids. */
export const nameOf = (node, length = 80) =>
  node.type === 'Response'
    ? `${labelOf(node, length - 20)} · ${shortId((node.id ?? idOfRef(node.ref)).replace(/^resp_/, ''), 18)}`
    : labelOf(node, length);

/** A record's own time in milliseconds, or null. */
export function timeOf(node) {
  const member = typeOf(node.type).time;
  const value = member ? node.record?.[member] : null;
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

/** The topic a record belongs to, for lanes by topic. */
export function topicOf(node) {
  if (node.type === 'Topic') return node.id;
  const topic = ['Subject', 'Summary'].includes(node.type) ? node.record?.topic : node.record?.topicId;
  return typeof topic === 'string' ? topic : '';
}
