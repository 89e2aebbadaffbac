// The words that a query of this server may have: labels, types of relations, properties, functions and procedures.

/** What the server's own description says; functions and procedures are asked for. */
export async function wordsOf(rpc, described) {
  const { records, edges } = described['x-whence-types'];
  const schemas = described.components?.schemas ?? {};
  const labels = records.filter(({ is_node: isNode }) => isNode).map(({ name }) => name);
  const derived = ['ref', 'id', 'tx'];
  const properties = new Map(
    labels.map((label) => {
      const members = Object.keys(schemas[label]?.properties ?? {}).filter((name) => name !== '$type$');
      const scored = label === 'ContextUnit' ? ['status', 'score', 'feedbacks'] : [];
      return [label, [...new Set([...members, ...derived, ...scored])]];
    }),
  );
  for (const { name } of edges) properties.set(name, ['tx', 'weight', 'confidence', 'score', 'rank', 'version', 'timestamp']);
  const listed = async (what) => {
    const { rows } = await rpc
      .call('query', { cypher: `SHOW ${what} YIELD name, signature`, limit: 1000 })
      .catch(() => ({ rows: [] }));
    return rows.map(([name, signature]) => ({ name, signature: String(signature ?? '').slice(0, 120) }));
  };
  const [functions, procedures] = await Promise.all([listed('FUNCTIONS'), listed('PROCEDURES')]);
  return { labels: [...labels, 'Node'], relations: [...edges.map(({ name }) => name), 'INFLUENCES'], properties, functions, procedures };
}
