// What the page says above everything: errors in plain words, a lost connection, and the question for a token.
import { byId, h, show } from '../dom.js';
import { describe } from './rpc.js';
import { go } from '../state.js';

const NOT_FOUND = -32020;

/** Says something, with buttons to act on it; '' takes it away. */
export function notice(text, ...buttons) {
  show(byId('notice'), text && h('span', {}, text), buttons);
}

/** Says why what the state asks for cannot be shown, and offers a way on. */
export function noticeOfFailure(error, state) {
  const button = (text, changes) => h('button', { type: 'button', onclick: () => go(changes) }, text);
  if (error.code === NOT_FOUND && state.as_of !== null) {
    const what = error.message.replace(/^\/\w+: /, '');
    notice(`${what} as of this moment: it was recorded later, or never.`, button('Show it now', { as_of: null }));
  } else {
    notice(describe(error), button('Start page', { view: '', ref: '', sel: '', with: '', as_of: null }));
  }
}

/** Follows the state of the connection. */
export function startMessages(rpc) {
  const dialog = byId('token-dialog');
  rpc.addEventListener('state', ({ detail, extra }) => {
    if (detail === 'open') {
      if (dialog.open) dialog.close();
      notice('');
    } else if (detail === 'lost') notice('The connection to the server is lost. Connecting again…');
    else askForToken(dialog, extra);
  });
  // A watch that is refused (a ref that is gone, too many subscriptions) leaves the page as it is, not live.
  rpc.addEventListener('watcherror', ({ detail }) => {
    if (detail.code !== NOT_FOUND) notice(`Not live: ${describe(detail)}`);
  });
  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    rpc.useToken(byId('token-input').value);
  });
  dialog.addEventListener('cancel', (event) => event.preventDefault());
}

function askForToken(dialog, wasWrong) {
  byId('token-note').textContent = wasWrong
    ? 'The server did not take that token. Try another.'
    : 'It is kept in this tab only and sent to this server only.';
  if (!dialog.open) dialog.showModal();
  byId('token-input').value = '';
  byId('token-input').focus();
}
