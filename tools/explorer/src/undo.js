// Undo: the states before the reader's changes, newest last.
import { go, hashOf, onChange } from './state.js';

const STATES_MAX = 200;
/** Changes of one control within this time are undone together. */
const TOGETHER_MS = 900;

/** What "undo" takes back: all but what is selected, how its list is divided, the table, and whether the page is live. */
const shown = (state) => hashOf({ ...state, sel: '', by: '', table: false, live: true });

const changedNames = (state, before) =>
  Object.keys(state)
    .filter((name) => name !== 'sel' && JSON.stringify(state[name]) !== JSON.stringify(before[name]))
    .join();

export class Undo {
  constructor() {
    this.states = [];
    this.isOff = true; // until the page has its first state, which nothing precedes
    onChange((state, before) => this.remember(state, before));
  }

  start() {
    this.isOff = false;
  }

  get isEmpty() {
    return this.states.length === 0;
  }

  remember(state, before) {
    if (this.isOff || shown(state) === shown(before)) return;
    const names = changedNames(state, before);
    const last = this.states.at(-1);
    const at = performance.now();
    // Badges are opened one by one, however fast.
    if (last && names !== 'x' && last.names === names && at - last.at < TOGETHER_MS) last.at = at;
    else this.states.push({ state: { ...before }, names, at });
    if (this.states.length > STATES_MAX) this.states.shift();
  }

  undo() {
    const last = this.states.pop();
    if (!last) return;
    this.isOff = true;
    go(last.state);
    this.isOff = false;
  }
}
