import type { Client } from './index.js';
type Said = string | (() => string | undefined);
export function wrap<T>(client: T, db: Client, options?: { agent?: string; conversation?: Said; person?: Said }): T;
