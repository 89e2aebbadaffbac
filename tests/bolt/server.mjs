// A server of fixed statements for one test file.
import { spawn } from 'node:child_process';

const program = process.env.WHENCE_BOLT_STAND_IN;

export class Server {
  /** @param {{token?: string, origin?: string}} options with a token nobody reads without it */
  static async start({ token, origin } = {}) {
    if (!program) throw new Error('WHENCE_BOLT_STAND_IN must name the server');
    const server = new Server();
    const flags = [...(token ? ['--token', token] : []), ...(origin ? ['--origin', origin] : [])];
    server.process = spawn(program, flags, { stdio: ['pipe', 'pipe', 'inherit'] });
    [server.http, server.bolt] = await new Promise((resolve, reject) => {
      let text = '';
      server.process.stdout.on('data', (part) => {
        text += part;
        const match = /^(http:\S+) (bolt:\S+)\n/.exec(text);
        if (match) resolve([match[1], match[2]]);
      });
      server.process.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    server.token = token;
    return server;
  }

  /** Calls a method of the protocol. */
  async rpc(method, params = {}) {
    const answer = await fetch(`${this.http}/rpc`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = await answer.json();
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Writes one record; returns the number of its transaction. */
  async write() {
    const { tx } = await this.rpc('records.write', {
      records: [{ $type$: 'Topic', name: `topic ${Math.random()}` }],
    });
    return tx;
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.stdin.end();
    await ended;
  }
}
