// The page of a thing of a pipeline or of a PROV document: a data set, its versions, a job, a run, or any entity, activity
// or agent. Facets of OpenLineage are read where they are there.
import { h } from '../dom.js';
import { countText, timeText } from '../form.js';
import { edgeName } from '../vocabulary.js';
import { effects, historySection } from './generic.js';
import { nodeLine, pageLink, plainOf, titleOf } from './names.js';
import { bounded, plainText } from './texts.js';

const LISTED = 12;
const KINDS = {
  __proto__: null,
  Dataset: 'Data set',
  DatasetVersion: 'Version of a data set',
  DatasetReading: 'Data set as it was read',
  Job: 'Job',
  Run: 'Run of a job',
  DeclaredRun: 'What a job says it reads and writes',
};

const attributesOf = ({ record }) => {
  const attributes = record?.attributes;
  return (Array.isArray(attributes) ? attributes[0] : attributes) ?? {};
};

const kindOf = (node) => {
  const type = plainOf(attributesOf(node)['prov:type']);
  return KINDS[String(type ?? '').replace(/^openlineage:/, '')];
};

function facetsOf(node) {
  try {
    const facets = JSON.parse(plainOf(attributesOf(node)['openlineage:facets']) ?? '{}');
    return facets !== null && typeof facets === 'object' ? facets : {};
  } catch {
    return {};
  }
}

export async function provPage(view) {
  const { node, ask } = view;
  const attributes = attributesOf(node);
  const facets = facetsOf(node);
  const versions =
    node.type === 'ProvEntity'
      ? await ask.optional('versions.list', { ref: node.ref, limit: 200, include: ['record'] })
      : null;
  const list = versions?.versions ?? [];
  const known = Object.keys(FACETS).filter((name) => facets[name] !== null && typeof facets[name] === 'object');
  const others = Object.entries(facets).filter(([name]) => !known.includes(name));
  const time = (name, label) => plainOf(attributes[name]) && [label, timeText(plainOf(attributes[name]))];
  return {
    kind: kindOf(node),
    title: titleOf(node, 160),
    facts: [
      ['name', h('bdi', { class: 'mono' }, node.id)],
      plainOf(attributes['openlineage:namespace']) && [
        'in',
        h('bdi', {}, String(plainOf(attributes['openlineage:namespace']))),
      ],
      plainOf(attributes['openlineage:eventType']) && [
        'state',
        String(plainOf(attributes['openlineage:eventType'])).toLowerCase(),
      ],
      time('prov:startTime', 'began'),
      time('prov:endTime', 'ended'),
      list.length > 0 && list[0].version !== undefined && ['versions', countText(list.length)],
    ].filter(Boolean),
    sections: [
      ...known.map((name) => ({
        name: `facet-${name}`,
        title: FACETS[name].title,
        body: FACETS[name].body(view, facets[name]),
      })),
      list.some(({ ref }) => ref !== node.ref) && versionsOf(view, list),
      { name: 'relations', title: 'Linked with', body: () => relations(view) },
      { name: 'effects', title: 'What came of it', body: () => effects(view, node.ref) },
      others.length > 0 && {
        name: 'facets',
        title: 'Further facets',
        body: others
          .slice(0, 50)
          .map(([name, facet]) =>
            view.fold(
              `facet ${name}`,
              name,
              h('pre', { class: 'xml', tabindex: 0 }, JSON.stringify(facet, null, 2).slice(0, 20_000)),
              { kind: 'small' },
            ),
          ),
      },
      historySection(view),
    ].filter(Boolean),
  };
}

const text = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const FACETS = {
  errorMessage: {
    title: 'Error',
    body: (view, facet) => [
      h('p', { class: 'callout warn' }, h('bdi', {}, text(facet.message).slice(0, 2000))),
      facet.stackTrace &&
        view.fold(
          'stack',
          'Stack trace',
          h('pre', { class: 'xml', tabindex: 0 }, text(facet.stackTrace).slice(0, 20_000)),
          { kind: 'small' },
        ),
    ],
  },
  documentation: {
    title: 'Description',
    body: (view, facet) => plainText(view, 'description', text(facet.description)),
  },
  schema: {
    title: 'Columns',
    body: (view, facet) => {
      const fields = Array.isArray(facet.fields) ? facet.fields : [];
      return fields.length === 0
        ? null
        : h(
            'table',
            { class: 'columns-table' },
            h(
              'thead',
              {},
              h(
                'tr',
                {},
                ['Column', 'Type', 'Description'].map((name) => h('th', { scope: 'col' }, name)),
              ),
            ),
            h(
              'tbody',
              {},
              fields.slice(0, 500).map((field) =>
                h(
                  'tr',
                  {},
                  ['name', 'type', 'description'].map((name) =>
                    h('td', {}, h('bdi', {}, field?.[name] ? text(field[name]) : '')),
                  ),
                ),
              ),
            ),
          );
    },
  },
  outputStatistics: { title: 'Written', body: (view, facet) => statistics(facet) },
  inputStatistics: { title: 'Read', body: (view, facet) => statistics(facet) },
  sql: {
    title: 'SQL',
    body: (view, facet) => h('pre', { class: 'xml', tabindex: 0 }, text(facet.query).slice(0, 20_000)),
  },
  sourceCode: {
    title: 'Source',
    body: (view, facet) => h('pre', { class: 'xml', tabindex: 0 }, text(facet.sourceCode).slice(0, 20_000)),
  },
};

const statistics = (facet) => {
  const entries = Object.entries(facet).filter(([name, value]) => typeof value === 'number' && !name.startsWith('_'));
  const names = { rowCount: 'rows', size: 'bytes', fileCount: 'files' };
  return (
    entries.length > 0 &&
    h('p', {}, entries.map(([name, value]) => `${countText(value)} ${names[name] ?? name}`).join(', '))
  );
};

/** The versions of a data set, newest first, each with what differs from the one before. */
const versionsOf = (view, list) => ({
  name: 'versions',
  title: 'Versions',
  body: h(
    'ol',
    { class: 'plain versions', reversed: true },
    bounded(view, 'versions', [...list].reverse(), LISTED, (version, i) => {
      const before = list[list.length - 2 - i];
      const written = plainOf(
        version.record?.relations?.find(({ relation }) => relation === 'wasGeneratedBy')?.attributes?.['prov:time'],
      );
      return h(
        'li',
        { 'data-entry': i, 'aria-current': version.ref === view.node.ref ? 'page' : null },
        h('b', {}, `${version.version ?? list.length - i} `),
        version.ref === view.node.ref
          ? h('span', {}, titleOf(version, 100))
          : pageLink(version.ref, titleOf(version, 100)),
        written && h('span', { class: 'notes' }, timeText(written)),
        before &&
          view.fold(
            `changes ${version.ref}`,
            'What changed from the version before',
            () => changes(view, before.ref, version.ref),
            { kind: 'small' },
          ),
      );
    }),
  ),
});

async function changes(view, a, b) {
  const answer = await view.ask.optional('versions.diff', { a, b });
  const [before, after] = (await view.ask.nodes([a, b], ['record'])).values();
  const [was, is] = [facetsOf(before ?? {}), facetsOf(after ?? {})];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  );
  if (names.length === 0)
    return h('p', { class: 'faint' }, answer ? 'Its facets are the same.' : 'The server did not compare them.');
  return h(
    'ul',
    { class: 'plain' },
    names.slice(0, 30).map((name) => h('li', {}, `${name}: `, difference(name, was[name], is[name]))),
  );
}

function difference(name, was, is) {
  if (name === 'schema') {
    const columns = (facet) =>
      (Array.isArray(facet?.fields) ? facet.fields : []).map((field) =>
        `${text(field?.name)} ${text(field?.type ?? '')}`.trim(),
      );
    const [old, fresh] = [columns(was), columns(is)];
    return [
      old.filter((each) => !fresh.includes(each)).map((each) => [h('del', {}, each), ' ']),
      fresh.filter((each) => !old.includes(each)).map((each) => [h('ins', {}, each), ' ']),
    ];
  }
  const short = (facet) =>
    facet === undefined
      ? 'nothing'
      : Object.entries(facet)
          .filter(([key]) => !key.startsWith('_'))
          .map(([key, value]) => `${key} ${text(value)}`)
          .join(', ')
          .slice(0, 200);
  return [h('del', {}, short(was)), ' ', h('ins', {}, short(is))];
}

const RELATIONS = {
  'used from': 'Read',
  'used to': 'Read by',
  'wasGeneratedBy from': 'Written by',
  'wasGeneratedBy to': 'Wrote',
  'wasInfluencedBy from': 'Because of',
  'wasInfluencedBy to': 'Led to',
  'specializationOf from': 'Is a version of',
  'specializationOf to': 'Its versions and parts',
  'wasDerivedFrom from': 'Derived from',
  'wasDerivedFrom to': 'What was derived from it',
};

/** Its neighbours by relation, named from its side. */
async function relations(view) {
  const groups = new Map();
  for (const edge of view.node.edges ?? []) {
    const isFrom = edge.from === view.node.ref;
    const key = `${edge.type} ${isFrom ? 'from' : 'to'}`;
    const name =
      RELATIONS[key.replace(/^PROV_/, '')] ??
      (edge.type === 'LOADED_FROM' ? (isFrom ? 'Loaded from' : 'Documents loaded from it') : edgeName(edge.type));
    groups.set(key, { name, refs: [...(groups.get(key)?.refs ?? []), isFrom ? edge.to : edge.from] });
  }
  const wanted = [...groups].flatMap(([key, { refs }]) => refs.slice(0, view.limit(key, LISTED)));
  const known = await view.ask.nodes([...new Set(wanted)].slice(0, 300));
  return [...groups].map(([key, { name, refs }]) => [
    h('h3', {}, name, h('span', { class: 'note' }, ` ${countText(refs.length)}`)),
    h(
      'ul',
      { class: 'plain' },
      bounded(view, key, refs, LISTED, (ref, i) =>
        h('li', { 'data-entry': i }, known.has(ref) ? nodeLine(known.get(ref)) : pageLink(ref)),
      ),
    ),
  ]);
}
