// A whence server on an empty store, for one instrumented program.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.env.WHENCE;
if (!program) throw new Error('WHENCE must name the whence program');

export class Server {
  static async start() {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), 'whence-telemetry-'));
    server.process = spawn(program, ['serve', '--db', join(server.folder, 'db'), '--listen', '127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    server.url = await new Promise((resolve, reject) => {
      let text = '';
      server.process.stdout.on('data', (part) => {
        text += part;
        const match = /listening on (http:\/\/\S+)/.exec(text);
        if (match) resolve(match[1]);
      });
      server.process.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return server;
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  async rpc(method, params = {}) {
    const answer = await fetch(`${this.url}/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = await answer.json();
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  /** The records of a type. */
  async records(type) {
    const { nodes } = await this.rpc('node.find', { type, include: ['record'] });
    return nodes.map((node) => node.record);
  }

  /** The refs of what `ref` was made from. */
  async ancestors(ref) {
    const { nodes } = await this.rpc('lineage.ancestors', { ref });
    return nodes.map((node) => node.ref);
  }
}
