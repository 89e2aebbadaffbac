// Claim: each attribute that the newest packages of the conventions emit is in the mapping table (net/capture/README.md), or
// is named in kept_attributes.txt as one that stays an attribute. Method: the names are read out of the packages, those that
// are values of their modules and those that are texts in their code. Names each that is in neither.
//   node conventions.mjs FOLDER    FOLDER/node_modules has the packages
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const packages = readFileSync(join(here, 'conventions_packages.txt'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));

const table = readFileSync(join(here, '../../net/capture/README.md'), 'utf8').split('## The mapping table')[1];
const known = new Set();
const families = [];
for (const line of table.split('\n').filter((each) => each.startsWith('|'))) {
  for (const [, name] of line.matchAll(/`([^`]+)`/g)) {
    if (name.endsWith('.N.…')) families.push(name.slice(0, -'.N.…'.length));
    else known.add(name);
  }
}
const kept = readFileSync(join(here, 'kept_attributes.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split('#')[0].trim())
  .filter(Boolean);
const isKept = (name) => kept.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
const isKnown = (name) => known.has(name) || families.some((each) => name === each || name.startsWith(`${each}.`)) || isKept(name);

const beginnings =
  'gen_ai|ai|llm|openinference|langfuse|traceloop|mastra|mcp|retrieval|reranker|embedding|document|tool|tool_call|message|message_content|input|output|' +
  'session|trace|user|enduser|agent|prompt|evaluation|evaluations|annotation|annotations|image|audio|video|function|graph|db\\.query|db\\.vector|db\\.search';
const whole = new RegExp(`^(?:${beginnings})(?:\\.[A-Za-z0-9_]+)+$`);
const quoted = new RegExp(`(["'\`])((?:${beginnings})(?:\\.[A-Za-z0-9_]+)+)\\1`, 'g');

function* filesOf(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'src' || entry.name === 'docs') continue;
    if (entry.isDirectory()) yield* filesOf(join(path, entry.name));
    else if (/\.[cm]?js$/.test(entry.name)) yield join(path, entry.name);
  }
}

function walk(value, found, seen = new Set()) {
  if (typeof value === 'string' && whole.test(value)) found.add(value);
  if (!value || typeof value !== 'object' || seen.has(value)) return;
  seen.add(value);
  for (const each of Object.values(value)) walk(each, found, seen);
}

const unknown = new Map();
for (const name of packages) {
  const path = join(folder, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const found = new Set();
  if (/semantic-conventions$/.test(name)) {  // their names are put together when they are loaded
    walk({ ...(await import(pathToFileURL(createRequire(join(folder, 'x.js')).resolve(name)))) }, found);
  }
  for (const file of filesOf(path)) {
    for (const [, , each] of readFileSync(file, 'utf8').matchAll(quoted)) found.add(each);
  }
  if (found.size === 0) throw new Error(`${name} ${version} has no attributes: does it keep them elsewhere now?`);
  const news = [...found].filter((each) => !isKnown(each)).sort();
  console.log(`${name} ${version}: ${found.size} names, ${news.length} in neither list`);
  for (const each of news) unknown.set(each, [...(unknown.get(each) ?? []), name]);
}
for (const [name, whose] of [...unknown].sort()) console.log(`unknown: ${name}  (${whose.join(', ')})`);
process.exitCode = unknown.size > 0 ? 1 : 0;
