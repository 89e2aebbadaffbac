// "Save as a case": the answer of a page with everything it rests on, as a file.
import { download } from '../dom.js';
import { addressOf } from '../server/address.js';
import { describe } from '../server/rpc.js';
import { filled } from './fill.js';
import { gathered } from './gather.js';

/** Every record that the case shows, those that only its answers have among them. */
function refsIn({ nodes, answers }) {
  const refs = new Set(nodes.map(({ ref }) => ref));
  for (const { method, result } of answers) {
    if (method === 'feedback.list') for (const { $type$, id, ref } of result?.records ?? []) refs.add($type$ ? `${$type$}:${id}` : ref);
    for (const list of ['nodes', 'sources', 'answers', 'versions']) for (const { ref } of result?.[list] ?? []) refs.add(ref);
  }
  return [...refs];
}

/** What the server proves of the answer and of all that the case shows; where it proves nothing now, why: `unproven` of the case. */
async function proofOf(rpc, ref, kept) {
  const bundleOf = (beside) => rpc.call('log.bundle', { ref, why: true, beside });
  try {
    const { key } = await rpc.call('log.checkpoint', {});
    // What is shown of the past may be gone now, or be too much: then the answer and what it rests on.
    const bundle = await bundleOf(refsIn(kept)).catch(() => bundleOf([]));
    return { proof: { keys: [key], bundles: [JSON.stringify(bundle)] } };
  } catch (error) {
    return { proof: null, unproven: [{ ref, why: error.message }] };
  }
}

/** Says on the button that was pressed what becomes of it. */
export async function saveCase(view, button, name) {
  const words = button.textContent;
  button.disabled = true;
  button.textContent = 'Gathering…';
  try {
    const answer = await fetch(addressOf('/explorer/case.html'));
    if (!answer.ok) throw new Error(`The server has no form for cases: HTTP ${answer.status}.`);
    const kept = await gathered(view.ask.rpc, [view.node.ref], view.ask.tx);
    const { proof, ...unproven } = await proofOf(view.ask.rpc, view.node.ref, kept);
    download(name, new Blob([filled(await answer.text(), { ...kept, ...unproven }, proof)], { type: 'text/html' }));
    button.textContent = words;
  } catch (error) {
    button.textContent = describe(error);
  }
  button.disabled = false;
}
