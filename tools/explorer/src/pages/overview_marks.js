// The marks of the overview: what is kept of a record, and how many records of each type become marks.
import { TYPES, labelOf, timeOf, topicOf } from '../vocabulary.js';

/** How many marks each type gets: all where there is room, else equal parts of what smaller types leave. */
export function sharesOf(counts, most) {
  const shares = new Map();
  let left = most;
  const rising = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort((a, b) => a[1] - b[1]);
  rising.forEach(([type, count], i) => {
    shares.set(type, Math.min(count, Math.floor(left / (rising.length - i))));
    left -= shares.get(type);
  });
  return shares;
}

export function markOf(node) {
  return {
    ref: node.ref,
    id: node.id,
    type: node.type,
    label: labelOf(node, 80),
    time: timeOf(node),
    topic: topicOf(node),
    jitter: jitterOf(node.ref),
  };
}

/** A number from 0 to 1 that a ref always has. */
function jitterOf(ref) {
  let hash = 2166136261;
  for (let i = 0; i < ref.length; i++) hash = Math.imul(hash ^ ref.charCodeAt(i), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}

/** Types in the order of the vocabulary, unknown ones last. */
export const inOrder = (types) => [
  ...Object.keys(TYPES).filter((type) => types.includes(type)),
  ...types.filter((type) => !TYPES[type]),
];
