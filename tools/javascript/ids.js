// Identifiers made by the client.

/** Random, also on Node 18 and on pages without TLS, where there is no `crypto.randomUUID`. */
export function randomId() {
  const made = globalThis.crypto?.randomUUID?.();
  return made ?? Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, '0')).join('');
}
