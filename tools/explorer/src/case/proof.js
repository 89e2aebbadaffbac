// What a proof in a case proves of what the page shows. The element `proof` has {keys: verifier keys, bundles: the texts of
// bundles (tools/verify), case_sha256}. The keys are in the file as everything else is: the reader compares them with what is known elsewhere.
import { sha256Hex, verify } from '../../../verify/verify.mjs';
import { provenIn } from './proven.js';
import { countProven, findDifference } from './shown.js';

/** Whether the data are those that the proof was put beside. Whoever changes them can change the digest: `check` holds them against the log. */
export function isUndamaged(proof, data) {
  try {
    return JSON.parse(proof).case_sha256 === sha256Hex(data);
  } catch {
    return false;
  }
}

/**
 * @param {string} text of the element `proof` @param {object} kept the case
 * @returns {{kind: 'good' | 'part' | 'bad', failure?: string, reports?: object[], records?: number[], edges?: number[],
 *   without?: string[]}} `records` and `edges`: how many of those shown are proven, and how many are shown; `without`: answers
 *   that no bundle is about. `part`: all that is proven holds, and not all that is shown is proven
 */
export function check(text, kept) {
  const bad = (failure) => ({ kind: 'bad', failure });
  let proof;
  let reports;
  try {
    proof = JSON.parse(text);
    reports = proof.bundles.map((bundle) => verify(bundle, proof.keys));
  } catch (error) {
    return bad(`it cannot be read: ${error.message}`);
  }
  if (reports.length === 0) return bad('it proves nothing');
  const failed = reports.find(({ verified }) => !verified);
  if (failed) return bad(failed.failures.map(({ path, rule }) => `${rule} at ${path || 'its beginning'}`).join(', '));
  let proven;
  try {
    proven = provenIn(proof.bundles.map((bundle) => JSON.parse(bundle)), kept.tx);
    const difference = findDifference(kept, proven);
    if (difference) return bad(difference);
  } catch (error) {
    return bad(`it cannot be compared with what is shown: ${error.message}`);
  }
  const { records, edges } = countProven(kept, proven);
  const about = new Set(reports.map((report) => report.about));
  const without = kept.cases.map(({ ref }) => ref).filter((ref) => !about.has(ref));
  const isWhole = records[0] === records[1] && edges[0] === edges[1] && without.length === 0;
  return { kind: isWhole ? 'good' : 'part', reports, records, edges, without };
}
