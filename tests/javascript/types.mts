// What the declarations accept and refuse; compiled by types_test.mjs, never run.
import { connect, type Node, type QueryPage } from '../../tools/javascript/index.js';
const db = connect('http://x', { token: 't' });
const id: string = db.record({ agent: 'a', model: 'm', content: 'c', context_units: ['cu_a', { content: 'x' }] });
const a = await db.lineage.ancestors(id, { include: ['record'] });
await db.lineage.ancestors({ ref: id, depth: 2 });
await db.records.write([{ $type$: 'ContextUnit', type: 'External', source: 's' }], { mode: 'capture' });
await db.node.get('cu_a');
const why = await db.why(id, { depth: 2 });
console.log(why.tx, (await db.impact(['cu_a'])).counts, (await db.impact.blame({ of: 'models' })).tx, (await db.diff('resp_1', id)).tx, (await db.stale('cu_a')).tx);
for await (const e of db.watch({ since: 0, types: ['Response'] })) console.log(e.tx, e.ref);
const query = db.query<{ n: number; who: Node }>('MATCH (who) RETURN 1 AS n, who', { a: [1, { b: null }] }, { as_of: 3, limit: 10 });
for await (const { n, who } of query) console.log(n.toFixed(1), who.ref, who.labels.length);
for await (const row of query.rows()) console.log(row[0]);
const names: string[] = await query.columns();
const page: QueryPage = await db.query('RETURN 1');
console.log(names, page.rows[0]?.[0], (await query.all())[0]?.n, await db.query({ cypher: 'RETURN $a AS a', params: { a: 1 } }).tx());
// @ts-expect-error: a column that is not there
for await (const { missing } of query) console.log(missing);
// @ts-expect-error: an option that is not there
db.query('RETURN 1', {}, { asof: 3 });
// @ts-expect-error: ref is required
await db.lineage.ancestors({ depth: 2 });
console.log(a.tx);
await db.records.write([{ $type$: 'Discussion', userId: 'u', discussionId: 'd', createdAt: new Date() }]);
await db.records.write([{ $type$: 'DiscussionRound', userId: 'u', discussionId: 'd', roundNumber: 1, timestamp: 5, solverResponse: { content: 'b', timestamp: new Date() } }]);
await db.node.find('Discussion', { where: { createdAt: { lt: new Date() } }, as_of: new Date() });
await db.discussion.addResponse('u', { discussionId: 'd', roundNumber: 1, persona: 'Solver AI', content: 'c', timestamp: new Date() });
db.record({ timestamp: new Date(), content: 'c' });
for await (const each of db.impact.blame({ of: 'models' })) console.log(each.rated);
console.log((await db.diff({ ref: id, as_of_a: 1, as_of_b: new Date() })).tx);
const written: number | undefined = (await db.node.get({ ref: id, include: ['record'] })).tx;
// @ts-expect-error: no time
await db.records.write([{ $type$: 'Discussion', userId: new Date(), discussionId: 'd' }]);
console.log(written);
