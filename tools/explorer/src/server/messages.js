// What the page says above everything: errors in plain words, a lost connection, and the question for a token.
import { byId, h, show } from '../dom.js';
import { NOT_FOUND, describe } from './rpc.js';
import { go } from '../state.js';
import { shortId } from '../vocabulary.js';
import { momentOf } from './load.js';
import { inWords, isOfMoment, isOfOther, laterText, recordedLater, similarNames, unknownName } from './unknown.js';

const NAME_MAX = 60;

/** How often something was said: what comes late is not said over something newer. */
let said = 0;

/** Says something, with buttons to act on it; '' takes it away. */
export function notice(text, ...buttons) {
  said += 1;
  const box = byId('notice');
  const hadFocus = box.contains(document.activeElement);
  show(box, text && h('span', {}, text), buttons);
  // Where a button was pressed that is gone, the keyboard goes on in the picture, where that is shown.
  if (hadFocus && !text) byId('picture').focus({ preventScroll: true });
}

/**
 * Says why what the state asks for cannot be shown, and offers ways on: back to `last`, whose picture is still there, and nodes that
 * are called nearly so. What is only compared with something that is not there is shown by itself.
 */
export async function noticeOfFailure(rpc, error, state, last = null) {
  const button = (text, changes) => h('button', { type: 'button', onclick: () => go(changes) }, text);
  const name = unknownName(error);
  const isOther = isOfOther(error, state);
  const note = last ? ' The picture is as it was.' : isOther ? ' Nothing is compared.' : '';
  const text = `${inWords(error, state.as_of)}${note}`;
  const ways = [
    isOther && button('End comparison', { with: '' }),
    state.as_of !== null && (name !== null || isOfMoment(error)) && button('Show it now', { as_of: null }),
    last ? button('Back', last) : !isOther && button('Start page', { view: '', ref: '', sel: '', with: '', as_of: null }),
  ];
  notice(text, ways);
  if (name === null) return;
  const mine = said;
  const later = await recordedLater(rpc, error, state.as_of);
  if (mine === said && later) {
    notice(`${laterText(later)}${note}`, button('The first moment it existed', { as_of: later.tx }), ways);
    return;
  }
  const similar = await similarNames(rpc, error, momentOf(state.as_of));
  if (mine !== said || !similar.length) return;
  const choice = (ref) => {
    const entry = button(shortId(ref, NAME_MAX), isOther ? { with: ref } : { ref, sel: ref });
    entry.dataset.ref = ref;
    return entry;
  };
  notice(text, h('span', { class: 'similar', role: 'group', 'aria-label': 'Nearly so' }, 'Nearly so: ', similar.map(choice)), ways);
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

function askForToken(dialog, why) {
  byId('token-note').textContent = why
    ? `${why} Try another.`
    : 'It is kept in this tab only and sent to this server only.';
  if (!dialog.open) dialog.showModal();
  byId('token-input').value = '';
  byId('token-input').focus();
}
