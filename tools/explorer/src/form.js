// How values read: times, numbers, counts.

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A time in words; the half of the day stays with its hour. */
const withHalf = (text) => text.replace(/\s([AP]M)$/, '\u00a0$1');

/** ISO 8601 text or milliseconds, as the reader's language and zone have it. */
export function timeText(value) {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : withHalf(DATE.format(date));
}

const MINUTE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time to the minute, for columns and names. */
export const minuteText = (value) => withHalf(MINUTE.format(new Date(value)));

export const dayText = (value) => DAY.format(new Date(value));

export const countText = (value) => value.toLocaleString();

export const plural = (count, one, many = `${one}s`) => `${countText(count)} ${count === 1 ? one : many}`;

/** A cost to six digits behind the point; of a small one its first three: it is not nothing. */
export const costText = (cost) =>
  cost.toLocaleString(undefined, Math.abs(cost) < 1e-4 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 6 });

const BYTES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A size with three digits at most: 12 bytes, 1.5 MB. */
export function bytesText(bytes) {
  const power = bytes < 1000 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return power === 0
    ? plural(bytes, 'byte')
    : `${value < 100 ? Math.round(value * 10) / 10 : Math.round(value)} ${BYTES[power]}`;
}

/** A span in its largest whole unit: 12 s, 3 min, 2 h. */
export function durationText(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${countText(Math.floor(seconds / 3600))} h`;
}

/** How long something took: whole milliseconds below a second, of less than one its first digit, else seconds with two digits at most. */
export const latencyText = (ms) => (ms < 1000 ? `${Math.round(ms) || Number(ms.toPrecision(1))} ms` : `${shortNumber(Math.round(ms / 10) / 100)} s`);

const MEMBERS = { __proto__: null, feedback_text: 'remark', xmlContent: 'text', topicId: 'conversation', messageCount: 'messages' };

/** A member of a record, or an element of a message's XML, as people say it. */
export const memberWords = (name) => MEMBERS[name] ?? name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ').toLowerCase();

/** A share of 0 to 1 as a percentage: whole ones from 10 on, one digit below; the sign stays with its number. */
export const percent = (share) => {
  const points = share * 100;
  if (points > 0 && points < 0.1) return '<0.1\u00a0%';
  return `${points >= 10 ? Math.round(points) : Math.round(points * 10) / 10}\u00a0%`;
};

const VERDICTS = { likely: 'likely', possible: 'possible, or chance', not_worse: 'not worse', few: 'too few to tell', in_all: 'in every answer, which cannot be blamed' };

/**
 * What `impact.blame` found of a source, with the numbers that its verdict is made of: the bad part weighed by the share of the source in
 * each answer, and the bad part of all answers that do not rest on it.
 */
export function blameWords({ rated, bad, rate, others_rate: others, verdict, same_answers: same }) {
  const weighed = `weighed by its share in each ${percent(rate)}${others === undefined ? '' : `, of the others ${percent(others)}`}`;
  const alike = same ? `; ${same === 1 ? '1 other is' : `${countText(same)} others are`} in the same answers` : '';
  return `${bad} of ${rated} bad, ${weighed}: ${VERDICTS[verdict] ?? verdict}${alike}`;
}

/** At most three digits after the point, with the sign that is as wide as a plus. */
export const shortNumber = (value) => String(Math.round(value * 1000) / 1000).replace('-', '−');

/** To two digits behind the point; of a score that would be nothing then, its first digit. */
export const roundedScore = (score) => Math.round(score * 100) / 100 || Number(Number(score).toPrecision(1));

/** A rating or a score, with its sign; as exact as on a card of the picture. */
export const scoreText = (score) => `${score > 0 ? '+' : ''}${String(roundedScore(score)).replace('-', '−')}`;

/** A text as one word of a shell. */
export const shellWord = (text) => (/^[\w@.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
