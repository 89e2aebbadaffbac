// Rows of a query as CSV (RFC 4180).
import { isScalar } from '../json.js';
import { isNode, isPath, isRelation, scalarText } from '../console/result.js';

/** One value as text: a node by its ref, a relation and a path by their parts, lists and maps as JSON. */
export function plainText(value) {
  if (value === null || value === undefined) return '';
  if (isScalar(value)) return scalarText(value);
  if (isNode(value)) return value.ref;
  if (isRelation(value)) return `${value.from} -[${value.type}]-> ${value.to}`;
  if (isPath(value)) return value.nodes.map(({ ref }) => ref).join(' - ');
  return JSON.stringify(value, (_, each) => (isNode(each) ? each.ref : each));
}

/** A text that a table would take for a formula begins with an apostrophe there, as OWASP recommends. */
const safe = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csvOf = (columns, rows) =>
  [columns, ...rows].map((row) => row.map((value) => quoted(typeof value === 'string' ? safe(value) : plainText(value))).join(',')).join('\r\n') + '\r\n';
