import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { Client } from './index.js';
export class WhenceCallbackHandler extends BaseCallbackHandler {
  name: string;
  constructor(db: Client, options?: { agent?: string });
}
