#!/usr/bin/env node
// Writes `methods.js` and `methods.d.ts` beside itself from a server's OpenRPC document, read on stdin:
//   curl -s http://127.0.0.1:7411/openrpc.json | tools/javascript/generate.mjs
// `tests/javascript` fails if the committed files differ from the output for the built server.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The client calls these itself: `watch` subscribes.
const OWN = new Set(['session.hello', 'subscribe', 'unsubscribe']);
const NOTE = '// Written by generate.mjs from the OpenRPC document of a server; never edited.\n';
const TIMES_NOTE = `/** Of record types and methods: the places where a time is in milliseconds since the epoch (\`ms\`; \`*\` is each item of a list), and where something is that
 * has such places: a \`record\`, an object with \`type\` or \`types\` and \`where\`, or one with \`method\` and \`params\` (\`call\`). */
`;
const MATCH_NOTE = '/** What selects the events of a watch. */\n';

const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** The TypeScript type of a JSON schema; `given`: of what is given, where times may be dates. */
function typeOf(schema = {}, given = false) {
  const name = schema.$ref?.split('/').pop();
  if (name) return given && name === 'Record' ? 'Dated<AnyRecord>' : name;
  if (given && ((schema.type === 'string' && schema.format === 'date-time') || isMilliseconds(schema))) return `${typeOf(schema)} | Date`;
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return [...new Set(either.map((one) => typeOf(one, given)))].join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (Array.isArray(schema.type)) {
    const types = schema.type.map((type) => typeOf({ ...schema, type }, given));
    return [...types, ...(given && String(schema.type) === 'string,number,boolean' ? ['Date'] : [])].join(' | '); // the value of a condition
  }
  if (schema.type === 'array') return `Array<${typeOf(schema.items, given)}>`;
  if (schema.type === 'object') {
    if (!Object.keys(schema.properties ?? {}).length) {
      const values = schema.additionalProperties;
      return `Record<string, ${values && typeof values === 'object' ? typeOf(values, given) : 'any'}>`;
    }
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties).map(
      ([name, member]) => `${key(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, given)}`,
    );
    return `{ ${members.join('; ')} }`;
  }
  const simple = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' };
  return simple[schema.type] ?? 'any';
}

/** The names of the members of record types that are times. */
function timeNames(schema) {
  const members = schema.properties ?? {};
  return [
    ...(schema.items ? timeNames(schema.items) : []),
    ...Object.entries(members).flatMap(([name, member]) =>
      member.format === 'date-time' || isMilliseconds(member, members) ? [name] : timeNames(member),
    ),
  ];
}

/** The first required param, or `ref` where it is first, may be given by position. */
function positional(params) {
  return (params.find((param) => param.required) ?? (params[0]?.name === 'ref' ? params[0] : undefined))?.name;
}

// Lists that say something of an answer, beside those that hold its items.
const BESIDE = new Set(['columns', 'cut_edges', 'dangling', 'dominators', 'frontier', 'gone', 'suggestions', 'warnings']);

/** The members of a method's answers that hold its items, where it is one that gives them piece by piece. `tests/python` holds them against those of the
 * other client. */
function listed(method) {
  if (!method.params.some((param) => param.name === 'stream')) return null;
  const members = Object.entries(method.result.schema.properties ?? {});
  return members.filter(([name, member]) => member.type === 'array' && !BESIDE.has(name)).map(([name]) => name);
}

const described = (param) => ({ ...param.schema, description: param.description });

/** Whether it is a time in milliseconds since the epoch, which only descriptions say: its own, or that of the member of the same object that it is
 * `not before`. */
function isMilliseconds({ type, description = '' }, beside = {}) {
  if (type !== 'integer') return false;
  const other = beside[/not before `(\w+)`/.exec(description)?.[1]];
  return /milliseconds/i.test(description) || (other !== undefined && isMilliseconds(other));
}

/** What `TIMES` says of a schema, as `[place, kind]`: where in it a time is in milliseconds, or something that has such a place. */
function places(schema, schemas, at = '', beside = {}) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    return name === 'Record' ? [[at, 'record']] : places(schemas[name], schemas, at, beside);
  }
  const members = schema.properties ?? {};
  const found = isMilliseconds(schema, beside) ? [[at, 'ms']] : [];
  if ('where' in members && ('type' in members || 'types' in members)) found.push([at, 'where']);
  if ('method' in members && 'params' in members) found.push([at, 'call']);
  for (const one of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) found.push(...places(one, schemas, at));
  if (schema.items) found.push(...places(schema.items, schemas, at ? `${at}/*` : '*'));
  for (const [name, member] of Object.entries(members)) found.push(...places(member, schemas, at ? `${at}/${name}` : name, members));
  return found;
}

/** The rows of `TIMES`. */
function timesRows(document, methods) {
  const { schemas } = document.components;
  const rows = document['x-whence-types'].records.map(({ name }) => [name, places(schemas[name], schemas)]);
  for (const { name, params } of methods) rows.push([name, places({ properties: Object.fromEntries(params.map((param) => [param.name, described(param)])) }, schemas)]);
  return rows.filter(([, row]) => row.length).map(([name, row]) => `  ${key(name)}: ${JSON.stringify(Object.fromEntries(row))},\n`);
}

/** `{js, types}`: the texts of methods.js and methods.d.ts. */
export function generate(document) {
  const methods = document.methods.filter((method) => !OWN.has(method.name));
  const subscribe = document.methods.find((method) => method.name === 'subscribe');
  const match = Object.keys(subscribe.params.find((param) => param.name === 'match').schema.properties);
  const rows = methods.map(
    (method) =>
      `  [${[method.name, method['x-role'], positional(method.params) ?? null, method.params.some((param) => param.name === 'min_tx'), listed(method)].map((x) => JSON.stringify(x)).join(', ')}],\n`,
  );
  const js = `${NOTE}/** Each method: name, role that its token needs, param that may be given by position, whether it takes min_tx, lists that are iterated over. */\nexport const METHODS = [\n${rows.join('')}];\n${TIMES_NOTE}export const TIMES = {\n${timesRows(document, methods).join('')}};\n${MATCH_NOTE}export const MATCH = ${JSON.stringify(match)};\n`;

  const schemas = document.components.schemas;
  const forms = Object.entries(schemas).map(([name, schema]) => `export type ${name === 'Record' ? 'AnyRecord' : name === 'Error' ? 'RpcError' : name} = ${typeOf(schema)};\n`);
  const times = [...new Set(document['x-whence-types'].records.flatMap(({ name }) => timeNames(schemas[name])))];
  forms.push(`/** What is given, whose times may be dates. */\nexport type Dated<T> = 0 extends 1 & T ? T : T extends Array<infer Item> ? Array<Dated<Item>> : T extends object ? { [Name in keyof T]: Name extends ${times.map((name) => JSON.stringify(name)).join(' | ')} ? T[Name] | Date : Dated<T[Name]> } : T;\n`);
  const groups = new Map();
  for (const method of methods) {
    const dot = method.name.lastIndexOf('.');
    const group = dot < 0 ? '' : method.name.slice(0, dot);
    const name = method.name.slice(dot + 1);
    const members = method.params.map((param) => `${key(param.name)}${param.required ? '' : '?'}: ${param.name === 'stream' ? 'boolean | ' : ''}${typeOf(described(param), true)}`);
    const params = `{ ${members.join('; ')} }`;
    const lists = listed(method);
    const answer = typeOf(method.result.schema);
    const items = lists?.filter((name, _, all) => name !== 'edges' || all.length === 1).map((name) => typeOf(method.result.schema.properties[name].items));
    const result = items ? `List<${answer}, ${[...new Set(items)].join(' | ')}>` : `Promise<${answer}>`;
    const first = positional(method.params);
    const optional = method.params.some((param) => param.required) ? '' : '?';
    const lines = [`/** ${method.summary} */\n`, `${name}(params${optional}: ${params}): ${result};\n`];
    if (first) {
      const type = typeOf(described(method.params.find((param) => param.name === first)), true);
      const rest = method.params.some((param) => param.required && param.name !== first) ? '' : '?';
      lines.push(`${name}(${first === 'from' ? 'from' : first}: ${type}, params${rest}: Omit<${params}, ${JSON.stringify(first)}>): ${result};\n`);
    }
    groups.set(group, [...(groups.get(group) ?? []), ...lines]);
  }
  const alone = groups.get('') ?? [];
  groups.delete('');
  const parts = [...groups].map(([name, lines]) => `  ${name}: {\n${lines.map((line) => `    ${line}`).join('')}  };\n`);
  const all = `export interface Methods {\n${parts.join('')}${alone.map((line) => `  ${line}`).join('')}}\n`;
  const types = `${NOTE}import type { List } from './index.js';\n${forms.join('')}${all}`
    .replaceAll(/\bArray<Record>/g, 'Array<AnyRecord>')
    .replaceAll(/: Record(?=[;\s}>])/g, ': AnyRecord');
  return { js, types };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { js, types } = generate(JSON.parse(readFileSync(0, 'utf8')));
  writeFileSync(new URL('methods.js', import.meta.url), js);
  writeFileSync(new URL('methods.d.ts', import.meta.url), types);
}
