// Checks what a Whence log proves: one module without imports, for browsers (from file:// too, where WebCrypto is absent)
// and node. README.md beside this file has the format; whence-verify does the same in Python.
//
//   verify(bundle, vkeys)                          of the text of a bundle
//   verifyProof(proof, line, vkeys)                of a tlog-proof (c2sp.org/tlog-proof@v1) of one line
//   verifyConsistency(checkpoint, older, hashes, vkeys)   that a checkpoint's tree begins with an older one's
//
// All are given texts and the texts of the verifier keys that the reader trusts, and return {verified: true, ...found} or
// {verified: false, failures: [{path, rule}]}. A verifier key that is none is a TypeError.

const BYTES_MAX = 64 * 2 ** 20, EVENTS_MAX = 100_000, MARKS_MAX = 8_000_000, REFS_MAX = 100, DEPTH_MAX = 64
const NOTE_BYTES_MAX = 2 ** 20, SIGNATURES_MAX = 100, HASHES_MAX = 64, KEY_CHANGES_MAX = 100
const NOT_PROVED = [
  "that nothing was left out when it was recorded: the log proves what it was given, not what happened",
  "that every event about these records is in this file: events can be left out of it, and contents withheld",
  "that nothing was changed or deleted after the checkpoint",
  "that others were shown the same log: compare checkpoints, or have witnesses sign them",
]
const KEY_NAME = /^[^\x00-\x20+\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u

/** A place (JSON Pointer) and the rule of README.md that is broken there. */
class Refused extends Error {
  constructor(path, rule) {
    super(`${path} ${rule}`)
    this.failure = {path, rule}
  }
}

function need(isFine, path, rule) {
  if (!isFine) throw new Refused(path, rule)
}

// ---- SHA-2 (FIPS 180-4). The constants are the first bits of the fractions of square and cube roots of primes.

function root(number, power) {  // the whole part of a root of a BigInt, by bisection
  let low = 0n, high = 1n << BigInt(Math.ceil(number.toString(2).length / Number(power)) + 1)
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** power <= number) low = middle
    else high = middle
  }
  return low
}

const MASK64 = 2n ** 64n - 1n
const PRIMES = []
for (let n = 2; PRIMES.length < 80; ++n) if (PRIMES.every((p) => n % p)) PRIMES.push(n)
const CUBES = PRIMES.map((p) => root(BigInt(p) << 192n, 3n) & MASK64)
const SQUARES = PRIMES.slice(0, 8).map((p) => root(BigInt(p) << 128n, 2n) & MASK64)
const CUBES32 = Int32Array.from(CUBES.slice(0, 64), (n) => Number(n >> 32n))
const SQUARES32 = Int32Array.from(SQUARES, (n) => Number(n >> 32n))

/** The message with the mark, zeros and its length in bits, in blocks of `block` bytes. */
function padded(bytes, block) {
  const tail = block / 8
  const all = new Uint8Array(Math.ceil((bytes.length + 1 + tail) / block) * block)
  all.set(bytes)
  all[bytes.length] = 0x80
  new DataView(all.buffer).setBigUint64(all.length - 8, BigInt(bytes.length) * 8n)
  return new DataView(all.buffer)
}

function sha256(...parts) {
  const view = padded(joined(parts), 64)
  const state = Int32Array.from(SQUARES32), w = new Int32Array(64)
  const turn = (x, n) => (x >>> n) | (x << (32 - n))
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; ++i) w[i] = view.getInt32(at + 4 * i)
    for (let i = 16; i < 64; ++i) {
      const x = w[i - 15], y = w[i - 2]
      w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10))
    }
    let [a, b, c, d, e, f, g, h] = state
    for (let i = 0; i < 64; ++i) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + CUBES32[i] + w[i]) | 0
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g, g = f, f = e, e = (d + one) | 0, d = c, c = b, b = a, a = (one + two) | 0
    }
    const after = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; ++i) state[i] += after[i]
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, i) => digest.setInt32(4 * i, word))
  return new Uint8Array(digest.buffer)
}

function sha512(...parts) {
  const view = padded(joined(parts), 128)
  const state = [...SQUARES], w = []
  const turn = (x, n) => (x >> n) | ((x << (64n - n)) & MASK64)
  for (let at = 0; at < view.byteLength; at += 128) {
    for (let i = 0; i < 16; ++i) w[i] = view.getBigUint64(at + 8 * i)
    for (let i = 16; i < 80; ++i) {
      const x = w[i - 15], y = w[i - 2]
      w[i] = (w[i - 16] + w[i - 7] + (turn(x, 1n) ^ turn(x, 8n) ^ (x >> 7n)) + (turn(y, 19n) ^ turn(y, 61n) ^ (y >> 6n))) & MASK64
    }
    let [a, b, c, d, e, f, g, h] = state
    for (let i = 0; i < 80; ++i) {
      const one = h + (turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n)) + ((e & f) ^ (~e & MASK64 & g)) + CUBES[i] + w[i]
      const two = (turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g, g = f, f = e, e = (d + one) & MASK64, d = c, c = b, b = a, a = (one + two) & MASK64
    }
    const after = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; ++i) state[i] = (state[i] + after[i]) & MASK64
  }
  const digest = new DataView(new ArrayBuffer(64))
  state.forEach((word, i) => digest.setBigUint64(8 * i, word))
  return new Uint8Array(digest.buffer)
}

// ---- Ed25519 (RFC 8032), verifying only. A point is [X, Y, Z, T]: x = X/Z, y = Y/Z, xy = T/Z.

const P = 2n ** 255n - 19n, L = 2n ** 252n + 27742317777372353535851937790883648493n
const modulo = (n) => ((n % P) + P) % P
const D = modulo(-121665n * power(121666n, P - 2n))

function power(base, exponent) {
  let result = 1n
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = modulo(result * base)
    base = modulo(base * base)
  }
  return result
}

function added(p, q) {
  const a = modulo((p[1] - p[0]) * (q[1] - q[0])), b = modulo((p[1] + p[0]) * (q[1] + q[0]))
  const c = modulo(2n * p[3] * q[3] * D), d = modulo(2n * p[2] * q[2])
  const e = b - a, f = d - c, g = d + c, h = b + a
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)]
}

function multiplied(number, point) {
  let result = [0n, 1n, 1n, 0n]
  for (; number > 0n; number >>= 1n) {
    if (number & 1n) result = added(result, point)
    point = added(point, point)
  }
  return result
}

/** The number that bytes are, the lowest first. */
function numberOf(bytes) {
  return BigInt("0x" + hex(Uint8Array.from(bytes).reverse()))
}

/** The point of 32 bytes; null for bytes that are none, or that are not how it is written. */
function pointOf(bytes) {
  const number = numberOf(bytes), sign = number >> 255n, y = number & (2n ** 255n - 1n)
  const square = modulo((y * y - 1n) * power(modulo(D * y * y + 1n), P - 2n))
  let x = power(square, (P + 3n) / 8n)
  if (modulo(x * x) !== square) x = modulo(x * power(2n, (P - 1n) / 4n))
  if (y >= P || modulo(x * x) !== square || (x === 0n && sign)) return null
  if ((x & 1n) !== sign) x = P - x
  return [x, y, 1n, modulo(x * y)]
}

function bytesOf(number) {
  return Uint8Array.from(number.toString(16).padStart(64, "0").match(/../g), (pair) => parseInt(pair, 16)).reverse()
}

const BASE = pointOf(bytesOf(modulo(4n * power(5n, P - 2n))))

/** Strict: S below L, key and R in their one form, no cofactor. */
export function isSignature(key, message, signature) {
  const point = pointOf(key)
  if (point === null || signature.length !== 64) return false
  const s = numberOf(signature.subarray(32))
  if (s >= L) return false
  const k = numberOf(sha512(signature.subarray(0, 32), key, message)) % L
  const [x, y, z] = added(multiplied(s, BASE), multiplied(k, [P - point[0], point[1], point[2], P - point[3]]))
  const inverse = power(z, P - 2n)
  const written = bytesOf(modulo(y * inverse) | ((modulo(x * inverse) & 1n) << 255n))
  return equal(written, signature.subarray(0, 32))
}

// ---- Bytes and texts.

function joined(parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) all.set(part, at), (at += part.length)
  return all
}

function equal(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

const utf8 = (text) => new TextEncoder().encode(text)

/** The bytes that have this one text; null for other values. */
function fromBase64(text, size = null) {
  let raw = null
  try {
    if (typeof text === "string") raw = atob(text)  // takes other spellings, too
  } catch {}
  if (raw === null || btoa(raw) !== text || (size !== null && raw.length !== size)) return null
  return Uint8Array.from(raw, (c) => c.charCodeAt(0))
}

const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes))
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0
const isObject = (value) => value instanceof Map
const hasTexts = (value, ...names) => isObject(value) && names.every((name) => typeof value.get(name) === "string")

/** By code points, as UTF-8 and Python sort. */
function compare(a, b) {
  const [x, y] = [utf8(a), utf8(b)]
  const at = x.findIndex((byte, i) => byte !== y[i])
  return at < 0 ? x.length - y.length : at >= y.length ? 1 : x[at] - y[at]
}

const counted = (refs) => ({count: refs.length, refs: refs.sort(compare).slice(0, REFS_MAX)})

/** A fraction or an exponent: never a whole number here, whatever it is worth. */
class Decimal {}

/**
 * The value of a JSON text: objects are Maps, so that no member name is special. Refuses what JSON.parse lets pass and
 * others do not: repeated members, half surrogates, numbers beyond doubles, more than 64 levels.
 */
class JsonReader {
  constructor(text) {
    this.text = text
    this.at = 0
  }

  static read(text, path, rule) {
    let marks = 0
    for (const c of [",", "[", "{"]) for (let at = text.indexOf(c); at >= 0; at = text.indexOf(c, at + 1)) ++marks
    need(marks <= MARKS_MAX && !/\p{Surrogate}/u.test(text), path, rule)
    const reader = new JsonReader(text)
    try {
      const value = reader.value(0)
      reader.space()
      need(reader.at === text.length, path, rule)
      return value
    } catch (wrong) {
      if (wrong instanceof SyntaxError) throw new Refused(path, rule)
      throw wrong
    }
  }

  match(pattern) {  // sticky patterns only
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found === null) throw new SyntaxError("JSON")
    this.at = pattern.lastIndex
    return found[0]
  }

  space() {
    this.match(/[ \t\n\r]*/y)
  }

  value(depth) {
    this.space()
    const c = this.text[this.at]
    if (c === '"') return this.string()
    if (c === "{" || c === "[") {
      if (depth === DEPTH_MAX) throw new SyntaxError("depth")
      return c === "{" ? this.object(depth + 1) : this.array(depth + 1)
    }
    if (c === "-" || (c >= "0" && c <= "9")) return this.number()
    return {true: true, false: false, null: null}[this.match(/true|false|null/y)]
  }

  number() {
    const digits = this.match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y)
    if (!Number.isFinite(Number(digits))) throw new SyntaxError("number")
    return /^-?[0-9]{1,16}$/.test(digits) ? Number(digits) : new Decimal()
  }

  string() {
    if (this.text[this.at] !== '"') throw new SyntaxError("text")
    let end = this.at + 1  // found by hand: an expression would keep a way back for each character
    for (; end < this.text.length && this.text[end] !== '"'; ++end) if (this.text[end] === "\\") ++end
    const text = JSON.parse(this.text.slice(this.at, end + 1))
    this.at = end + 1
    if (/\p{Surrogate}/u.test(text)) throw new SyntaxError("surrogate")
    return text
  }

  array(depth) {
    const items = []
    this.match(/\[[ \t\n\r]*/y)
    if (this.text[this.at] === "]") return ++this.at, items
    for (;;) {
      items.push(this.value(depth))
      if (this.match(/[ \t\n\r]*[,\]]/y).endsWith("]")) return items
    }
  }

  object(depth) {
    const members = new Map()
    this.match(/\{[ \t\n\r]*/y)
    if (this.text[this.at] === "}") return ++this.at, members
    for (;;) {
      this.space()
      const name = this.string()
      if (members.has(name)) throw new SyntaxError("repeated member")
      this.match(/[ \t\n\r]*:/y)
      members.set(name, this.value(depth))
      if (this.match(/[ \t\n\r]*[,}]/y).endsWith("}")) return members
    }
  }
}

// ---- The Merkle tree (RFC 9162, section 2.1). Numbers are below 2^53: bits are taken by division.

/** SHA-256 of a text in hex, as records name a long text. */
export const sha256Hex = (text) => hex(sha256(utf8(text)))

const leafHash = (line) => sha256([0], utf8(line))
const nodeHash = (left, right) => sha256([1], left, right)
const half = (n) => Math.floor(n / 2)

/** What `proof` makes of a node's hashes up to the root, `last` being the last node at its level; the first of two is an older tree's. */
function climbed(index, last, hashes, proof) {
  for (const other of proof) {
    if (last === 0) return null
    if (index % 2 === 1 || index === last) {
      hashes = hashes.map((each) => nodeHash(other, each))
      while (index > 0 && index % 2 === 0) (index = half(index)), (last = half(last))
    } else {
      hashes = [...hashes.slice(0, -1), nodeHash(hashes.at(-1), other)]
    }
    (index = half(index)), (last = half(last))
  }
  return last === 0 ? hashes : null
}

function leadsTo(index, tree, leaf, proof) {
  if (index >= tree.size) return false
  const hashes = climbed(index, tree.size - 1, [leaf], proof)
  return hashes !== null && equal(hashes[0], tree.root)
}

function beginsWith(old, tree, proof) {
  if (!(old.size > 0 && old.size < tree.size)) return old.size > 0 && old.size === tree.size && equal(old.root, tree.root) && proof.length === 0
  let index = old.size - 1, last = tree.size - 1
  while (index % 2 === 1) (index = half(index)), (last = half(last))
  if (index > 0 && proof.length === 0) return false
  const start = index === 0 ? old.root : proof[0]  // no bit is left where the old tree is perfect
  const hashes = climbed(index, last, [start, start], index === 0 ? proof : proof.slice(1))
  return hashes !== null && equal(hashes[0], old.root) && equal(hashes[1], tree.root)
}

// ---- Signed notes and checkpoints.

/** A verifier key. Its first byte is its type, Ed25519. */
function keyOf(text) {
  const [name, digits = "", ...rest] = String(text).split("+")
  const body = fromBase64(rest.join("+"), 33)
  if (!KEY_NAME.test(name) || body === null || body[0] !== 1 || digits !== hex(sha256(utf8(name + "\n"), body).subarray(0, 4))) {
    throw new TypeError("a verifier key is NAME+8 hex digits+base64")
  }
  return {text, name, id: digits, bytes: body.subarray(1)}
}

/** The tree, the origin and the texts of the keys that signed. */
function checkpointOf(note, keys, path) {
  const end = note.lastIndexOf("\n\n") + 1
  const text = note.slice(0, end), lines = note.slice(end + 1).split("\n")
  need(end > 0 && lines.pop() === "" && utf8(note).length <= NOTE_BYTES_MAX && !/[\x00-\x09\x0b-\x1f]/.test(note), path, "checkpoint")
  need(lines.length > 0 && lines.length <= SIGNATURES_MAX, path, "checkpoint")
  const signatures = lines.map((line) => {
    const [dash, name = "", body, ...more] = line.split(" ")
    const data = fromBase64(body)
    need(dash === "\u2014" && more.length === 0 && data !== null && data.length > 4 && KEY_NAME.test(name), path, "checkpoint")
    return {name, id: hex(data.subarray(0, 4)), bytes: data.subarray(4)}
  })
  const signers = new Set()
  for (const signature of signatures) {
    const key = keys.find((each) => each.name === signature.name && each.id === signature.id)
    if (key === undefined) continue
    need(isSignature(key.bytes, utf8(text), signature.bytes), path, "signature")
    signers.add(key)
  }
  need(signers.size > 0, path, "signature")
  const [origin, size = "", rootText] = text.split("\n")
  const rootBytes = fromBase64(rootText, 32)
  need(origin !== "" && !text.includes("\n\n") && rootBytes !== null && /^(?:0|[1-9][0-9]{0,15})$/.test(size) && isWhole(Number(size)), path, "checkpoint")
  need([...signers].some((key) => key.name === origin), path, "signature")
  return {tree: {size: Number(size), root: rootBytes}, origin, signers: [...new Set(Array.from(signers, (key) => key.text))]}
}

// ---- Bundles.

function hashesOf(values, path) {
  need(Array.isArray(values) && values.length <= HASHES_MAX, path, "type")
  return values.map((each) => {
    const hash = fromBase64(each, 32)
    need(hash !== null, path, "type")
    return hash
  })
}

/** The event that a leaf is. */
function lineOf(text, path) {
  need(!/[\x00-\x1f]/.test(text), path, "line")
  const line = JsonReader.read(text, path, "line")
  need(hasTexts(line, "ref", "op", "at") && isWhole(line.get("tx")) && isWhole(line.has("put") ? line.get("put") : 0), path, "line")
  need(!line.has("commitment") || (hasTexts(line, "commitment") && /^[0-9a-f]{64}$/.test(line.get("commitment"))), path, "line")
  if (!line.has("edges")) line.set("edges", [])
  const edges = line.get("edges")
  need(Array.isArray(edges) && edges.every((edge) => hasTexts(edge, "from", "to", "type")), path, "line")
  return line
}

/** Whether a record is of the type of a ref, which alone has its id. */
function checkIdentity(ref, text, path) {
  const record = JsonReader.read(text, path, "identity")
  need(hasTexts(record, "$type$") && ref.startsWith(record.get("$type$") + ":"), path, "identity")
}

/** A member that is not checked must not look as if it were. */
function checkMembers(value, path, known) {
  need([...value.keys()].every((name) => known.includes(name)), path, "unknown")
}

/** The line of an event of a bundle, whose index is above `last`. */
function checkEvent(event, path, last, tree) {
  need(isObject(event), path, "type")
  checkMembers(event, path, ["index", "line", "proof", "salt", "record"])
  const index = event.get("index"), text = event.get("line"), record = event.get("record")
  need(isWhole(index), path + "/index", "type")
  need(hasTexts(event, "line"), path + "/line", "type")
  const proof = hashesOf(event.get("proof"), path + "/proof")
  const salt = fromBase64(event.get("salt"), 32)
  need(!event.has("salt") || salt !== null, path + "/salt", "type")
  need(!event.has("record") || hasTexts(event, "record"), path + "/record", "type")
  need(index > last, path + "/index", "order")
  need(leadsTo(index, tree, leafHash(text), proof), path + "/proof", "inclusion")
  const line = lineOf(text, path + "/line")
  need(event.has("salt") === event.has("record") && (!event.has("salt") || line.has("commitment")), path, "commitment")
  if (event.has("record")) {
    need(hex(sha256(salt, utf8(record))) === line.get("commitment"), path + "/record", "commitment")
    checkIdentity(line.get("ref"), record, path + "/record")
  }
  return line
}

/** The keys given, and those to which they hand over in records of these events: by a checkpoint with the further line `key VKEY`. */
function followed(events, keys) {
  const texts = events.filter((event) => isObject(event) && hasTexts(event, "record") && event.get("record").includes('"key:change"'))
  for (const event of texts.slice(0, KEY_CHANGES_MAX)) {
    try {
      const attributes = JsonReader.read(event.get("record"), "", "").get("attributes")
      if (!isObject(attributes) || !hasTexts(attributes, "key:change")) continue
      const note = attributes.get("key:change"), {origin} = checkpointOf(note, keys, "")
      const key = keyOf(/^(?:[^\n]*\n){3}key ([^\n]*)\n\n/.exec(note)?.[1])
      if (key.name === origin) keys = [...keys, key]
    } catch (wrong) {
      if (!(wrong instanceof Refused || wrong instanceof TypeError)) throw wrong
    }
  }
  return keys
}

/** The tree before an erasure, and the hashes that show that the checkpoint's begins with it. */
function treeBefore(bundle) {
  const before = bundle.get("before")
  const root = isObject(before) ? fromBase64(before.get("root"), 32) : null
  need(root !== null && before.size === 2 && isWhole(before.get("size")), "/before", "type")
  return {tree: {size: before.get("size"), root}, hashes: hashesOf(bundle.get("extension"), "/extension")}
}

/** What the event that a certificate is about erased: all that lies between it and the tree before. */
function erasureReport(before, tree, about, events, lines) {
  need(beginsWith(before.tree, tree, before.hashes), "/extension", "extension")
  const at = lines.findIndex((line) => line.get("ref") === about && line.get("op") === "put"), purges = lines[at]?.get("purges")
  need(isWhole(purges) && before.tree.size + purges === events[at].get("index"), "/about", "erasure")
  return {erased: purges, erasure: events[at].get("record") ?? null}
}

function bundleReport(text, keys) {
  need(text.length <= BYTES_MAX && utf8(text).length <= BYTES_MAX, "", "size")
  const bundle = JsonReader.read(text, "", "json")
  need(isObject(bundle), "", "type")
  const isErasure = bundle.get("format") === "whence-erasure-1"
  need(isErasure || bundle.get("format") === "whence-proof-1", "/format", "format")
  checkMembers(bundle, "", ["format", "about", "checkpoint", "events", ...(isErasure ? ["before", "extension"] : [])])
  for (const name of ["about", "checkpoint"]) need(hasTexts(bundle, name), "/" + name, "type")
  const events = bundle.get("events"), about = bundle.get("about")
  need(Array.isArray(events), "/events", "type")
  need(events.length > 0 && events.length <= EVENTS_MAX, "/events", "count")
  const before = isErasure ? treeBefore(bundle) : null
  const {tree, origin, signers} = checkpointOf(bundle.get("checkpoint"), followed(events, keys), "/checkpoint")
  let last = -1
  const lines = events.map((event, i) => {
    const line = checkEvent(event, `/events/${i}`, last, tree)
    last = event.get("index")
    return line
  })
  need(lines.some((line) => line.get("ref") === about && ["put", "version"].includes(line.get("op"))), "/about", "about")
  const erased = isErasure ? erasureReport(before, tree, about, events, lines) : {}
  const ops = new Map(), ends = new Set()
  const written = new Map(lines.filter((line) => ["put", "version"].includes(line.get("op"))).map((line) => [line.get("ref"), line.get("tx")]))
  const isOfEarlierLife = (line) => line.has("put") && line.get("put") < (written.get(line.get("ref")) ?? 0)
  for (const line of lines) {
    if (["put", "version", "delete", "expire"].includes(line.get("op")) && !isOfEarlierLife(line)) ops.set(line.get("ref"), line.get("op"))
    for (const edge of line.get("edges")) ends.add(edge.get("from")).add(edge.get("to"))
  }
  const refs = new Set(lines.map((line) => line.get("ref")))
  const shown = events.filter((event) => event.has("record")).length
  return {
    about, origin, size: tree.size, root: toBase64(tree.root), keys: signers, newest_at: lines.at(-1).get("at"), events: lines.length,
    records: shown, withheld: lines.filter((line) => line.has("commitment")).length - shown,
    edges: lines.reduce((sum, line) => sum + line.get("edges").length, 0),
    ended: counted([...ops.keys()].filter((ref) => ["delete", "expire"].includes(ops.get(ref)))),
    without_event: counted([...ends].filter((ref) => !refs.has(ref))), ...erased, not_proved: NOT_PROVED,
  }
}

function proofReport(text, leaf, keys) {
  const found = /^c2sp\.org\/tlog-proof@v1\n(?:extra ([^\n]*)\n)?index (0|[1-9][0-9]{0,15})\n((?:[^\n]+\n)*)\n([^]*)$/.exec(text)
  need(found !== null && fromBase64(found[1] ?? "") !== null, "", "format")
  const hashes = hashesOf(found[3].split("\n").slice(0, -1), "/proof"), index = Number(found[2])
  const {tree, origin, signers} = checkpointOf(found[4], keys, "/checkpoint")
  need(leadsTo(index, tree, leafHash(leaf.replace(/\n$/, "")), hashes), "/proof", "inclusion")
  return {origin, size: tree.size, index, keys: signers, not_proved: NOT_PROVED.filter((_, i) => i !== 1)}
}

function consistencyReport(note, older, proof, keys) {
  const now = checkpointOf(note, keys, "/checkpoint"), old = checkpointOf(older, keys, "/older")
  const hashes = hashesOf(proof === "" ? [] : proof.replace(/\n$/, "").split("\n"), "/proof")
  need(now.origin === old.origin && beginsWith(old.tree, now.tree, hashes), "/proof", "consistency")
  return {origin: now.origin, from: old.tree.size, to: now.tree.size, keys: now.signers}
}

function reported(found) {
  try {
    return {verified: true, ...found()}
  } catch (wrong) {
    if (!(wrong instanceof Refused)) throw wrong
    return {verified: false, failures: [wrong.failure]}
  }
}

export function verify(bundle, vkeys) {
  const keys = vkeys.map(keyOf)
  return reported(() => bundleReport(bundle, keys))
}

export function verifyProof(proof, line, vkeys) {
  const keys = vkeys.map(keyOf)
  return reported(() => proofReport(proof, line, keys))
}

export function verifyConsistency(checkpoint, older, hashes, vkeys) {
  const keys = vkeys.map(keyOf)
  return reported(() => consistencyReport(checkpoint, older, hashes, keys))
}
