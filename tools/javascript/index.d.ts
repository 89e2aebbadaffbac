import type { Dated, Event, Methods, Response } from './methods.js';
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
  /** In place of the platform's, as where the server asks for a client certificate. */
  fetch?: (url: string, init: any) => Promise<any>;
}
export type Recorded = Partial<Omit<Dated<Response>, '$type$' | 'context_units'>> & {
  context_units?: Array<string | Dated<Response['context_units'][number]>>;
};
export interface Counts {
  written: number;
  dropped: number;
  rejected: number;
  pending: number;
}
export interface WatchOptions {
  since?: number | string | Date;
  /** Sends the state as of `since` first, as events with `snapshot: true`. */
  snapshot?: boolean;
  types?: string[];
  ops?: string[];
  topics?: string[];
  agents?: string[];
  edge_types?: string[];
  downstream_of?: string[];
  upstream_of?: string[];
  depth?: number;
  include?: Array<'record' | 'edges'>;
  match?: Record<string, any>;
  /** After how many milliseconds without a message a connection is given up for another: 60,000. More than the server's `--heartbeat`. */
  silence?: number;
}
export interface Watch extends AsyncIterable<Event> {
  tx?: number;
  /** Rejects where the server refuses, and where the watch is closed before it has subscribed. */
  ready: Promise<void>;
  close(): void;
}
/** A value of a query's row: a node is `{ref, labels, properties}`, a relation `{type, from, to, properties}`, a path `{nodes, relations}`. */
export interface Node {
  ref: string;
  labels: string[];
  properties: Record<string, any>;
}
export interface Relation {
  type: string;
  from: string;
  to: string;
  properties: Record<string, any>;
}
export interface Path {
  nodes: Node[];
  relations: Relation[];
}
export interface QueryOptions {
  /** The moment that is read: a transaction or a time (RFC 3339). */
  as_of?: number | string | Date;
  min_tx?: number;
  timeout_ms?: number;
  /** Rows that are fetched at once; 1,000 by default. All rows are iterated over, whatever it is. */
  limit?: number;
}
/** One page of rows, as the method answers. */
export interface QueryPage {
  tx: number;
  complete: boolean;
  reason?: string;
  cursor?: string;
  columns: string[];
  rows: any[][];
  plan?: string;
}
/** Nothing is sent before it is awaited (the first page), iterated (all items, page after page of one moment) or asked for something. */
export interface List<Page, Item> extends AsyncIterable<Item>, Promise<Page> {
  tx(): Promise<number>;
  /** The answers, page after page. */
  pages(): AsyncIterable<Page>;
  /** All items. */
  all(): Promise<Item[]>;
}
/** Iterated over, its rows are objects. */
export interface Query<Row = Record<string, any>> extends List<QueryPage, Row> {
  columns(): Promise<string[]>;
  /** All rows as lists, a value for each column. */
  rows(): AsyncIterable<any[]>;
}
export interface Client extends Omit<Methods, 'query' | 'impact'> {
  /** The questions by the names that they have everywhere; each takes the params of its method. */
  why: Methods['lineage']['ancestors'];
  impact: Methods['impact'] & Methods['impact']['analyze'];
  blame: Methods['impact']['blame'];
  without: Methods['impact']['without'];
  diff(a: string, b: string, params?: Parameters<Methods['lineage']['diff']>[0]): ReturnType<Methods['lineage']['diff']>;
  /** With `ref`, `as_of_a` and `as_of_b`: one answer at two moments. */
  diff(params: Parameters<Methods['lineage']['diff']>[0]): ReturnType<Methods['lineage']['diff']>;
  stale: Methods['lineage']['stale'];
  /** The address that is asked first. */
  readonly url: string;
  call(method: string, params?: Record<string, any>): Promise<any>;
  /** A query in openCypher; `Row` is what its columns are. */
  query<Row = Record<string, any>>(cypher: string, params?: Record<string, any> | null, options?: QueryOptions): Query<Row>;
  query<Row = Record<string, any>>(params: { cypher: string; params?: Record<string, any> } & QueryOptions): Query<Row>;
  record(members?: Recorded): string;
  enqueue(records: Array<Record<string, any>>): void;
  flush(options?: { timeout?: number }): Promise<Counts>;
  close(options?: { timeout?: number }): Promise<Counts>;
  watch(options?: WatchOptions): Watch;
}
/** `url`: an address, or those of several nodes that share a log, as a list or separated by commas; where it is left out `WHENCE_URL` of the environment. */
export function connect(url?: string | readonly string[], options?: Options): Client;
