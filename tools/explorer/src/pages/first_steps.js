// What an empty store shows: how to send it the first record, with this server's address filled in.
import { h } from '../dom.js';
import { addressOf } from '../server/address.js';
import { copyButton } from './copy.js';

const snippets = (url) => [
  ['Load the demo', 'In a shell: a small story, to look around in.', `whence demo --url ${url}`],
  [
    'Python',
    'The package is in tools/python.',
    `import whence

db = whence.connect("${url}")
with db.response("helpdesk", "gpt-4-turbo", prompt="When is the bill due?", content="On June 30.") as r:
    r.used({"type": "External", "source": "https://example.org/faq", "content": "Bills are due on June 30."}, 1)`,
  ],
  [
    'JavaScript',
    'The package is whence-client, in tools/javascript.',
    `import { connect } from 'whence-client';

const db = connect('${url}');
db.record({
  agent: 'helpdesk',
  model: 'gpt-4-turbo',
  prompt: 'When is the bill due?',
  content: 'On June 30.',
  context_units: [{ type: 'External', source: 'https://example.org/faq', content: 'Bills are due on June 30.' }],
});
await db.flush();`,
  ],
  [
    'OpenTelemetry',
    'An instrumented application sends its calls of models without a line of code.',
    `export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
  ],
  [
    'curl',
    'One record, as JSON.',
    `curl ${url}/rpc -H 'Content-Type: application/json' -d '{"jsonrpc": "2.0", "id": 1,
  "method": "records.write", "params": {"records": [{"$type$": "ContextUnit", "type": "User",
  "source": "memory:first", "timestamp": "${new Date().toISOString().slice(0, 19)}Z", "version": 1,
  "content": "The first thing that this graph knows."}]}}'`,
  ],
];

/** What a view says of a graph that has nothing by now, with the way to `firstSteps`; null where there is something. */
export const nothingYet = (info, asOf) =>
  !info || asOf !== null || Object.values(info.nodes).some((count) => count > 0)
    ? null
    : [h('span', {}, 'The graph is empty. '), h('a', { href: '#' }, 'Send the first record')];

export function firstSteps() {
  const url = addressOf('/').replace(/\/$/, '');
  return h(
    'div',
    { class: 'first-steps' },
    h('h2', {}, 'Send the first record'),
    h('p', { class: 'lead' }, 'The graph is empty. What is written appears here by itself.'),
    snippets(url).map(([name, text, code]) =>
      h(
        'section',
        { class: 'snippet', 'aria-label': name },
        h('div', { class: 'snippet-head' }, h('h3', {}, name), copyButton(code, `Copy: ${name}`)),
        h('p', { class: 'sub' }, text),
        h('pre', { tabindex: 0, 'aria-label': `${name}: code` }, code),
      ),
    ),
    h(
      'p',
      { class: 'sub' },
      'A server with tokens also wants one: TOKEN in the calls, or a header “authorization: Bearer TOKEN”.',
    ),
  );
}
