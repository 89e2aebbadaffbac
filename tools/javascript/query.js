// A query in openCypher: a list of rows.
import { List } from './list.js';
import { membersGiven } from './wire.js';

const PAGE = 1_000; // rows that are fetched at once

/** What `db.query` returns. */
export class Query extends List {
  /** `call(params)`: the method. */
  constructor(call, params) {
    super(call, { limit: PAGE, ...params }, ['rows']);
  }

  /** The names of the columns, in the order of the query. */
  async columns() {
    return (await this).columns;
  }

  /** All rows as lists, a value for each column. */
  rows() {
    return super[Symbol.asyncIterator]();
  }

  /** All rows as objects, a member for each column. */
  async *[Symbol.asyncIterator]() {
    const columns = await this.columns();
    for await (const row of this.rows()) yield Object.fromEntries(columns.map((name, i) => [name, row[i]]));
  }
}

const OPTIONS = new Set(['as_of', 'min_tx', 'timeout_ms', 'limit']);

/** `query(cypher, params, options)`; with an object in place of the text, the params of the method. */
export function queryParams(cypher, params, options) {
  if (typeof cypher !== 'string') return membersGiven(cypher);
  const given = membersGiven(options, 'options');
  for (const name of Object.keys(given)) {
    if (!OPTIONS.has(name)) throw new TypeError(`query has no option \`${name}\`; it has ${[...OPTIONS].join(', ')}`);
  }
  return { cypher, ...(params !== undefined && params !== null && { params }), ...given };
}
