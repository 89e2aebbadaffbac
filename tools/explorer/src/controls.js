// The controls of the page: what they show of the state, and what moving a slider does.
import { byId, debounced } from './dom.js';

/** Brings what the state changes outside of the parts up to date: which part is seen, buttons, sliders, title. */
export function showControls(state, section) {
  for (const each of ['start', 'answers', 'read', 'cypher', 'console', 'search', 'explore'])
    byId(each === 'search' ? 'found' : each).hidden = each !== section;
  byId('tools').hidden = section !== 'explore';
  if (section !== 'explore') {
    byId('banner').hidden = true;
    if (section === 'start') document.title = 'Whence';
  }
  const pressed = {
    'answers-button': section === 'answers',
    'cypher-button': ['console', 'cypher'].includes(section) || state.view === 'answer',
    'live-button': state.live && state.as_of === null,
    'impact-button': state.view === 'impact',
    'focus-button': state.focus,
    'table-button': state.table,
  };
  for (const [id, value] of Object.entries(pressed)) byId(id).setAttribute('aria-pressed', String(value));
  for (const name of ['up', 'down']) {
    byId(name).value = String(state[name]);
    byId(`${name}-value`).textContent = String(state[name]);
    byId(name).disabled = state.view === 'impact' || (state.with && !state.with.startsWith('tx:'));
  }
  const most = byId('all-select');
  if (![...most.options].some(({ value }) => value === String(state.all)))
    most.append(new Option(`all, to ${state.all}`, String(state.all)));
  most.value = String(state.all);
  byId('weight').value = String(state.w);
  byId('weight-value').textContent = state.w ? state.w.toFixed(2) : 'any';
}

/** Calls `change` with a slider's value once it rests; its words follow at once. */
export function slider(id, change) {
  const settle = debounced(change, 90);
  byId(id).addEventListener('input', (event) => {
    const value = Number(event.target.value);
    byId(`${id}-value`).textContent = id === 'weight' ? (value ? value.toFixed(2) : 'any') : String(value);
    settle(value);
  });
}
