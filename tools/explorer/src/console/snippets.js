// A call as a program would make it.
import { shellWord } from '../form.js';
import { Written } from '../json.js';
import { addressOf } from '../server/address.js';

const url = () => addressOf('/').replace(/\/$/, '');

/** A JSON value as Python has it. */
function python(value) {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value instanceof Written) return String(value);
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${python(member)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

/** What a connection alone has: partial answers. */
const answeredOnce = ({ stream, progress, ...params }) => params;

export const SNIPPETS = {
  Python: (method, params) =>
    `import whence

db = whence.connect(${JSON.stringify(url())})
print(db.rpc(${JSON.stringify(method)}, **${python(answeredOnce(params))}))
`,
  JavaScript: (method, params) =>
    `import { connect } from 'whence-client';

const db = connect(${JSON.stringify(url())});
console.log(await db.call(${JSON.stringify(method)}, ${JSON.stringify(answeredOnce(params), null, 2)}));
await db.close();
`,
  curl: (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: answeredOnce(params) });
    return `curl ${url()}/rpc -H 'Content-Type: application/json' -d ${shellWord(body)}\n`;
  },
};
