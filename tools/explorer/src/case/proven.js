// What the bundles of a case prove: of each ref its events and what was recorded of it, life by life, and the edges.
import { readMessage } from '../json.js';

const GONE = new Set(['expire', 'purge']);
/** What begins a life of a ref that has none: a record that was deleted may be written again. */
const BEGINS = new Set(['put', 'version', 'content']);

/** Types that grow by contents which say nothing alone; of other types such a content is empty. */
const GROWING = new Set(['Keyword', 'Subject']);

/** Whether a content says all of a record again: what is only added to a record that is gone does not bring it back. */
const isWholeAgain = ({ $type$: type, ...said }) => !GROWING.has(type) && Object.keys(said).length > 0;

export const keyOf = ({ type, from, to }) => `${type} ${from} ${to}`;

/** The events of all bundles in their order, each once. */
function eventsOf(bundles) {
  const all = new Map();
  for (const { checkpoint, events } of bundles)
    for (const event of events) {
      const place = `${checkpoint.slice(0, checkpoint.indexOf('\n'))} ${event.index}`;
      if (all.has(place) && all.get(place).line !== event.line) throw new Error('two bundles have other events in one place');
      if (event.record !== undefined || !all.has(place)) all.set(place, event);
    }
  return [...all.values()].sort((a, b) => a.index - b.index);
}

class Proven {
  /** Events by ref. */
  events = new Map();
  /** Refs whose contents expired or were purged, at any time; of those without a life here that is all that is known. */
  gone = new Set();
  /**
   * Of each ref `{begun, contents, uses, isOver, lost}`, the newest last: in which transaction it began, what was recorded, of a response
   * the edges from its units, and how its contents went since they were written, if they did: as `expired` and `purged`.
   */
  lives = new Map();
  /** Refs that were deleted after the case's transaction: what goes under them then is of a later life. */
  endedLater = new Set();
  /** What was said of each edge both of whose ends are there since. */
  edges = new Map();
  touching = new Map();

  take(event, record) {
    const { ref, op, edges = [] } = event;
    if (!this.events.has(ref)) this.events.set(ref, []);
    this.events.get(ref).push(event);
    if (op === 'delete') this.end(ref, event.tx);
    else if (BEGINS.has(op)) this.begin(ref, event.tx);
    const life = this.lives.get(ref)?.at(-1);
    if (record !== undefined) life?.contents.push(record);
    if (record !== undefined && isWholeAgain(record)) life?.lost.clear();
    for (const edge of edges) this.join(edge, life);
  }

  begin(ref, tx) {
    if (!this.lives.has(ref)) this.lives.set(ref, []);
    const lives = this.lives.get(ref);
    if (lives.at(-1)?.isOver ?? true) lives.push({ begun: tx, contents: [], uses: new Map(), isOver: false, lost: new Set() });
  }

  /** What went is of the life that is there, or, of a node that was deleted, of the one that the event names. */
  lose({ ref, put, purged }) {
    this.gone.add(ref);
    const lives = this.lives.get(ref) ?? [];
    const there = this.endedLater.has(ref) || lives.at(-1)?.isOver ? undefined : lives.at(-1);
    const life = put === undefined ? there : lives.find(({ begun }) => begun === put);
    life?.lost.add(purged ? 'purged' : 'expired');
  }

  /** With a node its edges go. */
  end(ref, tx) {
    this.begin(ref, tx);
    this.lives.get(ref).at(-1).isOver = true;
    for (const key of this.touching.get(ref) ?? []) this.edges.delete(key);
    this.touching.delete(ref);
  }

  join(edge, life) {
    const key = keyOf(edge);
    this.edges.set(key, [...(this.edges.get(key) ?? []), edge]);
    if (edge.type === 'USED_IN') life?.uses.set(edge.from, edge);
    for (const ref of [edge.from, edge.to]) {
      if (!this.touching.has(ref)) this.touching.set(ref, new Set());
      this.touching.get(ref).add(key);
    }
  }

  isThere(ref) {
    return this.lives.get(ref)?.at(-1).isOver === false;
  }

  /** The life of a ref that is there, if something of it was recorded and is still known. */
  lifeOf(ref) {
    const life = this.lives.get(ref)?.at(-1);
    return life && !life.isOver && life.contents.length > 0 ? life : undefined;
  }

  /** The lives of a ref that a deletion ended, of which something is still known. */
  pastLives(ref) {
    return (this.lives.get(ref) ?? []).filter(({ isOver, contents }) => isOver && contents.length > 0);
  }

  /** Whether what a ref said went: in the life that is there, or in one that a deletion ended. */
  isLost(ref, { isPast, isPurged }) {
    const lives = this.lives.get(ref) ?? [];
    if (lives.length === 0) return this.gone.has(ref);
    return (isPast ? lives.filter(({ isOver }) => isOver) : lives.slice(-1)).some(({ lost }) => lost.has('purged') || (!isPurged && lost.size > 0));
  }

  wasDeleted(ref) {
    return (this.lives.get(ref) ?? []).some(({ isOver }) => isOver);
  }

  isDeleted(ref) {
    return this.lives.get(ref)?.at(-1).isOver === true;
  }
}

/** What the bundles say up to the case's transaction; of what is gone also what they say later. */
export function provenIn(bundles, tx) {
  const proven = new Proven();
  for (const { line, record } of eventsOf(bundles)) {
    const event = readMessage(line);
    if (event.tx <= tx) proven.take(event, record === undefined ? undefined : readMessage(record));
    else if (event.op === 'delete') proven.endedLater.add(event.ref);
    if (GONE.has(event.op)) proven.lose(event);
  }
  return proven;
}
