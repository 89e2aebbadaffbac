// How values read: times, numbers, counts.

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** ISO 8601 text or milliseconds, as the reader's language and zone have it. */
export function timeText(value) {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : DATE.format(date);
}

export const dayText = (value) => DAY.format(new Date(value));

export const countText = (value) => value.toLocaleString();

export const plural = (count, one, many = `${one}s`) => `${countText(count)} ${count === 1 ? one : many}`;

/** A share of 0 to 1 as a percentage: whole ones from 10 on, one digit below. */
export const percent = (share) => {
  const points = share * 100;
  if (points > 0 && points < 0.1) return '<0.1 %';
  return `${points >= 10 ? Math.round(points) : Math.round(points * 10) / 10} %`;
};

/** At most three digits after the point. */
export const shortNumber = (value) => String(Math.round(value * 1000) / 1000);
