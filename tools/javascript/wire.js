// Values of JavaScript as JSON. What JSON lacks is refused with its place: `JSON.stringify` writes null or {} for it.
import { TIMES } from './methods.js';

const tag = (value) => Object.prototype.toString.call(value).slice(8, -1); // also of another realm's
const isPlain = (value) => {
  const made = Object.getPrototypeOf(value);
  return made === null || Object.getPrototypeOf(made) === null;
};
const isNumbers = (value) => ArrayBuffer.isView(value) && /^(Float|Int|Uint|Big)/.test(tag(value)) && tag(value) !== 'Uint8Array';

/** Why a value cannot be written, and the way to it, from the inside out. */
class Fault {
  constructor(reason) {
    this.reason = reason;
    this.way = [];
  }
}

const INTEGERS_END = 2 ** 63;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/;

const step = (name) => (typeof name === 'number' ? `[${name}]` : /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

/** `value` as JSON text. A Date is its time in UTC, a BigInt an integer, a Map of texts an object, an array of numbers a list; members that are
 * undefined are left out. Throws a TypeError that names the place of anything else, such as `params.where.timestamp.lt: not a valid date`. */
export function textOf(value, name = 'params') {
  try {
    return written(value, new Set());
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    throw new TypeError(`${name}${fault.way.reverse().map(step).join('')}: ${fault.reason}`);
  }
}

/** `around`: the objects that `value` is in. */
function written(value, around) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new Fault(`${value} is no number of JSON`);
      // Digits alone are an integer, which has 64 bits; from there on a number is written as the binary64 that it is.
      return Math.abs(value) < INTEGERS_END ? JSON.stringify(value) : value.toExponential();
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value) throw new Fault(`${value} has more than 64 bits`);
      return String(value);
    case 'object':
      return value === null ? 'null' : objectOf(value, around);
    default:
      throw new Fault(`${value === undefined ? 'undefined' : `a ${typeof value}`} is no value of JSON`);
  }
}

function objectOf(value, around) {
  const kind = tag(value);
  if (kind === 'Date') {
    if (Number.isNaN(value.getTime())) throw new Fault('not a valid date');
    return JSON.stringify(value.toISOString());
  }
  if (around.has(value)) throw new Fault('an object that is within itself');
  around.add(value);
  try {
    if (Array.isArray(value) || isNumbers(value)) return `[${Array.from(value, (each, index) => inner(index, each, around)).join(',')}]`;
    if (kind === 'Map') {
      if ([...value.keys()].some((name) => typeof name !== 'string')) throw new Fault('a Map is an object where its keys are texts');
      return membersOf(value.entries(), around);
    }
    if (kind === 'Number' || kind === 'String' || kind === 'Boolean') return written(value.valueOf(), around);
    if (typeof value.toJSON === 'function' && !ArrayBuffer.isView(value)) {
      const made = value.toJSON();
      if (made === null || made === undefined) throw new Fault(`${named(value)} that has no value`);
      return written(made, around);
    }
    if (!isPlain(value)) throw new Fault(`${named(value)} is no value of JSON; give ${kind === 'Set' ? 'a list' : 'a plain object'}`);
    return membersOf(Object.entries(value), around);
  } finally {
    around.delete(value);
  }
}

const named = (value) => `an object of class ${value.constructor?.name || tag(value)}`;

function membersOf(entries, around) {
  const members = [];
  for (const [name, each] of entries) if (each !== undefined) members.push(`${JSON.stringify(name)}:${inner(name, each, around)}`);
  return `{${members.join(',')}}`;
}

function inner(name, value, around) {
  try {
    return written(value, around);
  } catch (fault) {
    if (fault instanceof Fault) fault.way.push(name);
    throw fault;
  }
}

/** Params, or options, as a plain object of their own. `{...value}` of a Map, a number or a promise has no member, so that nothing would be asked for. */
export function membersGiven(value, name = 'params') {
  if (value === undefined || value === null) return {};
  if (tag(value) === 'Map' && [...value.keys()].every((each) => typeof each === 'string')) return Object.fromEntries(value);
  if (typeof value !== 'object' || Array.isArray(value) || !isPlain(value)) throw new TypeError(`${name}: a plain object is meant, not ${said(value)}`);
  return { ...value };
}

/** What an error says of a value. */
export const said = (value) => (typeof value === 'object' ? named(value) : typeof value === 'function' ? 'a function' : typeof value === 'string' ? JSON.stringify(value) : String(value));

/** The params of a method, with their dates as milliseconds where the protocol has those. The params of a query stay as they are. */
export function timed(method, params) {
  return atPlaces(TIMES[method], params);
}

/** A record, with its dates as milliseconds where its type has those. */
export function timedRecord(record) {
  const type = member(record, '$type$');
  return typeof type === 'string' ? atPlaces(TIMES[type], record) : record;
}

// What is done at a place of `TIMES`, by its kind.
const CHANGES = {
  ms: inMilliseconds,
  record: timedRecord,
  /** An object with conditions on the fields of one record type. */
  where(value) {
    const where = member(value, 'where');
    const types = member(value, 'types');
    const type = member(value, 'type') ?? (Array.isArray(types) && types.length === 1 ? types[0] : undefined);
    const fields = Object.entries((typeof type === 'string' && TIMES[type]) || {}).filter(([, kind]) => kind === 'ms');
    return fields.reduce((changed, [name]) => changedAt(changed, ['where', name], inMilliseconds), value);
  },
  /** An object that names a method and its params. */
  call: (value) => changedAt(value, ['params'], (params) => timed(member(value, 'method'), params)),
};

function atPlaces(places, value) {
  return Object.entries(places ?? {}).reduce((changed, [place, kind]) => changedAt(changed, place ? place.split('/') : [], CHANGES[kind]), value);
}

/** The member of a plain object or a Map. */
function member(value, name) {
  if (value === null || typeof value !== 'object') return undefined;
  if (tag(value) === 'Map') return value.get(name);
  return isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** `value` with `change` made at `path`; where that changes nothing, `value` itself. */
function changedAt(value, [name, ...rest], change) {
  if (name === undefined) return change(value);
  if (name === '*') return Array.isArray(value) ? value.map((each) => changedAt(each, rest, change)) : value;
  const before = member(value, name);
  if (before === undefined) return value;
  const after = changedAt(before, rest, change);
  if (after === before) return value;
  return tag(value) === 'Map' ? new Map([...value, [name, after]]) : { ...value, [name]: after };
}

/** A date, or the dates in a condition. One that is not valid stays for `textOf`, which refuses it. */
function inMilliseconds(value) {
  if (value === null || typeof value !== 'object') return value;
  if (tag(value) === 'Date') return Number.isNaN(value.getTime()) ? value : value.getTime();
  const text = typeof value.toJSON === 'function' ? value.toJSON() : undefined; // of times of other libraries
  if (MOMENT.test(text)) return Math.floor(Date.parse(text));
  if (Array.isArray(value)) return value.map(inMilliseconds);
  if (tag(value) === 'Map') return new Map([...value].map(([name, each]) => [name, inMilliseconds(each)]));
  return text === undefined && isPlain(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inMilliseconds(each)])) : value;
}
