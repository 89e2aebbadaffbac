// The program on stores of its own, for one test file: what it says, what it holds, how it is ended.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const path = process.env.WHENCE;
/** Why tests of the program are left out, or false. */
export const skip = path ? false : 'no program';

/** Polls until `isReached` gives something and returns that; fails naming `what` after `ms`. */
export async function waitUntil(isReached, what, ms = 60_000) {
  const end = performance.now() + ms;
  for (;;) {
    const reached = await isReached();
    if (reached) return reached;
    if (performance.now() > end) throw new Error(`still waiting after ${ms} ms: ${what}`);
    await setTimeout(10);
  }
}

/** The lines of a token file: of `ROLE SECRET` what has the secret's digest. */
function tokenLines(text) {
  const digest = (secret) => createHash('sha256').update(secret).digest('hex');
  return text.replace(/^(\w+) (\S+)$/gm, (_, role, secret) => `sha256:${digest(secret)} role=${role}`);
}

export class Program {
  /**
   * Serves a store at the root, into which `demo` is loaded first; `tokens` are lines `ROLE SECRET` for its token file. With
   * `namespaces`, names with such lines, these and no root.
   */
  static async start({ flags = [], demo = false, tokens, namespaces } = {}) {
    const program = new Program();
    program.folder = mkdtempSync(join(tmpdir(), 'whence-bolt-'));
    const db = join(program.folder, 'db');
    if (demo) execFileSync(path, ['demo', '--db', db], { stdio: 'ignore' });
    program.flags = [...(namespaces ? [] : ['--db', db]), ...flags];
    for (const [name, lines] of Object.entries(namespaces ?? {})) {
      program.flags.push('--namespace', `${name}=${join(program.folder, name)}`);
      program.flags.push('--tokens', `${name}=${program.write(`${name}.tokens`, tokenLines(lines))}`);
    }
    if (tokens) program.flags.push('--tokens', program.write('tokens', tokenLines(tokens)));
    await program.begin('127.0.0.1:0', '127.0.0.1:0');
    return program;
  }

  /** Writes a file that nobody else reads; its path. */
  write(name, text) {
    const file = join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  /** Where it has been before, unless other addresses are given. */
  async begin(listen = new URL(this.http).host, bolt = this.authority) {
    const args = ['serve', '--listen', listen, '--bolt', bolt, ...this.flags];
    this.process = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.said = '';
    this.process.stderr.on('data', (part) => (this.said += part));
    [, this.bolt, this.http] = await new Promise((resolve, reject) => {
      let text = '';
      this.process.stdout.on('data', (part) => {
        text += part;
        const match = /speaking Bolt on (bolt\S+)\nlistening on (http\S+)\n/.exec(text);
        if (match) resolve(match);
      });
      this.process.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${this.said}`)));
    });
    this.authority = this.bolt.split('//')[1];
  }

  /** Calls a method of the protocol. */
  async rpc(method, params = {}, { token, path: below = '' } = {}) {
    const answer = await fetch(`${this.http}${below}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = await answer.json();
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Writes one topic of that name; the number of its transaction. */
  async writeTopic(name, options) {
    return (await this.rpc('records.write', { records: [{ $type$: 'Topic', name }] }, options)).tx;
  }

  /** The value of a metric without labels. */
  async metric(name) {
    const text = await (await fetch(`${this.http}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)[1]);
  }

  /** Until no statement runs and no transaction is open; in how many milliseconds. */
  async idle(ms = 60_000) {
    const began = performance.now();
    const isIdle = async () => !(await this.metric('whence_bolt_results')) && !(await this.metric('whence_bolt_transactions'));
    await waitUntil(isIdle, 'no statement and no transaction', ms);
    return performance.now() - began;
  }

  /** Its resident memory in MiB, now. */
  rss() {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))[1]) / 1024;
  }

  async end(signal = 'SIGTERM') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill(signal);
    await ended;
  }

  async stop() {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
