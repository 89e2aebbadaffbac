// A cell of the overview, as the address has it: FIRST/PERIOD/LANE.
import { endOf, isoText } from './periods.js';

const PERIODS = ['hour', 'day', 'week', 'month', 'year'];

export const cellText = ({ lane, start }, period) => `${isoText(start)}/${period}/${lane}`;

/** @returns {{lane: string, start: number, end: number, period: string} | null} null for what is none */
export function parseCell(text) {
  const [first, period, ...lane] = text.split('/');
  const start = Date.parse(first);
  if (Number.isNaN(start) || !PERIODS.includes(period)) return null;
  return { lane: lane.join('/'), start, end: endOf(start, period), period };
}
