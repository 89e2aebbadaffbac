// The page of what has versions: a context unit, a summary, a prompt template. Its text, its versions side by side, how
// it was rated, and what it is to blame for.
import { h } from '../dom.js';
import { blameWords, countText, percent, plural, scoreText } from '../form.js';
import { effects, historySection, timeFact } from './generic.js';
import { pageLink, roleOf, titleOf } from './names.js';
import { ratingsList, ratingsOf } from './ratings.js';
import { callsOf, plainText } from './texts.js';
import { uses } from './uses.js';
import { textOfVersion, versionsSection } from './versions.js';
import { withoutSection } from './questions/without.js';

export async function unitPage(view) {
  const { node, ask } = view;
  const { record = {} } = node;
  const isUnit = node.type === 'ContextUnit';
  const [versions, feedback] = await Promise.all([
    ask.optional('versions.list', { ref: node.ref, limit: 10_000 }),
    isUnit ? ratingsOf(view) : null,
  ]);
  const list = versions?.versions ?? [];
  const own = list.findIndex(({ ref }) => ref === node.ref);
  const newer = list.length - 1 - own;
  const newest = newer > 0 && own >= 0 ? (await ask.nodes([list.at(-1).ref])).get(list.at(-1).ref) : null;
  const text = textOfVersion(node);
  const isRated = feedback?.feedback_count > 0;
  return {
    title: titleOf(node, 160),
    facts: [
      record.type && ['kind', record.type],
      record.source && ['source', h('bdi', {}, record.source)],
      record.topic && ['topic', pageLink(`Topic:${record.topic}`, record.topic)],
      timeFact(node),
      list.length > 1 && ['version', `${record.version ?? own + 1} of ${countText(list.length)}`],
      record.changeReason && ['because of', h('bdi', {}, record.changeReason)],
      record.updated_by_response_id && ['made by', pageLink(`Response:${record.updated_by_response_id}`, 'a response')],
    ],
    chips: [
      isRated &&
        h(
          'span',
          { class: `chip ${feedback.aggregate_score < 0 ? 'deprecated' : 'good'}` },
          `score ${scoreText(feedback.aggregate_score)} from ${plural(feedback.feedback_count, 'rating')}`,
        ),
    ],
    notices:
      own >= 0 &&
      newer > 0 &&
      h(
        'p',
        { class: 'callout' },
        `There ${newer === 1 ? 'is a newer version' : `are ${countText(newer)} newer versions`}. The newest: `,
        pageLink(list.at(-1).ref, newest ? titleOf(newest, 90) : undefined),
      ),
    sections: [
      text && { name: 'text', title: 'Text', body: callsOf(view, 'text', text) ?? plainText(view, 'text', text) },
      isUnit && { name: 'blame', title: 'Blame', note: ' its part in badly rated answers', body: () => blame(view) },
      list.length > 1 && versionsSection(view, list, own),
      isUnit && { name: 'uses', title: 'Used in', body: () => uses(view) },
      {
        name: 'effects',
        title: 'Impact: what came of it',
        note: ' over any number of steps',
        body: () => effects(view, node.ref),
      },
      isUnit && withoutSection(view),
      isRated && {
        name: 'ratings',
        title: 'Ratings that reached it',
        body: ratingsList(view, feedback.records, feedback.feedback_count),
      },
      historySection(view),
    ].filter(Boolean),
  };
}

/** A question or an instruction is among its like: the sources of answers have none of them. */
const SUSPECTS = { question: 'questions', instruction: 'prompts' };

/** Whether answers that rest on a unit are worse than others. */
async function blame(view) {
  const of = SUSPECTS[roleOf(view.node)] ?? 'sources';
  const found = await view.ask.optional('impact.blame', { of, limit: 1000, timeout_ms: 5000 });
  const own = found?.nodes.find(({ ref }) => ref === view.node.ref);
  if (!own) return found?.complete ? h('p', { class: 'faint' }, 'It is in no rated answer.') : null;
  return h(
    'p',
    {},
    `Rated answers that rest on it: ${blameWords(own)}. Its share in all badly rated answers together is `,
    h('b', {}, percent(own.share)),
    '.',
  );
}
