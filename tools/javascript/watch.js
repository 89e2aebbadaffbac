// Events of a subscription, each once and in order, over connections that may be lost, to one node or another.
import { ConnectionLost, RESUME_IMPOSSIBLE, WhenceError } from './errors.js';
import { MATCH } from './methods.js';
import { Attempts } from './nodes.js';
import { membersGiven, said, textOf } from './wire.js';

const CREDIT = 256;
const CATCH_UP_MS = 3_000; // how long one of several nodes may take to have what was received
const BEGIN_MS = 10_000; // for connecting and subscribing to one of several nodes
const SILENCE_MS = 60_000; // four heartbeats of a server's default

const OPTIONS = ['since', 'snapshot', 'include', 'match', 'silence', 'WebSocket', ...MATCH];

/** The WebSocket class: the one given, the platform's own, or that of the package `ws`. */
async function socketClass(given) {
  if (given ?? globalThis.WebSocket) return given ?? globalThis.WebSocket;
  try {
    const name = 'ws';
    return (await import(name)).WebSocket;
  } catch {
    throw new WhenceError('watch needs a WebSocket: Node 22, the package ws, or connect(url, {WebSocket})');
  }
}

/** An async iterator of events. `tx` is the point to continue at later: watch({since: events.tx}); undefined until a snapshot is complete. */
export class Watch {
  constructor(nodes, token, { since = 'now', snapshot = false, include = ['record'], match, silence = SILENCE_MS, WebSocket, ...members }) {
    for (const name of Object.keys(members)) {
      if (!MATCH.includes(name)) throw new TypeError(`watch has no option \`${name}\`; it has ${OPTIONS.join(', ')}`);
    }
    if (typeof snapshot !== 'boolean') throw new TypeError(`watch: \`snapshot\` is true or false, not ${said(snapshot)}`);
    if (!Number.isFinite(silence) || silence <= 0) throw new TypeError(`watch: \`silence\` is a number of milliseconds, not ${said(silence)}`);
    const given = JSON.parse(textOf({ since, include, match: { ...membersGiven(match, 'watch.match'), ...members } }, 'watch'));
    this.nodes = nodes;
    this.token = token;
    this.since = given.since;
    this.epoch = undefined;
    this.params = { match: given.match, include: given.include, credit: CREDIT };
    this.snapshot = snapshot; // false once it is complete: until then it begins anew on each connection
    this.sent = new Set(); // the refs of the snapshot that were received
    this.given = WebSocket;
    this.silence = silence;
    this.arrived = [];
    this.closed = false;
    this.tx = typeof this.since === 'number' ? this.since : undefined;
    this.received = this.tx;
    /** Resolves once the server has accepted the subscription: later writes are seen. Rejects where it refuses, and where the watch is closed before. */
    this.ready = new Promise((resolve, reject) => Object.assign(this, { isReady: resolve, isRefused: reject }));
    this.ready.catch(() => {}); // who iterates gets the failure there
    this.follow();
  }

  async follow() {
    let attempts = new Attempts(this.nodes);
    while (!this.closed) {
      const url = this.nodes.current;
      let pause = 0;
      try {
        const Socket = await socketClass(this.given);
        const { subscribed, error } = await this.once(Socket, url);
        if (subscribed) attempts = new Attempts(this.nodes);
        pause = attempts.failedAt(url, error);
        if (pause && this.epoch === undefined && error.code === RESUME_IMPOSSIBLE) throw attempts.summary(error);
      } catch (error) {
        this.failure = error;
        this.closed = true;
        this.isRefused(error);
      }
      this.wake?.();
      if (this.closed) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** One connection, to its end: whether it got as far as subscribing, and why it ended. Throws what a repetition cannot mend. */
  once(Socket, url) {
    return new Promise((resolve, reject) => {
      const { nodes } = this;
      const socket = (this.socket = new Socket(`${url.replace(/^http/, 'ws')}/ws`, 'whence.v1.json'));
      let sub;
      let before = 0;
      let epoch;
      let why = new ConnectionLost(`the connection to ${url} ended`);
      const timer = nodes.several && setTimeout(() => sub === undefined && leave(`no answer from ${url}`), BEGIN_MS);
      let heard = Date.now();
      // A peer that hangs, or a network that drops, closes nothing. While events wait for the reader, the server may wait, too.
      const listening = setInterval(() => {
        if (this.arrived.length) heard = Date.now();
        if (Date.now() - heard >= this.silence) leave(`nothing was heard from ${url} for ${this.silence} ms`);
      }, this.silence / 4);
      const end = () => {
        clearTimeout(timer);
        clearInterval(listening);
        resolve({ subscribed: sub !== undefined, error: why });
      };
      const send = (message) => socket.readyState === 1 && socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
      const fail = (error) => {
        reject(error);
        end();
        socket.close();
      };
      const leave = (message, code) => {
        why = Object.assign(new ConnectionLost(message), { code });
        socket.onmessage = null;
        socket.close();
        end(); // a peer that hangs does not answer the close
      };
      const subscribe = () => {
        const since = this.received ?? this.since;
        const state = this.snapshot && { snapshot: true };
        send({ id: 2, method: 'subscribe', params: { ...this.params, ...state, since, ...(typeof since === 'number' && { epoch: this.epoch ?? epoch }) } });
      };
      /** A refusal of one of several nodes that lacks what another has. */
      const isBehind = (id, error) =>
        nodes.several && (id === 3 || (error.code === RESUME_IMPOSSIBLE && error.data?.epoch === epoch && error.data.tx < (this.received ?? this.since)));
      socket.onopen = () =>
        send({ id: 1, method: 'session.hello', params: { versions: [1], ...(this.token && { token: this.token }) } });
      socket.onerror = () => {};
      socket.onclose = end;
      socket.onmessage = ({ data }) => {
        heard = Date.now();
        const { id, method, params, result, error } = JSON.parse(data);
        if (error) {
          if (error.data?.retry_after_ms !== undefined || isBehind(id, error)) leave(`${url}: ${error.message}`, error.code);
          else fail(new WhenceError(error.message, error.code, error.data));
        } else if (id === 1) {
          epoch = result.epoch;
          const foreign = nodes.several && nodes.foreign(url, epoch);
          const known = Math.max(nodes.seen, this.epoch === undefined ? 0 : (this.received ?? 0));
          if (foreign) leave(foreign);
          else if (nodes.several && result.tx < known)
            send({ id: 3, method: 'node.count', params: { type: 'Topic', as_of: 0, min_tx: known, timeout_ms: CATCH_UP_MS } });
          else subscribe();
        } else if (id === 3) {
          subscribe();
        } else if (id === 2) {
          this.epoch ??= epoch;
          sub = result.sub;
          if (this.snapshot) this.since = result.from_tx;
          else this.received = Math.max(this.received ?? 0, result.from_tx);
          if (!this.snapshot) this.tx ??= result.from_tx;
          this.isReady();
        } else if (method === 'event' && params.sub === sub) {
          let fresh = [];
          let last;
          for (const event of params.events) {
            if (event.snapshot) {
              before = event.tx;
              if (!this.sent.has(event.ref)) fresh.push(event);
              this.sent.add(event.ref);
              continue;
            }
            if (this.snapshot) this.endSnapshot(this.since);
            if (event.tx !== last && event.prev !== before) {
              fresh = fresh.filter((each) => each.tx <= before);
              socket.close(); // a gap: subscribe again after what was received
              break;
            }
            last = before = event.tx;
            if (event.tx > this.received) fresh.push(event);
          }
          if (!this.snapshot) this.received = Math.max(this.received, before);
          nodes.saw(before);
          this.arrived.push({ events: fresh, done: () => send({ method: '$/credit', params: { sub, n: params.events.length } }) });
          this.wake?.();
        } else if ((method === '$/heartbeat' && !this.snapshot) || method === '$/caught_up') {
          if (this.snapshot) this.endSnapshot(params.tx);
          this.received = Math.max(this.received ?? 0, params.tx);
          nodes.saw(params.tx);
          const last = this.arrived.at(-1);
          if (last?.tx) last.tx = Math.max(last.tx, params.tx); // only the latest counts
          else this.arrived.push({ events: [], tx: params.tx });
          this.wake?.();
        } else if (method === '$/ended' && params.reason !== 'shutdown' && params.reason !== 'error') {
          fail(new WhenceError(`the server ended the subscription: ${params.reason}`, undefined, params));
        }
      };
    });
  }

  endSnapshot(tx) {
    this.snapshot = false;
    this.sent.clear();
    this.received = Math.max(this.received ?? 0, tx);
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        const arrival = this.arrived.shift();
        if (arrival) {
          for (const [index, event] of arrival.events.entries()) {
            const last = arrival.events[index - 1];
            if (last && !last.snapshot && event.tx !== last.tx) this.tx = last.tx;
            if (this.stopped) return;
            if (!event.snapshot && index + 1 === arrival.events.length) this.tx = event.tx;
            yield event;
          }
          if (arrival.tx) this.tx = Math.max(this.tx ?? 0, arrival.tx);
          arrival.done?.();
        } else if (this.closed) {
          if (this.failure) throw this.failure;
          return;
        } else {
          await new Promise((resolve) => (this.wake = resolve));
        }
      }
    } finally {
      this.close();
    }
  }

  close() {
    this.closed = this.stopped = true;
    this.isRefused(new WhenceError('the watch was closed before the server had subscribed'));
    this.socket?.close();
    this.wake?.();
  }
}
