// Records on their way to the server: bounded, in order, once.
import { BUSY, ConnectionLost, DEADLINE_EXCEEDED, STORAGE_FULL } from './errors.js';
import { randomId } from './ids.js';
import { textOf, timedRecord } from './wire.js';

const BATCH_BYTES = 4 << 20;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;
// What passes by itself: the batch is sent again.
const PASSING = new Set([BUSY, DEADLINE_EXCEEDED, STORAGE_FULL]);

/** JSON with U+FFFD for half a character, which no server takes: where a text was cut within one, the rest of the record is kept. */
const wellFormed = (json) => json.replace(/\\(?:u(d[89a-f][\da-f]{2})|.)/g, (escape, half) => (half ? '\ufffd' : escape));

/** A timer that does not keep a Node process alive. */
function later(ms, act) {
  const timer = setTimeout(act, ms);
  timer.unref?.();
}

/** Writes groups of records in the background. A group is never split over two writes. Nothing here throws. */
export class RecordQueue {
  /** `post(body)` sends a JSON text to /rpc and returns the result. `bytesMax` bounds the JSON that waits. */
  constructor(post, { bytesMax, onError }) {
    this.post = post;
    this.bytesMax = bytesMax;
    this.onError = onError;
    this.groups = [];
    this.bytes = 0;
    this.counts = { written: 0, dropped: 0, rejected: 0 };
    this.running = false;
    this.idle = [];
    this.stopped = false;
  }

  add(records) {
    let text;
    try {
      text = wellFormed(records.map((record, index) => textOf(timedRecord(record), `records[${index}]`)).join(','));
    } catch (error) {
      this.refuse(records.length, error);
      return;
    }
    const bytes = new TextEncoder().encode(text).length;
    if (this.stopped || this.bytes + bytes > this.bytesMax) {
      this.counts.dropped += records.length;
      return;
    }
    this.groups.push({ text, bytes, count: records.length });
    this.bytes += bytes;
    if (!this.running) {
      this.running = true;
      queueMicrotask(() => this.run());
    }
  }

  refuse(count, error) {
    this.counts.rejected += count;
    try {
      this.onError?.(error);
    } catch {
      // The application's handler is not to stop the queue.
    }
  }

  async run() {
    while (this.groups.length && !this.stopped) {
      let count = 1;
      let bytes = this.groups[0].bytes;
      while (count < this.groups.length && bytes + this.groups[count].bytes <= BATCH_BYTES) bytes += this.groups[count++].bytes;
      const batch = this.groups.slice(0, count);
      await this.write(batch);
      this.groups.splice(0, count);
      this.bytes -= bytes;
    }
    this.running = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Writes a batch; one that is refused is written group by group, so that a bad record takes no other with it. */
  async write(batch) {
    const key = `js-${randomId()}`;
    const body =
      `{"jsonrpc":"2.0","id":1,"method":"records.write","params":{"mode":"capture","idempotency_key":"${key}",` +
      `"records":[${batch.map((group) => group.text).join(',')}]}}`;
    const count = batch.reduce((sum, group) => sum + group.count, 0);
    for (let pause = PAUSE_MIN_MS; !this.stopped; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      try {
        await this.post(body);
        this.counts.written += count;
        return;
      } catch (error) {
        if (error instanceof ConnectionLost || PASSING.has(error.code)) {
          const wait = Math.max(pause * (0.5 + Math.random() / 2), error.data?.retry_after_ms ?? 0);
          await new Promise((resolve) => later(wait, resolve));
        } else if (batch.length === 1) {
          this.refuse(count, error);
          return;
        } else {
          for (const group of batch) await this.write([group]);
          return;
        }
      }
    }
    this.counts.dropped += count;
  }

  /** Waits until everything is written or `timeout` milliseconds are over. */
  async flush(timeout) {
    if (this.running) {
      let timer;
      await Promise.race([
        new Promise((resolve) => this.idle.push(resolve)),
        new Promise((resolve) => (timer = setTimeout(resolve, timeout))),
      ]);
      clearTimeout(timer);
    }
    return { ...this.counts, pending: this.groups.reduce((sum, group) => sum + group.count, 0) };
  }
}
