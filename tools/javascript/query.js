// A query in openCypher: awaited it is the method's answer, iterated it is all rows, page after page of one moment.

const PAGE = 1_000; // rows that are fetched at once

/** What `db.query` returns. Nothing is sent before it is awaited, iterated or asked for something. */
export class Query {
  #call;
  #params;
  #page;
  #first; // the promise of the first page, which what is asked next shares

  /** `call(params)`: the method. A `limit` among `params` is that of one page. */
  constructor(call, { limit = PAGE, ...params }) {
    this.#call = call;
    this.#params = params;
    this.#page = limit;
  }

  #begin() {
    return (this.#first ??= this.#call({ ...this.#params, limit: this.#page }));
  }

  /** The first page, as the method answers: `{tx, complete, columns, rows, cursor?, plan?}`. */
  then(resolve, reject) {
    return this.#begin().then(resolve, reject);
  }

  catch(reject) {
    return this.#begin().catch(reject);
  }

  finally(act) {
    return this.#begin().finally(act);
  }

  /** The names of the columns, in the order of the query. */
  async columns() {
    return (await this.#begin()).columns;
  }

  /** The transaction that all rows are of. */
  async tx() {
    return (await this.#begin()).tx;
  }

  /** All rows as lists, a value for each column. May be iterated again: later pages are then fetched again. */
  async *rows() {
    for (let page = await this.#begin(); ; page = await this.#call({ cursor: page.cursor, limit: this.#page })) {
      yield* page.rows;
      if (page.cursor === undefined) return;
    }
  }

  /** All rows as objects, a member for each column. */
  async *[Symbol.asyncIterator]() {
    const columns = await this.columns();
    for await (const row of this.rows()) yield Object.fromEntries(columns.map((name, i) => [name, row[i]]));
  }

  /** All of these, as a list. */
  async all() {
    const rows = [];
    for await (const row of this) rows.push(row);
    return rows;
  }
}

const OPTIONS = new Set(['as_of', 'min_tx', 'timeout_ms', 'limit']);

/** `query(cypher, params, options)`; with an object in place of the text, the params of the method. */
export function queryParams(cypher, params, options = {}) {
  if (typeof cypher !== 'string') return cypher;
  for (const name of Object.keys(options)) {
    if (!OPTIONS.has(name)) throw new TypeError(`query has no option \`${name}\`; it has ${[...OPTIONS].join(', ')}`);
  }
  return { cypher, ...(params && { params }), ...options };
}
