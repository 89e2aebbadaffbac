// Reads the lines of `proof_cases` from standard input and prints what verify.mjs says of each: reports, or of signatures
// 1 or 0.
import {readFileSync} from "node:fs"
import {isSignature, verify, verifyConsistency, verifyProof} from "../../tools/verify/verify.mjs"

const bytes = (hex) => (hex === "-" ? new Uint8Array() : Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16)))

function text(base64) {
  try {
    return new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(Buffer.from(base64, "base64"))
  } catch {
    return null
  }
}

function report(line) {
  const each = JSON.parse(line)
  if (each.proof !== undefined) return verifyProof(each.proof, each.line, each.keys)
  if (each.older !== undefined) return verifyConsistency(each.checkpoint, each.older, each.hashes, each.keys)
  const bundle = text(each.bundle)
  return bundle === null ? {verified: false, failures: [{path: "", rule: "json"}]} : verify(bundle, each.keys)
}

for (const line of readFileSync(0, "utf8").split("\n")) {
  const words = line.split(" ")
  if (process.argv[2] === "ed25519") console.log(Number(isSignature(bytes(words[0]), bytes(words[1]), bytes(words[2]))))
  else console.log(JSON.stringify(report(line)))
}
