// What a card says: its type with marks, a line that says what it is, a number, and what is not drawn beside it.
import { countText, percent, roundedScore } from '../form.js';
import { pluralName, titleOf } from '../read/names.js';
import { typeName } from '../vocabulary.js';

/** How a node differs between two moments, and between two nodes that are compared. */
export const DIFFERENCES = {
  moments: { added: '+ added', removed: '− removed', reweighted: '~ weight' },
  pair: { added: '+ second', removed: '− first', reweighted: '~ weight' },
};

/** @returns {{kind: string, flags: string[], line: string, number: string}} */
export function cardWords(node) {
  const flags = [
    DIFFERENCES[node.isOfPair ? 'pair' : 'moments'][node.mark],
    node.was ? `now ${node.status}` : node.status && node.status !== 'active' && node.status,
    node.purged ? 'purged' : node.expired && 'expired',
  ].filter(Boolean);
  // A status that is another one now needs the room of the number.
  return { kind: typeName(node.type), flags, line: titleOf(node, 120), number: node.was ? '' : numberOf(node) };
}

/** Its share in an impact, else its rating with a sign that needs no colour. */
function numberOf(node) {
  // What was used without a weight has no share.
  if (node.share !== undefined) return node.share > 0 ? percent(node.share) : '';
  const score = node.type === 'FeedbackRecord' ? node.record?.score : node.score;
  return typeof score === 'number' ? ratingText(score) : '';
}

export function ratingText(score) {
  const shown = roundedScore(score);
  return shown > 0 ? `▲ +${shown}` : shown < 0 ? `▼ −${-shown}` : '0';
}

/** A count in little room: 37, 999, 53k, 1.2M. */
export function shortCount(count) {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${count < 1e4 ? Math.floor(count / 100) / 10 : Math.floor(count / 1000)}k`;
  return `${Math.floor(count / 1e5) / 10}M`;
}

/** The two lines of a group: how many of what, and how many of all are drawn. */
export function groupWords({ count, total, types }) {
  const names = types?.length ? types.map(([type, many]) => pluralName(type, many)) : [count === 1 ? 'node' : 'nodes'];
  const what = names.length === 1 ? names[0] : names.length === 2 ? names.join(' and ') : `${names[0]} and others`;
  return { title: `+${countText(count)} ${what}`, note: `${countText(total - count)} of ${countText(total)} drawn` };
}
