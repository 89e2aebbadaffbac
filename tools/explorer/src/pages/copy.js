// A button that copies a text, and says so.
import { byId, h } from '../dom.js';

const SAID_MS = 1600;

/** @param {string | (() => string)} text @param {string} label what it copies @param {string} words what the button shows */
export function copyButton(text, label = 'Copy', words = 'Copy') {
  const button = h('button', { type: 'button', class: 'copy', 'aria-label': label }, words);
  button.addEventListener('click', async () => {
    const isCopied = await copy(typeof text === 'function' ? text() : text);
    button.textContent = isCopied ? 'Copied' : 'Not allowed';
    byId('spoken').textContent = isCopied ? 'Copied' : 'The browser does not allow copying';
    setTimeout(() => (button.textContent = words), SAID_MS);
  });
  return button;
}

/** The clipboard exists on secure pages only, which `http://` from another machine is not; the old way works there. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { class: 'unseen', 'aria-hidden': 'true', tabindex: -1 });
    area.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
