// JSON-RPC over one WebSocket: hello, calls, notifications, and a connection that comes back by itself.
import { readMessage } from '../json.js';

export const INVALID_PARAMS = -32602;
export const NOT_FOUND = -32020;
export const CANCELLED = -32800;
const UNAUTHENTICATED = -32010;
const FORBIDDEN = -32011;
/** Without these there is no page: a token that may not call one of them is no token for it. */
const NEEDED = new Set(['rpc.discover', 'server.info']);
/** What most of the page needs, beside them. */
const WANTED = [...NEEDED, 'node.get', 'node.find', 'node.count', 'feedback.list', 'history.get', 'lineage.graph', 'search', 'query'];
const TOKEN_KEY = 'whence-token';
/** Fewer than a server allows by default (64), so that it never has to say that it is busy. */
const IN_FLIGHT_MAX = 32;
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 5000;

/** An error that the server answered. */
export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data ?? {};
  }
}

/**
 * The connection. Events: `state` (detail: 'open' | 'lost' | 'token'), and every notification under its method.
 * Calls made while there is no connection wait for one; what only reads is sent again when it was cut off.
 */
export class Rpc extends EventTarget {
  constructor(url) {
    super();
    this.url = url;
    this.tokenKey = `${TOKEN_KEY} ${new URL(url).pathname}`; // pages of several namespaces are of one origin
    this.pending = new Map();
    this.nextId = 1;
    this.pause = PAUSE_MS_MIN;
    this.isOpen = false;
    this.inFlight = 0;
    this.hello = null;
    this.needsToken = false;
    this.connect();
  }

  get token() {
    return sessionStorage.getItem(this.tokenKey);
  }

  connect() {
    this.socket = new WebSocket(this.url, 'whence.v1.json');
    this.socket.onopen = () => this.sayHello();
    this.socket.onmessage = (message) => this.take(readMessage(message.data));
    this.socket.onclose = () => this.lost();
  }

  async sayHello() {
    try {
      const params = { client: 'whence-explorer', versions: [1] };
      if (this.token) params.token = this.token;
      this.hello = await this.send('session.hello', params);
      this.opened();
    } catch (error) {
      if (error.code === UNAUTHENTICATED) this.askForToken(this.token ? 'The server did not take that token.' : '');
      else if (error.code === FORBIDDEN) this.askForToken(`The page cannot use that token: ${error.message}.`);
    }
  }

  opened() {
    this.isOpen = true;
    this.needsToken = false;
    this.pause = PAUSE_MS_MIN;
    this.emit('state', 'open');
    this.inFlight = 0;
    this.pump();
  }

  /** Sends what waits, in order, as far as the limit lets it. */
  pump() {
    for (const [id, call] of this.pending) {
      if (!this.isOpen || this.inFlight >= IN_FLIGHT_MAX) return;
      if (!call.sent) this.transmit(id, call);
    }
  }

  /** @param {string} why what is wrong with the token that was given, '' where none was */
  askForToken(why) {
    sessionStorage.removeItem(this.tokenKey);
    this.needsToken = true;
    this.emit('state', 'token', why);
  }

  /** The token may not call what the page needs: it is asked for another, and what waits goes with that one. */
  async refuseToken() {
    this.isOpen = false;
    this.needsToken = true;
    const lacking = await Promise.all(WANTED.map((method) => this.sendNow(method, {}).then(() => '', ({ code }) => (code === FORBIDDEN ? method : ''))));
    this.askForToken(`The page needs methods that the token may not call: ${lacking.filter(Boolean).join(', ')}.`);
  }

  /** The reader's token, kept for this tab only. */
  useToken(token) {
    sessionStorage.setItem(this.tokenKey, token);
    if (this.socket.readyState === WebSocket.OPEN && !this.hello) return this.sayHello();
    // A connection keeps the token that it was opened with.
    this.socket.onclose = null;
    this.socket.close();
    this.lost();
    this.connect();
  }

  lost() {
    const wasOpen = this.isOpen;
    this.isOpen = false;
    for (const [id, call] of this.pending) {
      if (call.method === 'session.hello' || call.isOwn) this.pending.delete(id);
      else if (call.sent && call.isOnce) {
        this.pending.delete(id);
        call.reject(new Error('The connection was lost before the answer: whether it was done is not known.'));
      } else call.sent = false;
    }
    if (this.needsToken) return;
    if (wasOpen || this.hello === null) this.emit('state', 'lost');
    setTimeout(() => this.connect(), this.pause * (0.5 + Math.random()));
    this.pause = Math.min(this.pause * 2, PAUSE_MS_MAX);
  }

  /** @returns {Promise<any>} the result, or an RpcError */
  call(method, params = {}) {
    return this.send(method, params);
  }

  /**
   * A call that can be cancelled, may be answered in parts, and is sent once only where that is asked for.
   * @param {{isOnce?: boolean, partial?: (items: object[], grant: () => void) => void}} options `grant` lets the server send
   *   one more part
   * @returns {{answer: Promise<any>, cancel(): void}} cancelled, the answer is an error with the code CANCELLED
   */
  start(method, params, options = {}) {
    const id = this.nextId;
    return { answer: this.send(method, params, options), cancel: () => this.cancel(id) };
  }

  /** What was not sent yet is not sent at all. */
  cancel(id) {
    const call = this.pending.get(id);
    if (!call) return;
    if (call.sent) return this.notify('$/cancel', { id });
    this.pending.delete(id);
    call.reject(new RpcError({ code: CANCELLED, message: 'It was cancelled.' }));
  }

  /** Sends a notification, which nothing answers; lost without a connection. */
  notify(method, params) {
    if (this.isOpen) this.socket.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  send(method, params, options = {}) {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      const call = { method, params, resolve, reject, sent: false, ...options };
      this.pending.set(id, call);
      if (method === 'session.hello') this.transmit(id, call);
      else this.pump();
    });
  }

  /** As `send`, ahead of what waits. */
  sendNow(method, params) {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      const call = { method, params, resolve, reject, isOwn: true };
      this.pending.set(id, call);
      this.transmit(id, call);
    });
  }

  transmit(id, call) {
    call.sent = true;
    this.inFlight += 1;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: call.method, params: call.params }));
  }

  take(message) {
    if (message.method === '$/partial') {
      const { id, items } = message.params;
      this.pending.get(id)?.partial?.(items, () => this.notify('$/credit', { id, n: 1 }));
      return;
    }
    if (message.method) {
      this.emit(message.method, message.params);
      return;
    }
    const call = this.pending.get(message.id);
    if (!call) return;
    this.pending.delete(message.id);
    this.inFlight -= 1;
    if (message.error?.code === FORBIDDEN && NEEDED.has(call.method) && !call.isOwn) {
      this.pending.set(message.id, Object.assign(call, { sent: false }));
      if (!this.needsToken) this.refuseToken();
      return;
    }
    this.pump();
    if (message.error) call.reject(new RpcError(message.error));
    else call.resolve(message.result);
  }

  emit(type, detail, extra) {
    this.dispatchEvent(Object.assign(new Event(type), { detail, extra }));
  }
}

const PLAIN = {
  [-32601]: 'This server does not know that request.',
  [-32602]: 'The request was not understood.',
  [-32603]: 'The server failed while answering.',
  [-32010]: 'The server asks for a token.',
  [-32011]: 'The token does not allow this.',
  [-32020]: 'There is no such node.',
  [-32021]: 'The content has expired.',
  [-32022]: 'The content was purged.',
  [-32050]: 'That is more than the server answers at once.',
  [-32051]: 'The server is busy; try again in a moment.',
  [-32801]: 'The server did not finish in time.',
};

/** An error in plain words, with the server's own message, rule and place. */
export function describe(error) {
  if (!(error instanceof RpcError)) return error.message;
  const { rule, path } = error.data;
  const place = [rule && `rule ${rule}`, path && `at ${path}`].filter(Boolean).join(' ');
  return `${PLAIN[error.code] ?? 'The server refused.'} ${error.message}${place ? ` (${place})` : ''}`;
}
