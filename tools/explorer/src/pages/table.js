// The table of what the picture shows: the same nodes as text, sortable; out of sight it is still there to be read.
import { byId, h, show } from '../dom.js';
import { percent, shortNumber } from '../form.js';
import { titleOf } from '../read/names.js';
import { typeName } from '../vocabulary.js';

const COLUMNS = [
  { name: 'Node', value: (row) => row.ref, class: 'ref' },
  { name: 'Type', value: (row) => typeName(row.type) },
  { name: 'Label', value: (row) => row.label, class: 'label' },
  { name: 'Depth', value: (row) => row.depth ?? Infinity, text: (row) => depthText(row.depth), class: 'number' },
  {
    name: 'Weight',
    value: (row) => row.weight ?? -1,
    text: (row) => (row.weight === undefined ? '' : shortNumber(row.weight)),
    class: 'number',
  },
  {
    name: 'Share',
    value: (row) => row.share ?? -1,
    text: (row) => (row.share === undefined ? '' : percent(row.share)),
    class: 'number',
    isShown: (rows) => rows.some((row) => row.share !== undefined), // with an impact
  },
];

export class Table {
  constructor(actions) {
    this.actions = actions;
    this.sorted = { column: 3, descending: false };
    this.rows = [];
    this.table = byId('table');
  }

  /** @param {object[]} nodes what is visible @param {Map<string, number>} depths with a sign, ancestors below zero */
  show(nodes, depths, selected) {
    this.rows = nodes.map((node) => ({
      ref: node.ref,
      type: node.type,
      label: titleOf(node, 90),
      depth: depths.get(node.ref),
      weight: node.weight,
      share: node.share,
    }));
    this.selected = selected;
    this.draw();
  }

  select(ref) {
    this.selected = ref;
    for (const row of this.table.tBodies[0]?.rows ?? [])
      row.setAttribute('aria-selected', String(row.dataset.ref === ref));
  }

  setInSight(inSight) {
    this.inSight = inSight;
    byId('table-box').classList.toggle('unseen', !inSight);
    byId('explore').classList.toggle('tabled', inSight);
    for (const button of this.table.querySelectorAll('button')) button.tabIndex = inSight ? 0 : -1;
  }

  sortBy(column) {
    this.sorted = { column, descending: this.sorted.column === column && !this.sorted.descending };
    this.draw();
  }

  draw() {
    const { column, descending } = this.sorted;
    const { value } = COLUMNS[column];
    const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.ref < b.ref ? -1 : 1);
    const rows = [...this.rows].sort((a, b) => (descending ? order(b, a) : order(a, b)));
    const tabindex = this.inSight ? 0 : -1;
    const columns = COLUMNS.filter((each) => each.isShown?.(rows) ?? true);
    const head = columns.map(({ name, class: kind }, i) =>
      h(
        'th',
        {
          scope: 'col',
          class: kind,
          'aria-sort': i === column ? (descending ? 'descending' : 'ascending') : 'none',
        },
        h(
          'button',
          { type: 'button', tabindex, onclick: () => this.sortBy(i) },
          name,
          i === column ? (descending ? ' ↓' : ' ↑') : '',
        ),
      ),
    );
    const body = rows.map((row) =>
      h(
        'tr',
        { 'data-ref': row.ref, 'aria-selected': String(row.ref === this.selected) },
        columns.map((each, i) =>
          h(
            'td',
            { class: each.class },
            i === 0
              ? h(
                  'button',
                  { type: 'button', class: 'link mono', tabindex, onclick: () => this.actions.select(row.ref) },
                  row.ref,
                )
              : (each.text ?? each.value)(row),
          ),
        ),
      ),
    );
    show(
      this.table,
      h('caption', { class: 'unseen' }, 'The nodes shown'),
      h('thead', {}, h('tr', {}, head)),
      h('tbody', {}, body),
    );
  }
}

const depthText = (depth) => (depth === undefined ? '' : depth > 0 ? `+${depth}` : depth < 0 ? `−${-depth}` : '0');
