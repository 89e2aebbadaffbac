// What was sent before, in this browser: methods and params, never a token, bounded in number and size.
const KEY = 'whence-console';
const CALLS_MAX = 50;
const CHARACTERS_MAX = 20_000;

export function past() {
  try {
    const read = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(read)
      ? read.filter(({ method, text }) => typeof method === 'string' && typeof text === 'string')
      : [];
  } catch {
    return [];
  }
}

/** Puts a call first; one that is there already moves up. */
export function remember(method, text) {
  if (text.length > CHARACTERS_MAX) return;
  const others = past().filter((each) => each.method !== method || each.text !== text);
  try {
    localStorage.setItem(KEY, JSON.stringify([{ method, text }, ...others].slice(0, CALLS_MAX)));
  } catch {
    // A browser that keeps nothing has no history.
  }
}

export const forget = () => localStorage.removeItem(KEY);
