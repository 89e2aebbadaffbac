// The list behind a group of the picture: what is not drawn beside a node, one by one or by agent, model, month or rating.
import { h } from '../dom.js';
import { countText, shortNumber } from '../form.js';
import { glyph } from '../picture/glyph.js';
import { OPENED_STEP } from '../picture/groups.js';
import { SERVER_SIDES } from '../picture/later.js';
import { groupName, whereOf } from '../read/uses.js';
import { pluralName, titleOf } from '../read/names.js';
import { momentOf } from '../server/load.js';
import { describe } from '../server/rpc.js';
import { typeName } from '../vocabulary.js';

const STEP = 20;
const LISTED_MAX = 500;
const GROUPS_MAX = 40;
const GROUPINGS = [
  ['', 'one by one, strongest first'],
  ['agent', 'by agent'],
  ['model', 'by model'],
  ['month', 'by month'],
  ['score', 'by score'],
];
const WORDS = { causes: 'before', effects: 'after' };

export class GroupList {
  /**
   * @param {import('../server/rpc.js').Rpc} rpc @param {import('./panel.js').Panel} panel
   * @param {{divide(by: string): void, draw(changes: object): void, select(ref: string): void}} actions
   */
  constructor(rpc, panel, actions) {
    this.rpc = rpc;
    this.panel = panel;
    this.actions = actions;
    this.key = '';
  }

  /** @param {{side: string, of: string}} group @param {object} shown what is drawn @param {object} model @param {object} state */
  show({ side, of }, shown, model, state) {
    const key = `group ${side} ${of}`;
    if (key !== this.key) Object.assign(this, { key, wanted: STEP, type: null, opened: new Set() });
    Object.assign(this, { side, of, shown, model, state });
    this.again();
  }

  again() {
    this.panel.showOther(
      this.key,
      this.content().catch((error) => h('p', {}, describe(error))),
    );
  }

  call(method, params) {
    return this.rpc.call(method, { ...params, ...momentOf(this.state.as_of) });
  }

  async content() {
    const { side, of, model, state } = this;
    const drawn = new Set(this.shown.nodes.map(({ ref }) => ref));
    const isDrawn = (ref) => drawn.has(ref);
    const name = titleOf(model.nodes.get(of), 60);
    const local = [...model.neighbours(of, side)];
    // A comparison shows two answers at once; the server knows no such list.
    const choices = state.with ? [] : await this.choices();
    const total = choices.length ? choices.reduce((sum, { count }) => sum + count, 0) : local.length;
    const here = local.filter(isDrawn).length;
    const head = [
      h('div', { class: 'kind' }, 'Group'),
      h('h2', { dir: 'auto' }, `What is ${WORDS[side]} ${name}`),
      h('p', { id: 'group-count' }, `${countText(here)} of ${countText(total)} are drawn.`),
      h(
        'div',
        { class: 'actions' },
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            id: 'group-draw',
            disabled: here >= total || state.all > 0,
            onclick: () => this.actions.draw({ x: [...state.x, `${side} ${of}`] }),
          },
          `Draw ${countText(Math.min(OPENED_STEP, total - here))} more`,
        ),
        h('button', { type: 'button', onclick: () => this.actions.select(of) }, 'To the node'),
      ),
    ];
    if (!choices.length)
      return [
        head,
        this.lines(
          local.map((ref) => model.nodes.get(ref)),
          isDrawn,
        ),
      ];
    const chosen = choices.find(({ type }) => type === this.type) ?? choices[0];
    const by = GROUPINGS.some(([value]) => value === state.by) ? state.by : '';
    return [
      head,
      h('div', { class: 'group-choice' }, this.typeChoice(choices, chosen), this.division(by)),
      by ? await this.groups(chosen, by, isDrawn) : await this.oneByOne(chosen, isDrawn),
    ];
  }

  /** What there is on this side, by the server's side and type, the most first. */
  async choices() {
    const found = await Promise.all(
      SERVER_SIDES[this.side].map(async (side) => {
        const { groups } = await this.call('node.neighbors', { ref: this.of, side, group_by: 'type', limit: 50 });
        return groups.map(({ value, count }) => ({ side, type: value, count, id: `${side} ${value}` }));
      }),
    );
    return found.flat().sort((x, y) => y.count - x.count);
  }

  typeChoice(choices, chosen) {
    return h(
      'div',
      { class: 'group-types', role: 'group', 'aria-label': 'Type' },
      choices.map(({ type, count, id }) =>
        h(
          'button',
          {
            type: 'button',
            'aria-pressed': String(id === chosen.id),
            onclick: () => {
              Object.assign(this, { type, wanted: STEP });
              this.again();
            },
          },
          glyph(type),
          `${countText(count)} ${pluralName(type, count)}`,
        ),
      ),
    );
  }

  division(by) {
    return h(
      'select',
      {
        id: 'group-by',
        'aria-label': 'How the list is divided',
        onchange: ({ target }) => this.actions.divide(target.value),
      },
      GROUPINGS.map(([value, text]) => h('option', { value, selected: value === by }, text)),
    );
  }

  async oneByOne({ side, type, count }, isDrawn) {
    const limit = Math.min(this.wanted, LISTED_MAX);
    const { nodes } = await this.call('node.neighbors', { ref: this.of, side, type, limit, include: ['record'] });
    return [this.lines(nodes, isDrawn), this.more(nodes.length, count)];
  }

  more(listed, count) {
    const most = `The first ${countText(listed)} of ${countText(count)} are listed.`;
    if (listed >= count) return null;
    if (listed >= LISTED_MAX) return h('p', { class: 'sub' }, most);
    const onclick = () => {
      this.wanted += STEP;
      this.again();
    };
    return h('p', { class: 'sub' }, `${most} `, h('button', { type: 'button', class: 'link', onclick }, 'More'));
  }

  async groups({ side, type, count }, by, isDrawn) {
    const params = { ref: this.of, side, type };
    const answer = await this.call('node.neighbors', { ...params, group_by: by, limit: GROUPS_MAX }).catch(() => null);
    if (!answer) return h('p', { class: 'faint' }, `${typeName(type)} has no ${by}.`);
    const most = Math.max(1, ...answer.groups.map((group) => group.count));
    const rows = answer.groups.map(async ({ value, count: own }) => {
      const id = `${by} ${value}`;
      const where = value === null ? null : whereOf(by, value);
      const isOpen = this.opened.has(id);
      const toggle = () => {
        if (!this.opened.delete(id)) this.opened.add(id);
        this.again();
      };
      const bar = h('i');
      bar.style.width = `${Math.max(1, (100 * own) / most)}%`;
      const text = groupName(by, value);
      return h(
        'li',
        {},
        h(
          'div',
          { class: 'group-row' },
          where
            ? h('button', { type: 'button', class: 'link', 'aria-expanded': String(isOpen), onclick: toggle }, text)
            : h('span', {}, text),
          h('span', { class: 'meter', 'aria-hidden': 'true' }, bar),
          h('b', {}, countText(own)),
        ),
        where && isOpen && (await this.members({ ...params, where }, isDrawn)),
      );
    });
    return [
      h('ul', { class: 'list' }, await Promise.all(rows)),
      answer.other > 0 &&
        h('p', { class: 'sub' }, `${countText(answer.other)} of ${countText(count)} are in further groups.`),
    ];
  }

  async members(params, isDrawn) {
    const order = { by: 'time', desc: true };
    const answer = await this.call('node.neighbors', { ...params, order, limit: STEP, include: ['record'] }).catch(
      () => null,
    );
    if (!answer) return h('p', { class: 'faint' }, 'The server did not list them.');
    const { nodes, total } = answer;
    return [
      this.lines(nodes, isDrawn),
      nodes.length < total && h('p', { class: 'sub' }, `The newest ${countText(nodes.length)} of ${countText(total)}.`),
    ];
  }

  /** One line for each node; a press draws it where it is not drawn yet, and selects it. */
  lines(nodes, isDrawn) {
    const { state } = this;
    const choose = (ref) =>
      isDrawn(ref) ? this.actions.select(ref) : this.actions.draw({ x: [...state.x, `node ${ref}`], sel: ref });
    return h(
      'ul',
      { class: 'list' },
      nodes.map((node) =>
        h(
          'li',
          {},
          h(
            'div',
            { class: 'line' },
            glyph(node.type),
            h(
              'button',
              { type: 'button', class: 'link', title: node.ref, 'data-ref': node.ref, onclick: () => choose(node.ref) },
              titleOf(node, 90),
            ),
            h('span', { class: 'number' }, [
              isDrawn(node.ref) ? 'drawn ' : '',
              node.weight === undefined ? '' : `weight ${shortNumber(node.weight)}`,
            ]),
          ),
        ),
      ),
    );
  }
}
