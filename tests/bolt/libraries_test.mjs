// Other packages of npm that speak Bolt, each by its own code: another build of the driver, object mappers, query builders.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { Program, skip } from './program.mjs';

const require = createRequire(import.meta.url);
const TOKEN = 'token-that-reads-0123456789';
const AGENT = 'claude-sdk:lazy-broker';
let program;

before(async () => {
  if (!skip) program = await Program.start({ demo: true, tokens: `read ${TOKEN}\n` });
});
after(() => program?.stop());

test('neo4j-driver-lite', { skip }, async () => {
  const { default: neo4j } = await import('neo4j-driver-lite');
  const driver = neo4j.driver(program.bolt, neo4j.auth.basic('x', TOKEN), { disableLosslessIntegers: true });
  const { records } = await driver.executeQuery('MATCH (r:Response {agent: $agent}) RETURN count(r) AS n', { agent: AGENT });
  assert.equal(records[0].get('n'), 5);
  await driver.close();
});

test('neode: models, relationships that are loaded with them, its builder', { skip }, async () => {
  const Neode = require('neode');
  const db = new Neode(program.bolt, 'x', TOKEN);
  // A model is found by all labels of a node, of which one is `Node`.
  db.model('Response', { id: { type: 'string', primary: true }, agent: 'string' }).setLabels('Node', 'Response');
  const units = db.model('ContextUnit', {
    id: { type: 'string', primary: true },
    source: 'string',
    used: {
      type: 'relationships',
      target: 'Response',
      relationship: 'USED_IN',
      direction: 'out',
      properties: { weight: 'number' },
      eager: true,
    },
  });
  units.setLabels('Node', 'ContextUnit');
  assert.equal((await db.all('Response', { agent: AGENT })).length, 5);
  const unit = await db.first('ContextUnit', 'id', 'cu_values_yaml_005');
  assert.equal(unit.get('source'), 'file:argocd/values.yaml');
  const [used] = unit.get('used').map((each) => each);
  assert.equal(used.get('weight'), 0.65);
  assert.equal(used.otherNode().get('id'), 'resp_20251011_00126');
  const { records } = await db.query().match('r', 'Response').where('r.agent', AGENT).return('r').execute();
  assert.equal(records.length, 5);
  await assert.rejects(db.create('Response', { id: 'resp_new', agent: 'x' }), /CREATE/);
  db.close();
});

test('neogma: models, its query builder', { skip }, async () => {
  const { ModelFactory, Neogma, QueryBuilder } = require('neogma');
  const db = new Neogma({ url: program.bolt, username: 'x', password: TOKEN });
  const schema = { id: { type: 'string', required: true }, agent: { type: 'string' } };
  const Responses = ModelFactory({ label: 'Response', schema, primaryKeyField: 'id' }, db);
  assert.equal((await Responses.findMany({ where: { agent: AGENT } })).length, 5);
  assert.equal((await Responses.findOne({ where: { id: 'resp_20251011_00126' } })).agent, AGENT);
  const related = [
    { identifier: 'u', label: 'ContextUnit' },
    { direction: 'out', name: 'USED_IN' },
    { identifier: 'r', label: 'Response' },
  ];
  const { records } = await new QueryBuilder().match({ related }).return('u.id AS id').limit(2).run(db.queryRunner);
  assert.equal(records.length, 2);
  await db.driver.close();
});

test('cypher-query-builder: rows, and a stream of them', { skip }, async () => {
  const { Connection, node, relation } = require('cypher-query-builder');
  const db = new Connection(program.bolt, { username: 'x', password: TOKEN });
  const pattern = [node('u', 'ContextUnit'), relation('out', 'used', 'USED_IN'), node('r', 'Response', { id: 'resp_20251011_00126' })];
  const rows = await db.match(pattern).return(['u', 'used', { 'r.agent': 'agent' }]).orderBy('used.weight').run();
  assert.deepEqual(rows.map(({ used, agent }) => [used.properties.weight, agent]), [[0.35, AGENT], [0.65, AGENT]]);
  const count = await new Promise((resolve, reject) => {
    let seen = 0;
    const stream = db.matchNode('n', 'ContextUnit').return('n').stream();
    stream.subscribe({ next: () => (seen += 1), error: reject, complete: () => resolve(seen) });
  });
  assert.ok(count >= 8);
  await db.close();
});

test('@neo4j/introspector: the schema as it finds it, and as GraphQL', { skip }, async () => {
  const { default: neo4j } = await import('neo4j-driver');
  const { toGenericStruct, toGraphQLTypeDefs } = require('@neo4j/introspector');
  const driver = neo4j.driver(program.bolt, neo4j.auth.bearer(TOKEN));
  const session = () => driver.session({ defaultAccessMode: neo4j.session.READ });
  const [{ nodes, relationships }, graphql] = await Promise.all([toGenericStruct(session), toGraphQLTypeDefs(session, true)]);
  const response = nodes[':`Node`:`Response`'];
  assert.deepEqual(response.labels, ['Node', 'Response']);
  const property = (all, name) => ({ ...all.properties.find((each) => each.name === name) });
  assert.deepEqual(property(response, 'agent'), { name: 'agent', types: ['String'], mandatory: true });
  assert.deepEqual(property(relationships.USED_IN, 'weight').types, ['Double']);
  const used = relationships.USED_IN.paths.map(({ fromTypeId, toTypeId }) => `${fromTypeId} ${toTypeId}`);
  assert.ok(used.includes(':`ContextUnit`:`Node` :`Node`:`Response`'), used.join());
  assert.match(graphql, /agent: String!/);
  assert.match(graphql, /type UsedInProperties[^}]*weight: Float\n/);
  await driver.close();
});

test('@neo4j/cypher-builder', { skip }, async () => {
  const { default: neo4j } = await import('neo4j-driver');
  const Cypher = require('@neo4j/cypher-builder');
  const [unit, response] = [new Cypher.Node(), new Cypher.Node()];
  const pattern = new Cypher.Pattern(unit, { labels: ['ContextUnit'] }).related({ type: 'USED_IN' }).to(response, { labels: ['Response'] });
  const query = new Cypher.Match(pattern).where(response, { agent: new Cypher.Param(AGENT) }).return([unit.property('id'), 'id']);
  const { cypher, params } = query.limit(2).build({ cypherVersion: '5' });
  const driver = neo4j.driver(program.bolt, neo4j.auth.bearer(TOKEN));
  assert.equal((await driver.executeQuery(cypher, params)).records.length, 2);
  await driver.close();
});
