// The JavaScript client in a process of its own: writes units, reads each back, watches. For clients_test.py.
//   node client.mjs URLS [WS]     WS: the module of a WebSocket, where the platform has none
// Prints lines of JSON: {wrote, tx}, {event}, {done}. A line on stdin ends the writing; the watch goes on until the process is killed.
import { createInterface } from 'node:readline';
import { connect } from '../../../tools/javascript/index.js';

const [urls, ws] = process.argv.slice(2);
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const db = connect(urls.split(','), globalThis.WebSocket ? {} : { WebSocket: (await import(ws)).WebSocket });
const events = db.watch({ since: 0, types: ['ContextUnit'] });
let isOver = false;
createInterface({ input: process.stdin }).on('line', () => (isOver = true));

const watching = (async () => {
  for await (const { tx, op, record } of events) print({ event: [tx, op, record.source] });
})();

for (let i = 0; !isOver; i++) {
  const source = `js_${i}`;
  const unit = { $type$: 'ContextUnit', type: 'User', source, timestamp: '2025-01-01T00:00:00Z', version: 1 };
  const { refs, tx } = await db.records.write([unit]);
  const { nodes } = await db.node.get(refs[0], { include: ['record'] });
  if (nodes[0].record.source !== source) throw new Error(`${refs[0]} is not what was written`);
  print({ wrote: source, tx });
}
print({ done: true });
await watching;
