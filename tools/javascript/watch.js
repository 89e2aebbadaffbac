// Events of a subscription, each once and in order, over connections that may be lost.
import { WhenceError } from './errors.js';

const CREDIT = 256;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;

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

/** An async iterator of events. `tx` is the point to continue at later: watch({since: events.tx}). */
export class Watch {
  constructor(url, token, { since = 'now', include = ['record'], types, match, WebSocket }) {
    this.url = `${url.replace(/^http/, 'ws')}/ws`;
    this.token = token;
    this.since = since;
    this.epoch = undefined;
    this.params = { match: { ...match, ...(types && { types }) }, include, credit: CREDIT };
    this.given = WebSocket;
    this.arrived = [];
    this.closed = false;
    this.tx = typeof since === 'number' ? since : undefined;
    this.received = this.tx;
    /** Resolves once the server has accepted the subscription: later writes are seen. */
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    this.follow();
  }

  async follow() {
    let pause = PAUSE_MIN_MS;
    while (!this.closed) {
      try {
        const Socket = await socketClass(this.given);
        if (await this.once(Socket)) pause = PAUSE_MIN_MS;
      } catch (error) {
        this.failure = error;
        this.closed = true;
        this.isReady();
      }
      this.wake?.();
      if (this.closed) return;
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
      pause = Math.min(pause * 2, PAUSE_MAX_MS);
    }
  }

  /** One connection, to its end. Whether it got as far as subscribing; throws what a repetition cannot mend. */
  once(Socket) {
    return new Promise((resolve, reject) => {
      const socket = (this.socket = new Socket(this.url, 'whence.v1.json'));
      let sub;
      let before = 0;
      const send = (message) => socket.readyState === 1 && socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
      const fail = (error) => {
        reject(error);
        socket.close();
      };
      socket.onopen = () =>
        send({ id: 1, method: 'session.hello', params: { versions: [1], ...(this.token && { token: this.token }) } });
      socket.onerror = () => {};
      socket.onclose = () => resolve(sub !== undefined);
      socket.onmessage = ({ data }) => {
        const { id, method, params, result, error } = JSON.parse(data);
        if (error) {
          if (error.data?.retry_after_ms !== undefined) socket.close();
          else fail(new WhenceError(error.message, error.code, error.data));
        } else if (id === 1) {
          this.epoch ??= result.epoch;
          const since = this.received ?? this.since;
          send({ id: 2, method: 'subscribe', params: { ...this.params, since, ...(typeof since === 'number' && { epoch: this.epoch }) } });
        } else if (id === 2) {
          sub = result.sub;
          this.received = Math.max(this.received ?? 0, result.from_tx);
          this.tx ??= result.from_tx;
          this.isReady();
        } else if (method === 'event' && params.sub === sub) {
          let fresh = [];
          let last;
          for (const event of params.events) {
            if (event.tx !== last && event.prev !== before) {
              fresh = fresh.filter((each) => each.tx <= before);
              socket.close(); // a gap: subscribe again after what was received
              break;
            }
            last = before = event.tx;
            if (event.tx > this.received) fresh.push(event);
          }
          this.received = Math.max(this.received, before);
          this.arrived.push({ events: fresh, done: () => send({ method: '$/credit', params: { sub, n: params.events.length } }) });
          this.wake?.();
        } else if (method === '$/heartbeat' || method === '$/caught_up') {
          this.received = Math.max(this.received ?? 0, params.tx);
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

  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        const arrival = this.arrived.shift();
        if (arrival) {
          for (const [index, event] of arrival.events.entries()) {
            if (index && event.tx !== arrival.events[index - 1].tx) this.tx = arrival.events[index - 1].tx;
            if (this.stopped) return;
            if (index + 1 === arrival.events.length) this.tx = event.tx;
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
    this.socket?.close();
    this.wake?.();
  }
}
