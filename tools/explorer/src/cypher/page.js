// The page of queries: an editor, examples to press, what was asked before, and the answer as table, picture, plan or file.
import { byId, download, h, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { readJson } from '../json.js';
import { copyButton } from '../pages/copy.js';
import { momentOf } from '../server/load.js';
import { CANCELLED, describe } from '../server/rpc.js';
import { go, now } from '../state.js';
import { cut } from '../vocabulary.js';
import { Drawn, drawnOf } from '../console/drawing.js';
import { Past } from '../console/past.js';
import { queryTable } from '../console/result.js';
import { SNIPPETS } from '../console/snippets.js';
import RECIPES from '../../../../queries/cypher/RECIPES.md';
import { csvOf } from './csv.js';
import { CypherEditor } from './editor.js';
import { examplesOf } from './examples.js';
import { wordsOf } from './words.js';

const PAGE = 500;
const ROWS_MAX = 20_000;
const FIRST = 'MATCH (r:Response)\nRETURN r, r.agent AS agent, r.model AS model, r.timestamp AS time\nORDER BY time DESC LIMIT 20';

export class CypherPage extends Drawn {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {Promise<object>} described the server's OpenRPC document */
  constructor(rpc, described) {
    super();
    this.rpc = rpc;
    this.past = new Past('whence-cypher');
    this.form = 'table';
    this.words = null;
    this.running = null;
    this.rows = null;
    described.then((found) => wordsOf(rpc, found)).then((words) => (this.words = words), () => {});
    this.make();
    this.editor.text = now().cypher || this.past.list()[0]?.text || FIRST;
  }

  make() {
    const host = h('div', { id: 'cypher-editor' });
    this.params = h('textarea', { id: 'cypher-params', rows: 2, spellcheck: 'false', 'aria-label': 'Parameters as JSON' });
    this.paramsBox = h('label', { class: 'params', hidden: true }, 'Parameters', this.params);
    this.run = h('button', { type: 'button', class: 'primary', id: 'cypher-run', onclick: () => this.ask() }, 'Run');
    this.stop = h('button', { type: 'button', id: 'cypher-cancel', hidden: true, onclick: () => this.running?.cancel() }, 'Cancel');
    this.history = h('select', { id: 'cypher-past', 'aria-label': 'Asked before', onchange: ({ target }) => this.takePast(Number(target.value)) });
    this.problem = h('p', { id: 'cypher-problem', class: 'problem', role: 'status' });
    this.status = h('p', { id: 'cypher-status', class: 'sub', role: 'status' });
    this.output = h('div', { id: 'cypher-output', class: 'output', tabindex: 0, role: 'region', 'aria-label': 'Answer' });
    this.forms = ['table', 'picture', 'plan'].map((form) =>
      h('button', { type: 'button', 'data-form': form, onclick: () => this.look(form) }, form[0].toUpperCase() + form.slice(1)),
    );
    this.csv = h('button', { type: 'button', id: 'cypher-csv', disabled: true, onclick: () => this.save() }, 'CSV');
    const copies = Object.entries(SNIPPETS).map(([language, write]) =>
      copyButton(() => write('query', this.call().params), `Copy as ${language}`, language),
    );
    show(
      byId('cypher-content'),
      h(
        'div',
        { class: 'ask' },
        h('h1', { class: 'unseen' }, 'Cypher'),
        host,
        this.paramsBox,
        this.problem,
        h('div', { class: 'row' }, this.run, this.stop, h('span', { class: 'hint' }, 'Ctrl+Enter runs, Ctrl+Space completes')),
        h('div', { class: 'row' }, this.history, h('button', { type: 'button', onclick: () => this.forget() }, 'Forget')),
        h('div', { class: 'row' }, 'Copy as', copies),
        h('h2', {}, 'Examples'),
        h('p', { class: 'sub' }, 'A press runs one. Their ids are those of the demo.'),
        h(
          'ol',
          { class: 'examples' },
          examplesOf(RECIPES).map((example) =>
            h('li', {}, h('button', { type: 'button', class: 'link', onclick: () => this.use(example) }, example.title)),
          ),
        ),
      ),
      h(
        'div',
        { class: 'answer' },
        h('div', { class: 'row', role: 'group', 'aria-label': 'Show the answer as' }, this.forms, this.csv),
        this.status,
        this.output,
      ),
    );
    this.editor = new CypherEditor(host, { run: () => this.ask(), changed: () => this.changed(), words: () => this.words });
    this.showForms();
    this.showPast();
    show(this.output, h('p', { class: 'sub' }, 'The answer appears here.'));
  }

  open() {
    document.title = 'Cypher · Whence';
  }

  changed() {
    this.problem.textContent = '';
    this.paramsBox.hidden = !/\$\w/.test(this.editor.text);
  }

  use({ cypher, params }) {
    this.editor.text = cypher;
    this.params.value = Object.keys(params).length ? JSON.stringify(params) : '';
    this.ask();
  }

  /** The query with its parameters; those that are no JSON are said to be none. */
  call() {
    const cypher = this.editor.text;
    const text = this.paramsBox.hidden ? '' : this.params.value.trim();
    const params = text ? readJson(text) : null;
    return { cypher, params: { cypher, ...(params && { params }), ...momentOf(now().as_of) } };
  }

  async ask(prefix = '') {
    let call;
    try {
      call = this.call();
    } catch (error) {
      this.problem.textContent = `The parameters are no JSON: ${error.message}`;
      return;
    }
    if (!call.cypher.trim()) return;
    this.running?.cancel();
    this.past.add('query', call.cypher);
    this.showPast();
    go({ cypher: call.cypher.length <= 4000 ? call.cypher : '' });
    const started = performance.now();
    const isPlan = prefix !== '' || /^\s*(EXPLAIN|PROFILE)\b/i.test(call.cypher);
    const mine = this.rpc.start('query', { ...call.params, cypher: prefix + call.cypher, ...(isPlan ? {} : { limit: PAGE }) });
    this.running = mine;
    this.stop.hidden = false;
    this.problem.textContent = '';
    this.status.textContent = 'Asked…';
    this.output.setAttribute('aria-busy', 'true');
    try {
      const result = await mine.answer;
      if (mine !== this.running) return;
      this.took = Math.round(performance.now() - started);
      if (isPlan) this.plan = result.plan;
      else {
        Object.assign(this, { result, rows: result.rows, plan: null, graph: null });
        this.planOf = call.cypher;
      }
      this.say();
      if (isPlan) this.form = 'plan';
      else if (this.form !== 'table') this.form = 'table';
      this.draw();
    } catch (error) {
      if (mine !== this.running) return;
      this.status.textContent = error.code === CANCELLED ? 'Cancelled.' : '';
      if (error.code !== CANCELLED) this.fail(error);
    } finally {
      if (mine === this.running) {
        this.running = null;
        this.stop.hidden = true;
        this.output.removeAttribute('aria-busy');
      }
    }
  }

  say() {
    const { rows, result, took } = this;
    this.status.textContent = [
      `${took} ms`,
      rows && `${plural(rows.length, 'row')}${result.cursor ? ', and more' : ''}`,
      ...(result?.warnings ?? []).map(({ message }) => message),
    ]
      .filter(Boolean)
      .join(' · ');
    this.csv.disabled = !rows?.length;
  }

  /** What went wrong, with a press that leads to its place. */
  fail(error) {
    const place = /at line (\d+), column (\d+)/.exec(error.message);
    show(
      this.problem,
      h('bdi', {}, cut(place ? error.message.replace(/^\/cypher: /, '').split('\n')[0] : describe(error), 600)),
      place && ' ',
      place && h('button', { type: 'button', class: 'link', onclick: () => this.editor.goTo(Number(place[1]), Number(place[2])) }, 'Show'),
    );
  }

  showForms() {
    for (const button of this.forms) button.setAttribute('aria-pressed', String(button.dataset.form === this.form));
  }

  async look(form) {
    if (form === 'picture') return this.picture();
    this.form = form;
    if (form === 'plan' && (this.plan === null || this.plan === undefined)) return this.ask('EXPLAIN ');
    this.draw();
  }

  draw() {
    this.showForms();
    if (this.form === 'plan') {
      show(
        this.output,
        h('p', {}, h('button', { type: 'button', onclick: () => this.ask('PROFILE ') }, 'Run it and count'), ' The rows and steps of each operator.'),
        h('pre', { class: 'plan', tabindex: 0 }, this.plan ?? ''),
      );
      return;
    }
    if (!this.rows) return show(this.output, h('p', { class: 'sub' }, 'The answer appears here.'));
    const more = h('button', { type: 'button', id: 'cypher-more', onclick: () => this.more(more) }, 'More rows');
    show(this.output, queryTable(this.result.columns, this.rows, ROWS_MAX), this.result.cursor && this.rows.length < ROWS_MAX && h('p', {}, more));
  }

  async more(button) {
    button.disabled = true;
    const { result } = this;
    try {
      const next = await this.rpc.call('query', { cursor: result.cursor, limit: PAGE });
      if (result !== this.result) return;
      this.result = { ...result, cursor: next.cursor };
      this.rows = [...this.rows, ...next.rows];
      this.say();
      this.draw();
    } catch (error) {
      button.disabled = false;
      this.fail(error);
    }
  }

  save() {
    download('query.csv', new Blob(['\ufeff', csvOf(this.result.columns, this.rows)], { type: 'text/csv;charset=utf-8' }));
    byId('spoken').textContent = `${countText(this.rows.length)} rows saved`;
  }

  /** The nodes and relations of the rows in the page's own picture. */
  async picture() {
    if (!this.rows) return;
    const { nodes, edges, tx } = await drawnOf(this.rpc, { ...this.result, rows: this.rows });
    if (!nodes.length) {
      this.problem.textContent = 'The rows name no node to draw: return nodes, relations or paths.';
      return;
    }
    this.openPicture({ nodes, edges, tx });
  }

  takePast(i) {
    const asked = this.past.list()[i];
    if (asked) this.editor.text = asked.text;
  }

  showPast() {
    const asked = this.past.list();
    show(
      this.history,
      h('option', { value: '' }, asked.length ? 'Asked before…' : 'Nothing was asked yet'),
      asked.map(({ text }, i) => h('option', { value: String(i) }, cut(text.replace(/\s+/g, ' '), 80))),
    );
  }

  forget() {
    this.past.forget();
    this.showPast();
  }
}
