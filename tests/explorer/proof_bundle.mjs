// A log of events with its tree, a checkpoint signed by a new key, and bundles of some of its events: what a server proves, made from
// RFC 6962 and the C2SP texts, so that a case can be given a proof.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
const leafHash = (line) => sha256([0], line);
const nodeHash = (left, right) => sha256([1], left, right);

/** The largest power of two below `count`. */
const split = (count) => 2 ** Math.floor(Math.log2(count - 1));

function root(leaves) {
  if (leaves.length === 1) return leaves[0];
  const at = split(leaves.length);
  return nodeHash(root(leaves.slice(0, at)), root(leaves.slice(at)));
}

function inclusion(index, leaves) {
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  return index < at
    ? [...inclusion(index, leaves.slice(0, at)), root(leaves.slice(at))]
    : [...inclusion(index - at, leaves.slice(at)), root(leaves.slice(0, at))];
}

/**
 * @param {object[]} history events as `jsonl` has them
 * @returns {{key: string, bundleOf(about: string, isIn?: (event: object) => boolean): string}}
 */
export function logOf(history, origin = 'whence/case') {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const body = Buffer.concat([Buffer.from([1]), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const id = sha256(`${origin}\n`, body).subarray(0, 4);
  const entries = history.map(({ record, ...event }) => {
    if (!record) return { event, line: JSON.stringify(event) };
    const [salt, text] = [randomBytes(32), JSON.stringify(record)];
    return { event, salt, record: text, line: JSON.stringify({ ...event, commitment: sha256(salt, text).toString('hex') }) };
  });
  const leaves = entries.map(({ line }) => leafHash(line));
  const note = `${origin}\n${leaves.length}\n${root(leaves).toString('base64')}\n`;
  const signature = Buffer.concat([id, sign(null, Buffer.from(note), privateKey)]).toString('base64');
  return {
    key: `${origin}+${id.toString('hex')}+${body.toString('base64')}`,
    bundleOf: (about, isIn = () => true) =>
      JSON.stringify({
        format: 'whence-proof-1',
        about,
        checkpoint: `${note}\n\u2014 ${origin} ${signature}\n`,
        events: entries
          .map(({ event, line, salt, record }, index) => ({ event, index, line, salt, record }))
          .filter(({ event }) => isIn(event))
          .map(({ index, line, salt, record }) => ({
            index,
            line,
            proof: inclusion(index, leaves).map((hash) => hash.toString('base64')),
            ...(record && { salt: salt.toString('base64'), record }),
          })),
      }),
  };
}
