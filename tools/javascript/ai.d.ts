import type { Client } from './index.js';
export function whenceMiddleware(db: Client, options?: { agent?: string }): any;
