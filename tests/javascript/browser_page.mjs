// What a page does with the client, in a browser: record, ask, watch. The result is posted to the server of the page.
import { connect } from '/client/index.js';

async function first(events) {
  for await (const event of events) return event;
}

async function act(url) {
  const db = connect(url);
  const watched = first(db.watch({ since: 0, types: ['Response'] }));
  const id = db.record({ agent: 'page', model: 'm', content: 'so', context_units: [{ content: 'text', source: 'file:a', type: 'External' }] });
  const flushed = await db.flush();
  const { nodes } = await db.lineage.ancestors(id, { include: ['record'] });
  const refused = await db.node.get('cu_nobody').catch((error) => error.code);
  const event = await watched;
  await db.close();
  return { flushed, sources: nodes.map((node) => node.record.source), refused, seen: event.ref === `Response:${id}` };
}

const result = await act(new URL(location.href).searchParams.get('server')).catch((error) => ({ error: String(error.stack ?? error) }));
await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
