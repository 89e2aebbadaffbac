// Records for the tests of the picture: many nodes, one unit that very many responses use, a long chain of versions.

const timestamp = '2025-10-15T10:00:00Z';

const unit = (id, more = {}) => ({
  $type$: 'ContextUnit',
  id,
  type: 'External',
  source: 'tool:test',
  timestamp,
  summary: `Unit ${id}`,
  version: 1,
  ...more,
});

/** A unit, `cu_top`, that rests on many nodes: responses, each made from a shared unit and some of its own. */
export async function writeLargeStory(server, { responses = 40, own = 12, name = '' } = {}) {
  const records = [unit(`cu_hub${name}`)];
  for (let i = 0; i < responses; i++) {
    const units = Array.from({ length: own }, (_, k) => `cu_of${name}_${i}_${k}`);
    const share = 0.6 / own;
    records.push(...units.map((id) => unit(id)), {
      $type$: 'Response',
      id: `resp_large${name}_${i}`,
      timestamp,
      agent: `agent-${i % 5}`,
      model: 'm',
      context_units: [
        { context_unit_id: `cu_hub${name}`, weight: 0.4 },
        ...units.map((id) => ({ context_unit_id: id, weight: share })),
      ],
    });
    records.push(
      unit(`cu_next${name}_${i}`, {
        derived_from: units.slice(0, 3),
        updated_by_response_id: `resp_large${name}_${i}`,
      }),
    );
  }
  const derived = Array.from({ length: responses }, (_, i) => `cu_next${name}_${i}`);
  records.push(unit(`cu_top${name}`, { derived_from: derived }));
  for (let i = 0; i < records.length; i += 500) await server.write(...records.slice(i, i + 500));
}

/** A unit, `cu_hot`, that many responses used. */
export async function writeHot(server, count) {
  const records = [unit('cu_hot', { summary: 'Travel expenses are refunded within 30 days' })];
  for (let i = 0; i < count; i++)
    records.push({
      $type$: 'Response',
      id: `resp_hot_${String(i).padStart(5, '0')}`,
      timestamp: `2025-${String(1 + (i % 12)).padStart(2, '0')}-15T10:00:00Z`,
      agent: `agent-${i % 3}`,
      model: 'm',
      content: `Claim ${i} is refunded within 30 days.`,
      context_units: [{ context_unit_id: 'cu_hot', weight: 1 }],
    });
  for (let i = 0; i < records.length; i += 500) await server.write(...records.slice(i, i + 500));
}

/** `cu_version_1` to `cu_version_N`, each made from the one before. */
export async function writeVersions(server, count) {
  for (let i = 1; i <= count; i++) {
    const previous = i > 1 ? { previous_version_id: `cu_version_${i - 1}` } : {};
    await server.write(unit(`cu_version_${i}`, { version: i, summary: `Policy, revision ${i}`, ...previous }));
  }
}
