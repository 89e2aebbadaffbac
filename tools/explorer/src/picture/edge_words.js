// What an edge's label says, read in the direction of its arrow: from the cause to the effect, from the whole to the part.
import { edgeName, runsAlong } from '../vocabulary.js';
import { scoreText, shortNumber } from '../form.js';

/** Of edges that are drawn against the direction in which they are stored. */
const REVERSED = {
  DERIVED_FROM: 'became',
  UPDATED_BY: 'updated',
  EVALUATES: 'rated',
  EXTRACTED_FROM: 'gave',
  REVISION_OF: 'revised as',
  PART_OF: 'has part',
  FOLLOWS: 'followed by',
  SUMMARIZES: 'summarized in',
  EMBEDS: 'embedded as',
  GENERATED_FROM: 'generated',
  CITES: 'cited by',
  SAME_ACT: 'same act',
  LOADED_FROM: 'loaded as',
  REPLAY_OF: 'asked again as',
  DECIDES: 'decided by',
  OF_PERSON: 'person of',
  OF_SESSION: 'session of',
  PROV_wasGeneratedBy: 'generated',
  PROV_used: 'used by',
  PROV_wasInformedBy: 'informed',
  PROV_wasStartedBy: 'started',
  PROV_wasEndedBy: 'ended',
  PROV_wasInvalidatedBy: 'invalidated',
  PROV_wasDerivedFrom: 'became',
  PROV_wasAttributedTo: 'credited with',
  PROV_wasAssociatedWith: 'took part in',
  PROV_actedOnBehalfOf: 'acted through',
  PROV_wasInfluencedBy: 'influenced',
  PROV_specializationOf: 'specialized as',
  PROV_alternateOf: 'alternate of',
  PROV_hadMember: 'member of',
  PROV_mentionOf: 'mentioned as',
};

/** What the number of an edge is, by its name; a rating has a sign. */
export function numberText({ weight, similarity, confidence, score }) {
  if (weight !== undefined) return `weight ${shortNumber(weight)}`;
  if (similarity !== undefined) return `similarity ${shortNumber(similarity)}`;
  if (confidence !== undefined) return `confidence ${shortNumber(confidence)}`;
  return score === undefined ? '' : scoreText(score);
}

/** `weight 0.8`, `extracted, confidence 0.9`; a cut cycle, a role and a basis other than `given` are said; of an edge without a phrase of its own the stored one with a sign that it reads backward. */
export function edgeWords(edge) {
  const words = runsAlong(edge) ? edgeName(edge.type) : (REVERSED[edge.type] ?? `← ${edgeName(edge.type)}`);
  const number = numberText(edge);
  // What has a weight is a use: the room between two cards is for the weight, not for `used in`.
  const weighed = edge.weight !== undefined ? number : number ? `${words}, ${number}` : words;
  if (edge.cycle_cut) return `${weighed} (closes a cycle)`;
  if (edge.role) return `${weighed} (${edge.role})`;
  return edge.basis && edge.basis !== 'given' ? `${weighed} (by ${edge.basis})` : weighed;
}
