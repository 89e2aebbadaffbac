// The graph in the rows of a query: its nodes, relations and paths, wherever in a value they are.
import { runsAlong, typeOfRef } from '../vocabulary.js';
import { isNode, isPath, isRelation } from './result.js';

const NODES_MAX = 300; // of a picture
const DEPTH_MAX = 8; // of lists and maps
const DERIVED = ['tx', 'status', 'score', 'feedbacks']; // properties that are not in the record
const INFLUENCES = 'INFLUENCES'; // every edge with influence; which it is, is a property of the relation

/** A query's node as a node of other answers. */
function nodeOf({ ref, properties }) {
  const { ref: _, ...members } = properties;
  const derived = {};
  for (const name of DERIVED) {
    if (name in members) derived[name] = members[name];
    delete members[name];
  }
  const type = typeOfRef(ref);
  return { ref, type, id: ref.slice(type.length + 1), ...derived, record: { $type$: type, ...members } };
}

/** A query's relation as an edge of other answers, in its stored direction. */
function edgeOf({ type, from, to, properties }) {
  if (type !== INFLUENCES) return { ...properties, type, from, to };
  const along = { ...properties, type: properties.type ?? type, from, to };
  return runsAlong(along) ? along : { ...along, from: to, to: from };
}

/**
 * The first nodes in the rows, at most as many as a picture shows, and the relations between them, each once; `ends` are the nodes
 * of relations that the rows have by name alone.
 * @returns {{nodes: object[], edges: object[], ends: string[]}}
 */
export function graphOfRows(rows) {
  const nodes = new Map();
  const edges = new Map();
  const ends = new Set();
  const isFull = () => nodes.size + ends.size >= NODES_MAX;
  const name = (ref) => {
    if (!nodes.has(ref) && !isFull()) ends.add(ref);
  };
  const take = (value, depth) => {
    if (value === null || typeof value !== 'object' || depth > DEPTH_MAX) return;
    if (isNode(value)) {
      if (nodes.has(value.ref) || (isFull() && !ends.has(value.ref))) return;
      ends.delete(value.ref);
      nodes.set(value.ref, nodeOf(value));
    } else if (isRelation(value)) {
      const edge = edgeOf(value);
      edges.set(`${edge.type} ${edge.from} ${edge.to}`, edge);
      name(edge.from);
      name(edge.to);
    } else if (isPath(value)) {
      take(value.nodes, depth + 1);
      take(value.relations, depth + 1);
    } else {
      for (const each of Object.values(value)) take(each, depth + 1);
    }
  };
  take(rows, 0);
  const isHere = (ref) => nodes.has(ref) || ends.has(ref);
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()].filter(({ from, to }) => isHere(from) && isHere(to)),
    ends: [...ends],
  };
}
