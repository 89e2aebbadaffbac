// The start page: what is in the graph, and the newest responses and answers to begin with.
import { byId, h, show } from '../dom.js';
import { countText, plural, timeText } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { momentOf } from '../server/load.js';
import { go, open } from '../state.js';
import { TYPES, labelOf, timeOf, typeName } from '../vocabulary.js';

const NEWEST_MAX = 8;

export class Start {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {() => void} about opens the about box */
  constructor(rpc, about) {
    this.rpc = rpc;
    this.about = about;
    this.turn = 0;
  }

  async show(asOf) {
    const turn = ++this.turn;
    const info = await this.rpc.call('server.info', momentOf(asOf));
    const [responses, answers] = await Promise.all([
      this.newest('Response', info, asOf),
      this.newest('Answer', info, asOf),
    ]);
    if (turn !== this.turn) return;
    const total = Object.values(info.nodes).reduce((sum, count) => sum + count, 0);
    const edges = Object.values(info.edges).reduce((sum, count) => sum + count, 0);
    show(
      byId('start'),
      h(
        'div',
        { class: 'inner' },
        h('h1', {}, 'Where did it come from?'),
        h(
          'p',
          { class: 'lead' },
          total === 0
            ? 'The graph is empty as of this moment. What is written appears here by itself.'
            : `${plural(total, 'record')} and ${plural(edges, 'edge')}. Search a node, or open one of the newest ` +
                'to see what it was made from and what was made from it.',
        ),
        h(
          'div',
          { class: 'columns' },
          h(
            'div',
            {},
            total > 0 && h('h2', {}, 'In the graph'),
            this.counts(info.nodes, asOf),
            total > 0 &&
              h(
                'div',
                { class: 'actions' },
                h(
                  'button',
                  { type: 'button', class: 'primary', onclick: () => go({ view: 'overview', ref: '', sel: '' }) },
                  'See all of it over time',
                ),
              ),
          ),
          h(
            'div',
            {},
            responses.length > 0 && list('Newest responses', responses),
            answers.length > 0 && list('Newest answers', answers),
          ),
        ),
        h(
          'p',
          { class: 'version' },
          h(
            'button',
            {
              type: 'button',
              class: 'link',
              id: 'about-button',
              'aria-haspopup': 'dialog',
              title: 'About this server (a)',
              onclick: this.about,
            },
            `Whence ${info.version}`,
          ),
        ),
      ),
    );
  }

  async newest(type, info, asOf) {
    if (!info.nodes[type]) return [];
    const order = { by: 'tx', desc: true };
    const { nodes } = await this.rpc.call('node.find', {
      type,
      order,
      limit: NEWEST_MAX,
      include: ['record'],
      ...momentOf(asOf),
    });
    return nodes;
  }

  counts(nodes, asOf) {
    const types = [...Object.keys(TYPES), ...Object.keys(nodes).filter((type) => !TYPES[type])].filter(
      (type) => nodes[type] > 0,
    );
    return h(
      'div',
      { class: 'counts' },
      types.map((type) =>
        h(
          'button',
          {
            type: 'button',
            class: 'card',
            title: `Open the newest: ${typeName(type)}`,
            onclick: async () => {
              const [newest] = await this.newest(type, { nodes }, asOf);
              if (newest) open(newest.ref);
            },
          },
          glyph(type),
          h('b', {}, countText(nodes[type])),
          h('span', {}, typeName(type)),
        ),
      ),
    );
  }
}

function list(title, nodes) {
  return h(
    'div',
    { class: 'entries' },
    h('h2', {}, title),
    nodes.map((node) => {
      const time = timeOf(node);
      return h(
        'button',
        { type: 'button', class: 'entry', onclick: () => open(node.ref) },
        glyph(node.type),
        h('span', { class: 'ellipsis' }, labelOf(node, 70)),
        h('span', { class: 'sub mono' }, node.id),
        time !== null && h('time', {}, timeText(time)),
      );
    }),
  );
}
