// What a state of the page shows: in which part, and what of the state each step towards the screen depends on.
import { mostOf } from './server/load.js';

/** The part of the page that shows a state. `hasAnswer`: the console has an answer that can be drawn. */
export function sectionOf({ view, ref }, hasAnswer) {
  if (['overview', 'console', 'search'].includes(view)) return view;
  if (view === 'answer') return hasAnswer ? 'explore' : 'console';
  if (!ref) return 'start';
  return view === 'page' ? 'read' : 'explore';
}

/** Everything that a new question to the server depends on. */
export const questionOf = (state) =>
  JSON.stringify([
    ...[state.ref, state.as_of, state.view, state.with, state.x, state.up, state.down, state.pin, mostOf(state)],
    ...(state.view === 'search' ? [state.q, state.types] : []),
    ...(state.view === 'overview' ? [state.lane, state.from, state.to, state.cell] : []),
  ]);

/** Everything on which it depends what of the answers is drawn. */
export const drawingOf = ({ w, focus, sel, all, hide, path }) =>
  JSON.stringify([w, focus, focus && sel, all, hide, path && sel]);

/** Everything that gives a picture of its own; as long as it is the same, what is drawn stays where it is. */
export const sceneOf = ({ ref, view, with: other, all }) => JSON.stringify([ref, view, other, all > 0]);
