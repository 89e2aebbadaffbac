// Every example of the manual, run against a real server: `// -> ` names what the line before it gives.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import * as whence from '../../tools/javascript/index.js';
import { Server } from './server.mjs';

test('the examples of the manual', async () => {
  const text = readFileSync(new URL('../../tools/javascript/README.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```js\n(.*?)```/gs)].map((found) => found[1]);
  assert.ok(blocks.length >= 1);
  const server = await Server.start();
  const printed = [];
  try {
    const source = blocks
      .join('\n')
      .replace(/^import .*$/gm, '')
      .replaceAll('http://127.0.0.1:7411', server.url);
    const Run = Object.getPrototypeOf(async () => {}).constructor;
    await new Run('connect', 'WebSocket', 'console', source)(whence.connect, WebSocket, { log: (...args) => printed.push(args.join(' ')) });
  } finally {
    await server.stop();
  }
  const promised = blocks.flatMap((block) => [...block.matchAll(/\/\/ -> (.*)$/gm)].map((found) => found[1]));
  assert.deepEqual(printed, promised);
});
