// A whence server on a store of its own, which may be killed and started again at the same address.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.env.WHENCE;
if (!program) throw new Error('WHENCE must name the whence program');

export class Server {
  static async start(...flags) {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), 'whence-javascript-'));
    server.flags = flags;
    await server.begin('127.0.0.1:0');
    return server;
  }

  async begin(listen = this.url.replace(/^https?:\/\//, '')) {
    this.process = spawn(program, ['serve', '--db', join(this.folder, 'db'), '--listen', listen, ...this.flags], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.url = await new Promise((resolve, reject) => {
      let text = '';
      this.process.stdout.on('data', (part) => {
        text += part;
        const match = /listening on (https?:\/\/\S+)/.exec(text);
        if (match) resolve(match[1]);
      });
      this.process.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
  }

  async end(signal = 'SIGKILL') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill(signal);
    await ended;
  }

  async stop() {
    await this.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
