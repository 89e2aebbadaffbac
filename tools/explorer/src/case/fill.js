// Puts data into the file that the build makes of case.html.
import { sha256Hex } from '../../../verify/verify.mjs';

/** JSON that no text in it can end: what HTML or a script would read as a mark is an escape. */
export const inertJson = (value) =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @param {string} template the built case.html @param {object} kept the case @param {object | null} proof */
export function filled(template, kept, proof = null) {
  const put = (text, id, data) => {
    const place = `<script type="application/json" id="${id}">`;
    const at = text.indexOf(place) + place.length;
    return text.slice(0, at) + data + text.slice(at);
  };
  const data = inertJson(kept);
  const whole = put(template, 'case', data);
  // So that a byte that was damaged is seen wherever it is.
  return proof === null ? whole : put(whole, 'proof', inertJson({ ...proof, case_sha256: sha256Hex(data) }));
}
