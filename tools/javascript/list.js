// What a method with pages gives: awaited it is the method's answer, iterated it is all items, page after page of one moment.

/** Nothing is sent before it is awaited, iterated or asked for something. */
export class List {
  #call;
  #params;
  #lists;
  #first; // the promise of the first page, which what is asked next shares

  /** `call(params)`: the method. `lists`: the members of its answers that are iterated over, as far as an answer has them; `edges` only where they alone
   * were asked for. A `limit` among `params` is that of one page. */
  constructor(call, { stream, ...params }, lists) {
    this.#call = call; // over HTTP the items of a stream come in pages
    this.#params = params;
    this.#lists = lists.filter((name) => name !== 'edges' || params.form === 'edges');
  }

  #begin() {
    return (this.#first ??= this.#call(this.#params));
  }

  /** The first page, as the method answers: `{tx, complete, cursor?, ...}`. */
  then(resolve, reject) {
    return this.#begin().then(resolve, reject);
  }

  catch(reject) {
    return this.#begin().catch(reject);
  }

  finally(act) {
    return this.#begin().finally(act);
  }

  /** The transaction that all items are of. */
  async tx() {
    return (await this.#begin()).tx;
  }

  /** The answers, page after page. May be iterated again: later pages are then fetched again. */
  async *pages() {
    const { limit } = this.#params;
    for (let page = await this.#begin(); ; page = await this.#call({ cursor: page.cursor, ...(limit !== undefined && { limit }) })) {
      yield page;
      if (page.cursor === undefined) return;
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) {
      for (const name of this.#lists) yield* page[name] ?? [];
    }
  }

  /** All items, as an array. */
  async all() {
    const items = [];
    for await (const each of this) items.push(each);
    return items;
  }
}
