// The client of a Whence server.
import { BUSY, ConnectionLost, UNAUTHENTICATED, WhenceError } from './errors.js';
import { randomId } from './ids.js';
import { METHODS } from './methods.js';
import { RecordQueue } from './queue.js';
import { Watch } from './watch.js';

export { ConnectionLost, WhenceError };

const BUSY_RETRIES = 3;

/** A client; nothing is sent before the first call. Options: `token`, `timeout` (ms), `queueBytes`, `onError`, `WebSocket`. */
export function connect(url = 'http://127.0.0.1:7411', options = {}) {
  return new Client(url, options);
}

/** A Response as `record` takes it, as a record of the server. */
export function responseRecord({ id, agent = 'application', model = 'unknown', context_units = [], ...members }) {
  return {
    $type$: 'Response',
    id: id ?? `resp_${randomId()}`,
    timestamp: new Date().toISOString(),
    agent,
    model,
    ...members,
    context_units: context_units.map((unit) =>
      typeof unit !== 'string' ? unit : unit.startsWith('cu_') ? { context_unit_id: unit } : { ref: unit },
    ),
  };
}

export class Client {
  #token;
  #queue;

  constructor(url, { token, timeout = 30_000, queueBytes = 64 << 20, onError, WebSocket } = {}) {
    this.url = url.replace(/\/+$/, '');
    this.#token = token;
    this.timeout = timeout;
    this.WebSocket = WebSocket;
    this.#queue = new RecordQueue((body) => this.#post(body), { bytesMax: queueBytes, onError });
    for (const [name, , first] of METHODS) {
      const parts = name.split('.');
      const last = parts.pop();
      let holder = this;
      for (const part of parts) holder = holder[part] ??= {};
      holder[last] = (value, params) =>
        this.call(name, first && (typeof value !== 'object' || Array.isArray(value)) && value !== undefined ? { ...params, [first]: value } : { ...value });
    }
  }

  /** Any method by its name. Writes get an idempotency key; `busy` is repeated three times. */
  async call(method, params = {}) {
    const keyed = method === 'records.write' && !params.dry_run && params.idempotency_key === undefined;
    const sent = keyed ? { ...params, idempotency_key: `js-${randomId()}` } : params;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent });
    for (let tries = 0; ; tries++) {
      try {
        return await this.#post(body);
      } catch (error) {
        if (error.code !== BUSY || tries >= BUSY_RETRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, error.data?.retry_after_ms ?? 100));
      }
    }
  }

  async #post(body) {
    let answer;
    let text;
    try {
      answer = await fetch(`${this.url}/rpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(this.#token && { Authorization: `Bearer ${this.#token}` }) },
        body,
        signal: AbortSignal.timeout(this.timeout),
      });
      text = await answer.text();
    } catch (cause) {
      throw new ConnectionLost(`no answer from ${this.url}: ${cause.cause?.message ?? cause.message}`, { cause });
    }
    if (answer.status >= 500 || answer.status === 408) throw new ConnectionLost(`${this.url} answered ${answer.status}`);
    if (answer.status === 401) throw new WhenceError('the server needs a valid token', UNAUTHENTICATED);
    if (!answer.ok) throw new WhenceError(`${this.url} answered ${answer.status}: ${text.slice(0, 200)}`, answer.status);
    let message;
    try {
      message = JSON.parse(text);
    } catch (cause) {
      throw new ConnectionLost(`${this.url} answered no JSON`, { cause });
    }
    const { result, error } = message;
    if (error) throw new WhenceError(error.message, error.code, error.data);
    return result;
  }

  /** Queues a Response and returns its id at once. Never throws: see `flush` for what became of it. */
  record(members = {}) {
    try {
      const record = responseRecord(members);
      this.#queue.add([record]);
      return record.id;
    } catch (error) {
      this.#queue.refuse(1, error);
      return members?.id;
    }
  }

  /** Queues records of any type; they are written together or not at all. Never throws. */
  enqueue(records) {
    this.#queue.add(records);
  }

  /** Waits for the queue: `{written, dropped, rejected, pending}`, counted in records since `connect`. */
  flush({ timeout = 30_000 } = {}) {
    return this.#queue.flush(timeout);
  }

  /** Flushes and ends the queue. What is still `pending` then is not written. */
  async close(options) {
    const counts = await this.flush(options);
    this.#queue.stopped = true;
    return counts;
  }

  /** Events as an async iterator that reconnects and resumes. */
  watch(options = {}) {
    return new Watch(this.url, this.#token, { WebSocket: this.WebSocket, ...options });
  }
}
