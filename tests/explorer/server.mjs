// A whence server with the demo's story in a directory of its own, for one test file.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.env.WHENCE ?? fail('WHENCE must name the whence program');
const explorer =
  process.env.WHENCE_EXPLORER ?? fail('WHENCE_EXPLORER must name the folder that tools/explorer/build made');

function fail(message) {
  throw new Error(message);
}

export class Server {
  /**
   * @param {{token?: string, role?: string, more?: Record<string, string>, namespace?: string, users?: string[]}} options with a token nobody reads without one; `more` are
   * further tokens with their roles; of several
   * users one proposes a purge and another confirms it, each by the token `NAME-secret`
   */
  static async start({ token, role = 'admin', more = {}, namespace, users } = {}) {
    const server = new Server();
    server.namespace = namespace;
    server.folder = mkdtempSync(join(tmpdir(), 'whence-explorer-'));
    server.db = join(server.folder, 'db');
    execFileSync(program, ['demo', '--db', server.db], { stdio: 'ignore' });
    server.flags = [];
    if (token) {
      const lines = Object.entries({ [token]: role, ...more }).map(([each, may]) => `sha256:${createHash('sha256').update(each).digest('hex')} role=${may}\n`);
      writeFileSync(join(server.folder, 'tokens'), lines.join(''), { mode: 0o600 });
      server.flags = ['--tokens', `${namespace ? `${namespace}=` : ''}${join(server.folder, 'tokens')}`];
    }
    if (users) {
      const line = (name) => `sha256:${createHash('sha256').update(`${name}-secret`).digest('hex')} role=admin name=${name}\n`;
      writeFileSync(join(server.folder, 'tokens'), users.map(line).join(''), { mode: 0o600 });
      server.flags = ['--tokens', join(server.folder, 'tokens'), '--four-eyes', '1h'];
    }
    await server.run('127.0.0.1:0');
    return server;
  }

  /** Starts the program and waits until it says where it listens. */
  async run(listen) {
    const store = this.namespace ? ['--namespace', `${this.namespace}=${this.db}`] : ['--db', this.db];
    this.process = spawn(
      program,
      ['serve', ...store, '--listen', listen, '--explorer', explorer, ...this.flags],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    this.url = await new Promise((resolve, reject) => {
      let text = '';
      this.process.stdout.on('data', (part) => {
        text += part;
        const match = /listening on (http:\/\/\S+)/.exec(text);
        if (match) resolve(match[1] + (this.namespace ? `/ns/${this.namespace}` : ''));
      });
      this.process.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
  }

  /** Starts the program where it was; waits while another program's connection happens to have the port. */
  async runAgain(listen) {
    for (let left = 20; ; left--) {
      try {
        return await this.run(listen);
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  /** Ends the program; the store stays for `run`. */
  async halt() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
  }

  async stop() {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async rpc(method, params = {}, token = undefined) {
    const answer = await fetch(`${this.url}/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      // A BigInt is a number of its digits.
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, (_, each) => (typeof each === 'bigint' ? `integer ${each}` : each)).replace(/"integer (-?\d+)"/g, '$1'),
    });
    const { result, error } = await answer.json();
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  write(...records) {
    return this.rpc('records.write', { records });
  }
}
