// Periods of `node.activity`: when one begins and ends (UTC, weeks from Monday), and how it reads.
import { timeText } from '../form.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** As Date.UTC, which takes the years 0 to 99 for 1900 to 1999. */
const utc = (year, month, day) => new Date(0).setUTCFullYear(year, month, day);

/** When the period after the one that begins at `start` begins. */
export function endOf(start, period) {
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (period) {
    case 'hour':
      return start + HOUR;
    case 'day':
      return start + DAY;
    case 'week':
      return start + 7 * DAY;
    case 'month':
      return utc(year, month + 1, 1);
    default:
      return utc(year + 1, 0, 1);
  }
}

/** When the period that holds `time` begins. */
export function startOf(time, period) {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (period) {
    case 'hour':
      return Math.floor(time / HOUR) * HOUR;
    case 'day':
      return utc(year, month, day);
    case 'week':
      return utc(year, month, day - ((date.getUTCDay() + 6) % 7));
    case 'month':
      return utc(year, month, 1);
    default:
      return utc(year, 0, 1);
  }
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const UTC_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** The period that begins at `start`, in words. */
export function periodText(start, period) {
  switch (period) {
    case 'hour':
      return `the hour from ${timeText(start)}`;
    case 'day':
      return UTC_DAY.format(start);
    case 'week':
      return `the week from ${UTC_DAY.format(start)}`;
    case 'month':
      return MONTH.format(start);
    default:
      return String(new Date(start).getUTCFullYear());
  }
}

/** ISO 8601 to the second, for addresses and requests. */
export const isoText = (time) => new Date(time).toISOString().replace('.000Z', 'Z');

const PERIODS_MAX = 2000;

/** Every period from the first to the last one, also those without a record; where they are too many, the newest that have records. */
export function periodsOf(starts, period) {
  if (!starts.length) return [];
  const [first, last] = [Math.min(...starts), Math.max(...starts)];
  const found = [];
  for (let at = startOf(first, period); at <= last && found.length <= PERIODS_MAX; at = endOf(at, period)) found.push(at);
  return found.length <= PERIODS_MAX ? found : [...new Set(starts)].sort((a, b) => a - b).slice(-PERIODS_MAX);
}
