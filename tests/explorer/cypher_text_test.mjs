// What the page of queries knows of Cypher without a browser: colours of tokens, what may stand at a place, examples, CSV.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { csvOf } from '../../tools/explorer/src/cypher/csv.js';
import { examplesOf } from '../../tools/explorer/src/cypher/examples.js';
import { completionsOf, tokenizer } from '../../tools/explorer/src/cypher/language.js';

const WORDS = {
  labels: ['ContextUnit', 'Response'],
  relations: ['USED_IN', 'INFLUENCES'],
  properties: new Map([
    ['ContextUnit', ['source', 'content']],
    ['Response', ['agent', 'model']],
  ]),
  functions: [{ name: 'count', signature: 'count(x)' }],
  procedures: [{ name: 'whence.impact.analyze', signature: 'whence.impact.analyze(refs)' }],
};

/** What is offered where the text has a |. */
function offered(marked) {
  const at = marked.indexOf('|');
  const found = completionsOf(marked.slice(0, at), marked.replace('|', ''), WORDS);
  return found && { from: found.from, labels: found.options.map(({ label }) => label) };
}

for (const [name, text, labels] of [
  ['labels of a node', 'MATCH (u:|)', ['ContextUnit', 'Response']],
  ['labels after some letters', 'MATCH (u:Con|)', ['ContextUnit', 'Response']],
  ['types of a relation', 'MATCH (u)-[:|]->(r)', ['USED_IN', 'INFLUENCES']],
  ['further types of a relation', 'MATCH (u)-[:USED_IN|', ['USED_IN', 'INFLUENCES']],
  ['properties of a variable with a label', 'MATCH (u:ContextUnit) WHERE u.|', ['source', 'content']],
  ['properties of a label further on', 'MATCH (r:Response) RETURN r.a|', ['agent', 'model']],
  ['all properties of one without a label', 'MATCH (n) RETURN n.|', ['agent', 'content', 'model', 'source']],
  ['properties in a map of a node', 'MATCH (r:Response {|})', ['agent', 'model']],
  ['procedures', 'CALL whence.im|', ['whence.impact.analyze']],
])
  test(`completion offers ${name}`, () => {
    // The mark of the second type is a | of the text itself.
    const found = name.startsWith('further') ? completionsOf(text, text, WORDS) : offered(text);
    assert.deepEqual(found.labels ?? found.options.map(({ label }) => label), labels);
  });

test('elsewhere keywords, functions and the variables of the text are offered', () => {
  const { labels } = offered('MATCH (unit:ContextUnit) RETURN u|');
  for (const label of ['unit', 'UNION', 'count', 'RETURN']) assert.ok(labels.includes(label), label);
});

test('nothing is offered inside of texts, comments and parameters', () => {
  for (const text of ["MATCH (u {id: 'cu_|'})", 'MATCH (u) // the |', 'RETURN /* a |', 'RETURN $|'])
    assert.equal(offered(text), null, text);
});

test('brackets in texts do not count', () => {
  assert.deepEqual(offered("MATCH (a {id: '['}), (u:|)").labels, ['ContextUnit', 'Response']);
});

/** The kinds of a text's tokens, read as the editor does, a line at a time. */
function tokens(text) {
  const state = tokenizer.startState();
  const found = [];
  for (const line of text.split('\n')) {
    const stream = {
      string: line,
      pos: 0,
      start: 0,
      eol: () => stream.pos >= line.length,
      peek: () => line[stream.pos],
      next: () => line[stream.pos++],
      eatSpace: () => {
        const from = stream.pos;
        while (/\s/.test(line[stream.pos] ?? '')) stream.pos += 1;
        return stream.pos > from;
      },
      skipToEnd: () => (stream.pos = line.length),
      match: (what) => {
        const rest = line.slice(stream.pos);
        const length = typeof what === 'string' ? (rest.startsWith(what) ? what.length : 0) : (what.exec(rest)?.[0].length ?? 0);
        stream.pos += length;
        return length > 0;
      },
      current: () => line.slice(stream.start, stream.pos),
    };
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = tokenizer.token(stream, state);
      assert.ok(stream.pos > stream.start, `the tokenizer stands still at ${stream.pos} of ${line}`);
      if (kind && kind !== 'operator') found.push([stream.current(), kind]);
    }
  }
  return found;
}

test('tokens have their kinds, over several lines', () => {
  assert.deepEqual(tokens("match (u:Unit {id: 'a\\'b'}) // end"), [
    ['match', 'keyword'],
    ['u', 'variableName'],
    ['Unit', 'typeName'],
    ['id', 'variableName'],
    ["'", 'string'],
    ["a\\'b'", 'string'],
    ['// end', 'comment'],
  ]);
  assert.deepEqual(tokens('/* one\ntwo */ RETURN count(n.x), $p, 1.5e3'), [
    ['/*', 'comment'],
    [' one', 'comment'],
    ['two */', 'comment'],
    ['RETURN', 'keyword'],
    ['count', 'variableName.function'],
    ['n', 'variableName'],
    ['x', 'propertyName'],
    ['$p', 'variableName.special'],
    ['1.5e3', 'number'],
  ]);
});

test('every recipe is an example, with its parameters', () => {
  const markdown = readFileSync(new URL('../../queries/cypher/RECIPES.md', import.meta.url), 'utf8');
  const examples = examplesOf(markdown);
  assert.equal(examples.length, (markdown.match(/^```cypher$/gm) ?? []).length);
  assert.equal(examples[0].title, 'What was this answer made from?');
  assert.match(examples[0].cypher, /^MATCH \(cause\)/);
  assert.deepEqual(examples.find(({ cypher }) => cypher.includes('$tx')).params, { tx: 9 });
});

test('CSV quotes what must be, and lets no table run a formula', () => {
  const node = { ref: 'Response:r', labels: ['Response'], properties: {} };
  assert.equal(
    csvOf(['a', 'b"c'], [[1, 'x,"y"\nz'], [null, node], [[node, 2], '=1+1'], [-0.5, '-5']]),
    'a,"b""c"\r\n1,"x,""y""\nz"\r\n,Response:r\r\n"[""Response:r"",2]",\'=1+1\r\n-0.5,-5\r\n',
  );
});
