// The client of a Whence server.
import { BUSY, ConnectionLost, DEADLINE_EXCEEDED, UNAUTHENTICATED, WhenceError } from './errors.js';
import { randomId } from './ids.js';
import { List } from './list.js';
import { METHODS } from './methods.js';
import { Attempts, Nodes } from './nodes.js';
import { Query, queryParams } from './query.js';
import { RecordQueue } from './queue.js';
import { Watch } from './watch.js';
import { membersGiven, said, textOf, timed } from './wire.js';

export { ConnectionLost, WhenceError };

const BUSY_RETRIES = 3;
const ENTER_MS = 5_000; // for what is asked of one of several nodes before it is used: longer, and another is tried
const CATCH_UP_MS = 3_000; // how long a node may take to have what this client has seen
// The connection was not made, so that nothing was sent.
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
const ROLES = new Map(METHODS.map(([name, role]) => [name, role]));
const TAKE_MIN_TX = new Set(METHODS.filter(([, , , takes]) => takes).map(([name]) => name));

/** Whether the request may be sent twice without another effect. */
function mayRepeat(method, params) {
  if (method === 'records.write') return Boolean(params.idempotency_key || params.dry_run);
  const writes = params.record || (params.repair ?? 'none') !== 'none'; // reading methods that can also write
  return ROLES.get(method) === 'read' && !writes && method !== 'export.start';
}

/** `error` of a write that may have been carried out. */
function unknownOutcome(method, error) {
  error.message += `; ${method} may have been carried out: it has no idempotency key and is not repeated`;
  return error;
}

const request = (method, params) => `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${textOf(timed(method, params))}}`;

const OPTIONS = ['token', 'timeout', 'queueBytes', 'onError', 'WebSocket', 'fetch'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const env = (name) => globalThis.process?.env?.[name] || undefined;

/** A client; nothing is sent before the first call. `url`: an address, or several of nodes that share a log; where it is left out `WHENCE_URL` of the
 * environment, with the token `WHENCE_TOKEN`. Options: `token`, `timeout` (ms), `queueBytes`, `onError`, `WebSocket`, `fetch`. */
export function connect(url, options = {}) {
  if (url !== undefined) return new Client(url, options);
  return new Client(env('WHENCE_URL') ?? 'http://127.0.0.1:7411', { token: env('WHENCE_TOKEN'), ...membersGiven(options, 'connect') });
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
  #nodes;
  #fetch;
  #entered; // the address that was found to have what this client has seen

  constructor(url, options) {
    const { token, timeout = 30_000, queueBytes = 64 << 20, onError, WebSocket, fetch, ...members } = membersGiven(options, 'connect');
    const [unknown] = Object.keys(members);
    if (unknown !== undefined) throw new TypeError(`connect has no option \`${unknown}\`; it has ${OPTIONS.join(', ')}`);
    if (!Number.isFinite(timeout) || timeout <= 0) throw new TypeError(`connect: \`timeout\` is a number of milliseconds, not ${said(timeout)}`);
    if (!(typeof queueBytes === 'number' && queueBytes >= 0)) throw new TypeError(`connect: \`queueBytes\` is a number of bytes, not ${said(queueBytes)}`);
    this.#nodes = new Nodes(url);
    this.#token = token;
    this.timeout = timeout;
    this.WebSocket = WebSocket;
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.#queue = new RecordQueue((body) => this.#postAnywhere(body), { bytesMax: queueBytes, onError });
    for (const [name, , first, , lists] of METHODS) {
      const parts = name.split('.');
      const last = parts.pop();
      let holder = this;
      for (const part of parts) holder = holder[part] ??= {};
      holder[last] = (value, params) => {
        const isFirst = first && (typeof value !== 'object' || Array.isArray(value)) && value !== undefined;
        const given = { ...(isFirst ? { [first]: value } : membersGiven(value)), ...membersGiven(params) };
        return lists ? new List((sent) => this.call(name, sent), given, lists) : this.call(name, given);
      };
    }
    // The questions by the names that they have everywhere.
    const { analyze } = this.impact;
    this.impact = Object.assign((refs, params) => analyze(refs, params), this.impact);
    this.why = this.lineage.ancestors;
    this.blame = this.impact.blame;
    this.without = this.impact.without;
    this.diff = (a, b, params) => this.lineage.diff(typeof a === 'string' ? { ...membersGiven(params), a, b } : a);
    this.stale = this.lineage.stale;
    // In place of the generated one: its rows are iterated.
    this.query = (cypher, params, options) => new Query((sent) => this.call('query', sent), queryParams(cypher, params, options));
  }

  /** The address that is asked first. */
  get url() {
    return this.#nodes.current;
  }

  /** Any method by its name. Writes get an idempotency key; `busy` is repeated three times, where nothing was written or the
   * write has a key. With several addresses, what may be
   * repeated goes on at the next node. */
  async call(method, params = {}) {
    const sent = membersGiven(params);
    if (method === 'records.write' && !sent.dry_run) sent.idempotency_key ??= `js-${randomId()}`;
    if (this.#nodes.several) return this.#callAnywhere(method, sent);
    const body = request(method, sent);
    for (let tries = 0; ; tries++) {
      try {
        return await this.#post(this.url, body);
      } catch (error) {
        if (error.code === BUSY && error.data?.outcome === 'unknown' && !mayRepeat(method, sent)) throw unknownOutcome(method, error);
        if (error.code !== BUSY || tries >= BUSY_RETRIES) throw error;
        await sleep(error.data?.retry_after_ms ?? 100);
      }
    }
  }

  async #callAnywhere(method, params) {
    const repeats = mayRepeat(method, params);
    const isBound = !TAKE_MIN_TX.has(method) || 'min_tx' in params || params.cursor !== undefined || !repeats || !this.#nodes.seen;
    const body = request(method, isBound ? params : { ...params, min_tx: this.#nodes.seen });
    const attempts = new Attempts(this.#nodes);
    const began = Date.now();
    for (let refused = 0; ; ) {
      const url = this.#nodes.current;
      try {
        // Also before a read with min_tx: a node that lost its log goes on reading, and another has what is waited for.
        await this.#enter(url, repeats && ROLES.get(method) === 'read');
        const result = await this.#post(url, body);
        if (this.#entered?.url === url && result?.tx > this.#entered.tx) this.#entered.tx = result.tx;
        return result;
      } catch (error) {
        // A node that lost its log reads, but does not get what the read waits for: the next call asks another.
        if (error.code === DEADLINE_EXCEEDED && !isBound) this.#failedAt(attempts, url, error);
        if (!(error instanceof ConnectionLost) && error.code !== BUSY) throw error;
        const pause = this.#failedAt(attempts, url, error);
        if (!repeats && error.sent !== false) throw unknownOutcome(method, error);
        const isLate = Date.now() - began + pause > this.timeout;
        if (isLate || (error.code === BUSY && pause && ++refused > BUSY_RETRIES)) throw attempts.summary(error);
        await sleep(pause && Math.max(pause, error.data?.retry_after_ms ?? 0));
      }
    }
  }

  /** Sends what may be repeated to the first node that takes it; each is asked once. */
  async #postAnywhere(body) {
    const attempts = new Attempts(this.#nodes);
    for (;;) {
      const url = this.#nodes.current;
      try {
        await this.#enter(url, false);
        return await this.#post(url, body);
      } catch (error) {
        if (!(error instanceof ConnectionLost) && error.code !== BUSY) throw error;
        if (this.#failedAt(attempts, url, error)) throw attempts.summary(error);
      }
    }
  }

  #failedAt(attempts, url, error) {
    if (this.#entered?.url === url) this.#entered = undefined;
    return attempts.failedAt(url, error);
  }

  /** Sees that a node is of the same graph as the others and, where `catchesUp`, that it has what this client has seen. */
  async #enter(url, catchesUp) {
    const nodes = this.#nodes;
    if (!nodes.several) return;
    const ask = (method, params) => this.#post(url, request(method, params), Math.min(ENTER_MS, this.timeout));
    try {
      if (this.#entered?.url !== url) {
        const { epoch, tx } = await ask('server.info', {});
        const foreign = nodes.foreign(url, epoch);
        if (foreign) throw new ConnectionLost(foreign);
        this.#entered = { url, tx };
      }
      if (catchesUp && nodes.seen > this.#entered.tx) {
        const tx = nodes.seen;
        // The cheapest read that waits: the empty graph has nothing to count.
        await ask('node.count', { type: 'Topic', as_of: 0, min_tx: tx, timeout_ms: CATCH_UP_MS });
        if (this.#entered?.url === url) this.#entered.tx = tx;
      }
    } catch (error) {
      const isBehind = error.code === DEADLINE_EXCEEDED;
      const failure = isBehind ? new ConnectionLost(`${url} is behind: it does not have transaction ${nodes.seen}`, { cause: error }) : error;
      failure.sent = false; // the call itself
      throw failure;
    }
  }

  async #post(url, body, timeout = this.timeout) {
    let answer;
    let text;
    try {
      answer = await this.#fetch(`${url}/rpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(this.#token && { Authorization: `Bearer ${this.#token}` }) },
        body,
        signal: AbortSignal.timeout(timeout),
      });
      text = await answer.text();
    } catch (cause) {
      const sent = !UNSENT.has(cause.cause?.code);
      throw new ConnectionLost(`no answer from ${url}: ${cause.cause?.message ?? cause.message}`, { cause, sent });
    }
    if (answer.status >= 500 || answer.status === 408) throw new ConnectionLost(`${url} answered ${answer.status}`);
    if (answer.status === 401) throw new WhenceError('the server needs a valid token', UNAUTHENTICATED);
    if (!answer.ok) throw new WhenceError(`${url} answered ${answer.status}: ${text.slice(0, 200)}`, answer.status);
    let message;
    try {
      message = JSON.parse(text);
    } catch (cause) {
      throw new ConnectionLost(`${url} answered no JSON`, { cause });
    }
    const { result, error } = message;
    if (error) throw new WhenceError(error.message, error.code, error.data);
    this.#nodes.saw(result?.tx);
    return result;
  }

  /** Queues a Response and returns its id at once. Never throws: see `flush` for what became of it. */
  record(members = {}) {
    try {
      const record = responseRecord(members === null ? members : membersGiven(members, 'members'));
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
    return new Watch(this.#nodes, this.#token, { WebSocket: this.WebSocket, ...membersGiven(options, 'watch') });
  }
}
