// Questions that are asked for one view of things, and given up together when nobody waits for it any more.

export class Questions {
  /** @param {import('./rpc.js').Rpc} rpc */
  constructor(rpc) {
    this.rpc = rpc;
    this.running = new Set();
  }

  /** @returns {Promise<any>} the result, or an RpcError; its code is CANCELLED where the question was given up */
  async call(method, params) {
    const asked = this.rpc.start(method, params);
    this.running.add(asked);
    try {
      return await asked.answer;
    } finally {
      this.running.delete(asked);
    }
  }

  cancel() {
    for (const asked of this.running) asked.cancel();
  }
}
