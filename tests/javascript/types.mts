// What the declarations accept and refuse; compiled by types_test.mjs, never run.
import { connect } from '../../tools/javascript/index.js';
const db = connect('http://x', { token: 't' });
const id: string = db.record({ agent: 'a', model: 'm', content: 'c', context_units: ['cu_a', { content: 'x' }] });
const a = await db.lineage.ancestors(id, { include: ['record'] });
await db.lineage.ancestors({ ref: id, depth: 2 });
await db.records.write([{ $type$: 'ContextUnit', type: 'External', source: 's' }], { mode: 'capture' });
await db.node.get('cu_a');
for await (const e of db.watch({ since: 0, types: ['Response'] })) console.log(e.tx, e.ref);
// @ts-expect-error: ref is required
await db.lineage.ancestors({ depth: 2 });
console.log(a.tx);
