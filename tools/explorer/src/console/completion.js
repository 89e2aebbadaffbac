// What may be written at the cursor of the params: names of members, and values where a schema lists them.
import { contextAt, parseText } from './json_text.js';
import { typeText } from './schema.js';

const OFFERED_MAX = 60;

/** @returns {{from: number, to: number, offers: {text: string, insert: string, note: string, back: number}[]}} */
export function completionsAt(methods, name, text, cursor) {
  const context = contextAt(text, cursor);
  if (!context.at || !methods.byName.has(name)) return { from: cursor, to: cursor, offers: [] };
  const params = parseText(text).value ?? { type: /"type"\s*:\s*"(\w+)"/.exec(text)?.[1] };
  const schemas = methods.at(name, context.path, params);
  const offers = context.at === 'key' ? names(methods, schemas, context, text, cursor) : values(schemas);
  const typed = context.typed.toLowerCase();
  const ranked = offers
    .map((offer) => ({ ...offer, rank: offer.text.toLowerCase().indexOf(typed) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => Math.sign(a.rank) - Math.sign(b.rank))
    .slice(0, OFFERED_MAX);
  const hasEnd = context.isQuoted && text[cursor] === '"';
  return { from: context.from, to: cursor + (hasEnd ? 1 : 0), offers: ranked };
}

function names(methods, schemas, { known }, text, cursor) {
  const isNamed = /^"?\s*:/.test(text.slice(cursor));
  const offers = new Map();
  for (const schema of schemas) {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (offers.has(name) || known.includes(name)) continue;
      const own = methods.resolved(member);
      const [opened, closed] = isNamed ? ['', ''] : bracketsOf(own);
      offers.set(name, {
        text: name,
        insert: isNamed ? JSON.stringify(name) : `${JSON.stringify(name)}: ${opened}${closed}`,
        back: closed.length,
        isRequired: schema.required?.includes(name),
        note: [schema.required?.includes(name) && 'required', typeText(own), own.description]
          .filter(Boolean)
          .join(' · '),
      });
    }
  }
  return [...offers.values()].sort((a, b) => Number(Boolean(b.isRequired)) - Number(Boolean(a.isRequired)));
}

function bracketsOf({ type, enum: listed }) {
  if (type === 'array') return ['[', ']'];
  if (type === 'object') return ['{', '}'];
  return type === 'string' && !listed ? ['"', '"'] : ['', ''];
}

function values(schemas) {
  const offers = new Map();
  const add = (value, note = '') =>
    offers.set(JSON.stringify(value), { text: String(value), insert: JSON.stringify(value), back: 0, note });
  for (const schema of schemas) {
    for (const value of schema.enum ?? []) add(value);
    if ('const' in schema) add(schema.const, schema.description);
    if ([schema.type].flat().includes('boolean')) [true, false].forEach((value) => add(value));
  }
  return [...offers.values()];
}
