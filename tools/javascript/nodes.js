// The addresses of a client, and what it has seen of the graph behind them.
//
// Several addresses are those of nodes that share one log (store/replicated): each has the same transactions under the same numbers,
// though not all at the same moment.
import { WhenceError } from './errors.js';

const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;

/** The addresses in order, the one that was good last, and the newest transaction that was written, read or watched. */
export class Nodes {
  /** One address, several separated by commas, or a list. */
  constructor(urls) {
    const listed = typeof urls === 'string' ? urls.split(',') : [...urls];
    this.urls = [...new Set(listed.map((url) => url.trim().replace(/\/+$/, '')).filter(Boolean))];
    if (!this.urls.length) throw new WhenceError('no address of a server');
    this.at = 0;
    this.seen = 0;
    this.epoch = undefined; // of the log that all of them share
  }

  get several() {
    return this.urls.length > 1;
  }

  /** The address to try first. */
  get current() {
    return this.urls[this.at];
  }

  saw(tx) {
    if (tx > this.seen) this.seen = tx;
  }

  /** Why the node at `url` is not to be used, or nothing: it has another graph than the one that was asked first. */
  foreign(url, epoch) {
    this.epoch ??= epoch;
    return epoch === this.epoch ? undefined : `${url} has another graph (epoch ${epoch}, not ${this.epoch})`;
  }

  /** The next address is tried first from now on, if `url` was. */
  passOver(url) {
    if (this.current === url) this.at = (this.at + 1) % this.urls.length;
  }
}

/** The tries of one call: which addresses failed, and the pauses between rounds over all of them. */
export class Attempts {
  constructor(nodes) {
    this.nodes = nodes;
    this.said = new Map();
    this.failed = new Set(); // in this round
    this.pause = PAUSE_MIN_MS;
  }

  /** Takes note of a failure. The milliseconds to wait: 0 while there are addresses that were not tried in this round. */
  failedAt(url, error) {
    this.said.set(url, error.message);
    this.failed.add(url);
    this.nodes.passOver(url);
    if (!this.failed.has(this.nodes.current)) return 0;
    this.failed.clear();
    const pause = this.pause * (0.5 + Math.random() / 2);
    this.pause = Math.min(this.pause * 2, PAUSE_MAX_MS);
    return pause;
  }

  /** `error`, the last one; where several nodes were asked with what each of them said. */
  summary(error) {
    if (this.said.size > 1) {
      error.message = `no node has answered: ${[...this.said].map(([url, why]) => `${url}: ${why}`).join('; ')}`;
    }
    return error;
  }
}
