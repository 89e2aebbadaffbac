// What a state of the page shows: in which part, and what of the state each step towards the screen depends on.
import { FILTERS } from './pages/answers_ask.js';
import { mostOf } from './server/load.js';

/** The part of the page that shows a state. `hasAnswer`: the console has an answer that can be drawn. */
export function sectionOf({ view, ref }, hasAnswer) {
  if (['answers', 'console', 'cypher', 'search'].includes(view)) return view;
  if (view === 'answer') return hasAnswer ? 'explore' : 'cypher';
  if (!ref) return 'start';
  return view === 'page' ? 'read' : 'explore';
}

/** Members that a view asks for, beyond those of every view. */
const OF_VIEW_ASKED = {
  search: ['q', 'types'],
  answers: [...FILTERS, 'kind', 'sort', 'cols', 'split'],
};

/** Everything that a new question to the server depends on. */
export const questionOf = (state) =>
  JSON.stringify([
    ...[state.ref, state.as_of, state.view, state.with, state.x, state.up, state.down, state.pin, mostOf(state)],
    ...(OF_VIEW_ASKED[state.view] ?? []).map((name) => state[name]),
  ]);

/** Everything on which it depends what of the answers is drawn. */
export const drawingOf = ({ w, focus, sel, all, hide, path }) =>
  JSON.stringify([w, focus, focus && sel, all, hide, path && sel]);

/** Everything that gives a picture of its own; as long as it is the same, what is drawn stays where it is. */
export const sceneOf = ({ ref, view, with: other, all }) => JSON.stringify([ref, view, other, all > 0]);
