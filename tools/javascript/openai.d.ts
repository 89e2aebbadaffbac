import type { Client } from './index.js';
export function wrap<T>(client: T, db: Client, options?: { agent?: string }): T;
