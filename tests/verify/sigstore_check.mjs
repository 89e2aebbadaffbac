// Gives the true bundles of `proof_cases` on standard input to @sigstore/verify: it must find the same checkpoint and every
// event in its tree, and neither once the size or the line is another.
import assert from "node:assert"
import {createPublicKey} from "node:crypto"
import {readFileSync} from "node:fs"
import {createRequire} from "node:module"
import {dirname, join} from "node:path"

const require = createRequire(import.meta.url)
const inside = join(dirname(require.resolve("@sigstore/verify")), "tlog")  // the package shows only what is around them
const {verifyCheckpoint} = require(join(inside, "checkpoint.js"))
const {verifyMerkleInclusion} = require(join(inside, "merkle.js"))
const SPKI = Buffer.from("302a300506032b6570032100", "hex")  // of an Ed25519 key, whose 32 bytes follow

function logOf(vkey) {
  const [name, id, ...rest] = vkey.split("+")
  const key = Buffer.concat([SPKI, Buffer.from(rest.join("+"), "base64").subarray(1)])
  return {logID: Buffer.from(id, "hex"), baseURL: name, publicKey: createPublicKey({key, format: "der", type: "spki"})}
}

let events = 0
for (const line of readFileSync(0, "utf8").split("\n").slice(0, -1)) {
  const {case: kind, bundle, report} = JSON.parse(line)
  if (kind !== "true") continue
  const logs = report.keys.map(logOf)  // a bundle may hand over from a key that is given to later ones
  const parts = JSON.parse(Buffer.from(bundle, "base64"))
  const read = (envelope) => verifyCheckpoint({inclusionProof: {checkpoint: {envelope}}}, logs)
  const checkpoint = read(parts.checkpoint)
  assert.deepEqual([checkpoint.origin, Number(checkpoint.logSize), checkpoint.logHash.toString("base64")], [report.origin, report.size, report.root])
  assert.throws(() => read(parts.checkpoint.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`)), /invalid checkpoint signature/)
  for (const event of parts.events) {
    const entry = (text) => ({
      canonicalizedBody: Buffer.from(text),
      inclusionProof: {logIndex: String(event.index), hashes: event.proof.map((hash) => Buffer.from(hash, "base64"))},
    })
    verifyMerkleInclusion(entry(event.line), checkpoint)
    assert.throws(() => verifyMerkleInclusion(entry(event.line + " "), checkpoint), /does not match/)
    ++events
  }
}
assert.ok(events > 100)
console.log(`${events} events`)
