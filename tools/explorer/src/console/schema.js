// The server's own description of its methods (OpenRPC): what may be given where, and whether params are what it says.
import { Written } from '../json.js';

/** Alternatives beyond this many are the server's to judge: a record may be of any type. */
const ALTERNATIVES_MAX = 8;
const PROBLEMS_MAX = 20;
/** The connection's own affairs, which the page looks after. */
const OWN = new Set(['session.hello', 'unsubscribe']);

export class Methods {
  constructor(described) {
    this.document = described;
    this.byName = new Map(described.methods.filter(({ name }) => !OWN.has(name)).map((each) => [each.name, each]));
  }

  /** A method that only reads may be sent as often as one likes. */
  writes(name) {
    const method = this.byName.get(name);
    return Boolean(method) && method['x-role'] !== 'read';
  }

  /** The schema of a method's params as one object. */
  paramsOf(name) {
    const { params = [] } = this.byName.get(name) ?? {};
    return {
      type: 'object',
      properties: Object.fromEntries(
        params.map(({ name: each, description, schema }) => [each, { description, ...this.resolved(schema) }]),
      ),
      required: params.filter(({ required }) => required).map(({ name: each }) => each),
      additionalProperties: false,
    };
  }

  resolved(schema) {
    if (!schema?.$ref) return schema ?? {};
    const found = schema.$ref
      .replace(/^#\//, '')
      .split('/')
      .reduce((at, part) => at?.[part], this.document);
    return found ? { ...this.resolved(found), ...(schema.description ? { description: schema.description } : {}) } : {};
  }

  /** A schema and all that it may be instead. */
  alternatives(schema) {
    const own = this.resolved(schema);
    return [own, ...[...(own.oneOf ?? []), ...(own.anyOf ?? [])].flatMap((each) => this.alternatives(each))];
  }

  /** Every schema that may hold at a path of the params. */
  at(name, path, params = {}) {
    let schemas = [this.paramsOf(name)];
    path.forEach((part, depth) => {
      schemas = schemas
        .flatMap((schema) => this.alternatives(schema))
        .flatMap((schema) => {
          if (typeof part === 'number') return schema.items ? [schema.items] : [];
          if (schema.properties?.[part]) return [schema.properties[part]];
          return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
        });
      if (depth === 0 && part === 'where') schemas = schemas.map((schema) => this.withFields(schema, params.type));
    });
    return schemas.flatMap((schema) => this.alternatives(schema));
  }

  /** Conditions are by the fields of the type that is sought. */
  withFields(schema, type) {
    const record = this.document.components?.schemas?.[type];
    const fields = record?.properties ?? {};
    const described = Object.entries(fields).filter(([name]) => name !== '$type$');
    const condition = schema.additionalProperties ?? {};
    return {
      ...schema,
      properties: Object.fromEntries(
        described.map(([name, field]) => [name, { ...condition, description: this.resolved(field).description }]),
      ),
    };
  }

  /** What is wrong with params: `{path, message}`, the path as a list of members and indexes. */
  problems(name, params) {
    const found = [];
    this.check(params, this.paramsOf(name), [], found);
    return found.slice(0, PROBLEMS_MAX);
  }

  check(value, schema, path, found) {
    const own = this.resolved(schema);
    const say = (message, at = path) => found.push({ path: at, message });
    const choices = own.oneOf ?? own.anyOf;
    if (choices) {
      if (choices.length > ALTERNATIVES_MAX) return;
      // Of a text or a list, a list is judged as a list.
      const fits = (each) => [this.resolved(each).type ?? []].flat();
      const apt = choices.filter((each) => !fits(each).length || fits(each).some((type) => isOf(value, type)));
      const tries = (apt.length ? apt : choices).map((each) => {
        const own = [];
        this.check(value, each, path, own);
        return own;
      });
      if (tries.every((each) => each.length)) {
        // What got farthest into the value is what was meant.
        const deepest = (each) => Math.max(...each.map((problem) => problem.path.length));
        found.push(...tries.sort((a, b) => deepest(b) - deepest(a))[0]);
      }
      return;
    }
    const types = own.type ? [own.type].flat() : [];
    if (types.length && !types.some((type) => isOf(value, type))) {
      say(`must be ${types.map((type) => WORDS[type] ?? type).join(' or ')}`);
      return;
    }
    if (own.enum && !own.enum.includes(value))
      say(`must be one of ${own.enum.slice(0, 12).join(', ')}${own.enum.length > 12 ? ', …' : ''}`);
    if ('const' in own && own.const !== value) say(`must be ${JSON.stringify(own.const)}`);
    if (typeof value === 'number' || value instanceof Written) checkBounds(value, own.minimum, own.maximum, '', say);
    if (typeof value === 'string') checkBounds(value.length, own.minLength, own.maxLength, 'characters', say);
    if (Array.isArray(value)) {
      checkBounds(value.length, own.minItems, own.maxItems, 'items', say);
      if (own.items)
        value.forEach((each, i) => found.length < PROBLEMS_MAX && this.check(each, own.items, [...path, i], found));
    } else if (value && typeof value === 'object') this.checkMembers(value, own, path, found, say);
  }

  checkMembers(value, own, path, found, say) {
    // A cursor represents all that the first request had.
    const isContinued = path.length === 0 && 'cursor' in value;
    for (const name of own.required ?? []) if (!(name in value) && !isContinued) say(`lacks ${name}`);
    for (const [name, member] of Object.entries(value)) {
      const known = Object.hasOwn(own.properties ?? {}, name) ? own.properties[name] : null;
      if (known) this.check(member, known, [...path, name], found);
      else if (own.additionalProperties === false) say(`there is no ${name} here`, [...path, name]);
      else if (typeof own.additionalProperties === 'object')
        this.check(member, own.additionalProperties, [...path, name], found);
    }
  }
}

const WORDS = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function isOf(value, type) {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
  if (value instanceof Written) return type === 'number' || (type === 'integer' && Number.isInteger(Number(value)));
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function checkBounds(value, least, most, of, say) {
  const unit = of ? ` ${of}` : '';
  if (least !== undefined && value < least) say(`must be at least ${least}${unit}`);
  if (most !== undefined && value > most) say(`must be at most ${most}${unit}`);
}

/** The type of a schema in a few words. */
export function typeText(schema) {
  if (schema.enum) return schema.enum.slice(0, 6).join(' | ') + (schema.enum.length > 6 ? ' | …' : '');
  if ('const' in schema) return JSON.stringify(schema.const);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map(typeText))].slice(0, 4).join(' or ');
  if (schema.type === 'array') return `list${schema.items ? ` of ${typeText(schema.items)}` : ''}`;
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  return [schema.type ?? 'any'].flat().join(' or ');
}
