// What was sent before, in this browser: methods and their texts, never a token, bounded in number and size.
const CALLS_MAX = 50;
const CHARACTERS_MAX = 20_000;

export class Past {
  /** @param {string} key where the browser keeps it */
  constructor(key) {
    this.key = key;
  }

  list() {
    try {
      const read = JSON.parse(localStorage.getItem(this.key) ?? '[]');
      return Array.isArray(read)
        ? read.filter(({ method, text }) => typeof method === 'string' && typeof text === 'string')
        : [];
    } catch {
      return [];
    }
  }

  /** Puts a call first; one that is there already moves up. */
  add(method, text) {
    if (text.length > CHARACTERS_MAX) return;
    const others = this.list().filter((each) => each.method !== method || each.text !== text);
    try {
      localStorage.setItem(this.key, JSON.stringify([{ method, text }, ...others].slice(0, CALLS_MAX)));
    } catch {
      // A browser that keeps nothing has no history.
    }
  }

  forget() {
    localStorage.removeItem(this.key);
  }
}
