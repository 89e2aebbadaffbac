import type { Event, Methods, Response } from './methods.js';
export type * from './methods.js';

export class WhenceError extends Error {
  code?: number;
  data?: any;
}
export class ConnectionLost extends WhenceError {
  /** False where no server can have the request. */
  sent: boolean;
}

export interface Options {
  token?: string;
  /** Milliseconds for one answer; 30,000 by default. */
  timeout?: number;
  /** Bytes of JSON that may wait in the queue; 64 MiB by default. */
  queueBytes?: number;
  /** Called with the reason why queued records were rejected. */
  onError?: (error: Error) => void;
  /** A WebSocket class for `watch` where the platform has none. */
  WebSocket?: any;
}
export type Recorded = Partial<Omit<Response, '$type$' | 'context_units'>> & {
  context_units?: Array<string | Response['context_units'][number]>;
};
export interface Counts {
  written: number;
  dropped: number;
  rejected: number;
  pending: number;
}
export interface WatchOptions {
  since?: number | string;
  types?: string[];
  include?: Array<'record' | 'edges'>;
  match?: Record<string, any>;
  /** After how many milliseconds without a message a connection is given up for another: 60,000. More than the server's `--heartbeat`. */
  silence?: number;
}
export interface Watch extends AsyncIterable<Event> {
  tx?: number;
  ready: Promise<void>;
  close(): void;
}
export interface Client extends Methods {
  /** The address that is asked first. */
  readonly url: string;
  call(method: string, params?: Record<string, any>): Promise<any>;
  record(members?: Recorded): string;
  enqueue(records: Array<Record<string, any>>): void;
  flush(options?: { timeout?: number }): Promise<Counts>;
  close(options?: { timeout?: number }): Promise<Counts>;
  watch(options?: WatchOptions): Watch;
}
/** `url`: an address, or those of several nodes that share a log, as a list or separated by commas. */
export function connect(url?: string | readonly string[], options?: Options): Client;
