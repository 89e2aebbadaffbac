// What the bundles of a case prove: of each ref its events and what was recorded of it, life by life, and the edges.
const GONE = new Set(['expire', 'purge']);
/** What begins a life of a ref that has none: a record that was deleted may be written again. */
const BEGINS = new Set(['put', 'version', 'content']);

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
  /** Refs whose contents expired or were purged, at any time. */
  gone = new Set();
  /** Of each ref `{contents, uses, isOver}`, the newest last: what was recorded, and of a response the edges from its units. */
  lives = new Map();
  /** What was said of each edge both of whose ends are there since. */
  edges = new Map();
  touching = new Map();

  take(event, record) {
    const { ref, op, edges = [] } = event;
    if (!this.events.has(ref)) this.events.set(ref, []);
    this.events.get(ref).push(event);
    if (op === 'delete') this.end(ref);
    else if (BEGINS.has(op)) this.begin(ref);
    const life = this.lives.get(ref)?.at(-1);
    if (record !== undefined) life?.contents.push(record);
    for (const edge of edges) this.join(edge, life);
  }

  begin(ref) {
    if (!this.lives.has(ref)) this.lives.set(ref, []);
    const lives = this.lives.get(ref);
    if (lives.at(-1)?.isOver ?? true) lives.push({ contents: [], uses: new Map(), isOver: false });
  }

  /** With a node its edges go. */
  end(ref) {
    this.begin(ref);
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
    const event = JSON.parse(line);
    if (GONE.has(event.op)) proven.gone.add(event.ref);
    if (event.tx <= tx) proven.take(event, record === undefined ? undefined : JSON.parse(record));
  }
  return proven;
}
