// The console: any method of the server with what its description says of it, its answer as table, tree or picture, what was
// sent before, and the same call for a program.
import { byId, h, narrow, show } from '../dom.js';
import { countText, plural } from '../form.js';
import { copyButton } from '../pages/copy.js';
import { CANCELLED, describe } from '../server/rpc.js';
import { cut } from '../vocabulary.js';
import { Editor, offersOf } from './editor.js';
import { lineOf, parseText, placeOfPath, pointerOf } from './json_text.js';
import { Drawn, drawnOf } from './drawing.js';
import { Past } from './past.js';
import { rowsOf, tableOf, treeOf } from './result.js';
import { Methods, typeText } from './schema.js';
import { SNIPPETS } from './snippets.js';

const STREAM_CREDIT = 16;
const ITEMS_MAX = 5000;
const FIRST = 'node.find';
const FIRST_TEXT =
  '{\n  "type": "Response",\n  "order": {"by": "tx", "desc": true},\n  "limit": 10,\n  "include": ["record"]\n}';

export class Console extends Drawn {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {Promise<object>} described the server's OpenRPC document */
  constructor(rpc, described) {
    super();
    this.rpc = rpc;
    this.described = described;
    this.methods = null;
    this.past = new Past('whence-console');
    this.form = 'tree';
    this.running = null;
    this.isMade = false;
  }

  /** Makes the page when it is first shown. */
  async open() {
    document.title = 'Methods · Whence';
    if (this.isMade) return;
    this.methods = new Methods(await this.described);
    if (this.isMade) return;
    this.isMade = true;
    this.make();
    const [last] = this.past.list();
    const known = last && this.methods.byName.has(last.method);
    this.use(known ? last.method : FIRST, known ? last.text : FIRST_TEXT);
  }

  make() {
    const names = [...this.methods.byName.values()];
    this.name = h('input', {
      id: 'console-method',
      type: 'text',
      list: 'console-methods',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'console-summary',
    });
    const area = h('textarea', {
      id: 'console-params',
      rows: 12,
      spellcheck: 'false',
      autocomplete: 'off',
      wrap: 'off',
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-controls': 'console-offers',
      'aria-autocomplete': 'list',
      'aria-label': 'Params as JSON. Ctrl and space: what may stand here. Ctrl and Enter: send',
    });
    const list = h('ul', { id: 'console-offers', role: 'listbox', 'aria-label': 'What may stand here', hidden: true });
    this.summary = h('p', { id: 'console-summary', class: 'sub' });
    this.problems = h('div', { id: 'console-problems', role: 'status' });
    this.docs = h('details', { id: 'console-docs', open: !narrow() });
    this.send = h(
      'button',
      { type: 'button', class: 'primary', id: 'console-send', onclick: () => this.run() },
      'Send',
    );
    this.stop = h(
      'button',
      { type: 'button', id: 'console-cancel', hidden: true, onclick: () => this.cancel() },
      'Cancel',
    );
    this.stream = h('input', { type: 'checkbox', id: 'console-stream' });
    this.streamLabel = h('label', { class: 'check' }, this.stream, 'Items as they come');
    this.history = h('select', { id: 'console-past', 'aria-label': 'Sent before' });
    this.status = h('p', { id: 'console-status', class: 'sub', role: 'status' });
    this.output = h('div', { id: 'console-output', tabindex: 0, role: 'region', 'aria-label': 'Answer' });
    this.forms = ['table', 'tree', 'picture'].map((form) =>
      h(
        'button',
        { type: 'button', 'data-form': form, onclick: () => this.look(form) },
        form[0].toUpperCase() + form.slice(1),
      ),
    );
    const copies = Object.entries(SNIPPETS).map(([language, write]) =>
      copyButton(() => write(this.name.value, this.parsed().value ?? {}), `Copy as ${language}`, language),
    );
    show(
      byId('console-content'),
      h(
        'div',
        { class: 'ask' },
        h('h1', { class: 'unseen' }, 'Methods'),
        h('label', { class: 'method' }, 'Method', this.name),
        h(
          'datalist',
          { id: 'console-methods' },
          names.map(({ name, summary }) => h('option', { value: name }, summary)),
        ),
        this.summary,
        h('div', { class: 'editor' }, area, list),
        this.problems,
        h(
          'div',
          { class: 'row' },
          this.send,
          this.stop,
          this.streamLabel,
          h('span', { class: 'hint' }, 'Ctrl+Enter sends, Ctrl+Space completes'),
        ),
        h('div', { class: 'row' }, 'Copy as', copies),
        h(
          'div',
          { class: 'row' },
          this.history,
          h('button', { type: 'button', onclick: () => this.forget() }, 'Forget'),
        ),
        this.docs,
      ),
      h(
        'div',
        { class: 'answer' },
        h(
          'div',
          { class: 'row', role: 'group', 'aria-label': 'Show the answer as' },
          this.forms,
          copyButton(() => JSON.stringify(this.result ?? null, null, 2), 'Copy the answer'),
        ),
        this.status,
        this.output,
      ),
    );
    this.editor = new Editor(area, list, {
      offers: offersOf(
        () => this.methods,
        () => this.name.value,
      ),
      send: () => this.run(),
      changed: () => this.changed(),
    });
    this.name.addEventListener('input', () => this.named());
    this.name.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.editor.area.focus();
    });
    this.history.addEventListener('change', () => {
      const call = this.past.list()[Number(this.history.value)];
      if (call) this.use(call.method, call.text);
    });
    this.look('tree');
    this.showPast();
  }

  use(method, text) {
    this.name.value = method;
    this.editor.text = text;
    this.named();
  }

  /** Another method: what it takes. */
  named() {
    const method = this.methods.byName.get(this.name.value);
    const writes = this.methods.writes(this.name.value);
    this.summary.textContent = method
      ? `${method.summary}${writes ? ' It writes: you are asked before it is sent.' : ''}`
      : 'There is no such method.';
    this.send.textContent = writes ? 'Send (writes)' : 'Send';
    this.send.classList.toggle('writes', writes);
    const params = method?.params ?? [];
    this.streamLabel.hidden = !params.some(({ name }) => name === 'stream');
    show(
      this.docs,
      h('summary', {}, `Params of ${method?.name ?? 'the method'}`),
      params.map(({ name, required, description, schema }) =>
        h(
          'div',
          { class: 'param' },
          h(
            'button',
            { type: 'button', class: 'link mono', title: 'Write it', onclick: () => this.insert(name) },
            name,
          ),
          required && h('span', { class: 'badge' }, 'required'),
          h('span', { class: 'sub' }, cut(typeText(this.methods.resolved(schema)), 140)),
          h('p', {}, description),
        ),
      ),
    );
    this.changed();
  }

  insert(name) {
    const { value = {}, error } = this.parsed();
    if (error || Array.isArray(value) || value === null || typeof value !== 'object') return;
    const schema = this.methods.paramsOf(this.name.value).properties[name];
    const blank = { array: [], object: {}, boolean: true, string: '' }[schema.type] ?? schema.enum?.[0] ?? null;
    if (!(name in value))
      this.editor.text = JSON.stringify({ ...value, [name]: schema.enum ? schema.enum[0] : blank }, null, 2);
    const place = placeOfPath(parseText(this.editor.text).places, `/${name}`);
    if (place) this.editor.select(place);
  }

  parsed = () => (this.editor.text.trim() ? parseText(this.editor.text) : { value: {}, places: new Map() });

  /** What is wrong with the params, as they are written. */
  found() {
    const { value, places, error } = this.parsed();
    if (error) return [{ message: error.message, place: { from: error.at, to: error.at + 1 } }];
    if (!this.methods.byName.has(this.name.value)) return [{ message: 'There is no such method.', place: null }];
    return this.methods.problems(this.name.value, value).map(({ path, message }) => ({
      message: `${path.length ? `${pointerOf(path)} ` : 'The params: '}${message}`,
      place: placeOfPath(places, pointerOf(path)),
    }));
  }

  changed() {
    if (!this.methods || !this.editor) return;
    this.showProblems(this.found());
  }

  showProblems(problems) {
    this.editor.area.setAttribute('aria-invalid', String(problems.length > 0));
    show(
      this.problems,
      problems
        .slice(0, 8)
        .map(({ message, place }) =>
          h(
            'p',
            { class: 'problem' },
            place &&
              h(
                'button',
                { type: 'button', class: 'link', onclick: () => this.editor.select(place) },
                (({ line, column }) => `Line ${line}, column ${column}`)(lineOf(this.editor.text, place.from)),
              ),
            place && ': ',
            h('bdi', {}, cut(message.slice(0, 1200), 300)),
          ),
        ),
    );
  }

  async run() {
    const problems = this.found();
    this.showProblems(problems);
    if (problems.length) {
      if (problems[0].place) this.editor.select(problems[0].place);
      return;
    }
    const [method, params] = [this.name.value, this.parsed().value];
    if (this.methods.writes(method) && params.dry_run !== true && !(await this.confirm(method))) return;
    this.past.add(method, this.editor.text);
    this.showPast();
    this.cancel();
    await this.ask(method, params);
  }

  /** Asks the reader before something is written. */
  confirm(method) {
    const dialog = byId('console-dialog');
    return new Promise((resolve) => {
      const answer = (value) => {
        dialog.close();
        resolve(value);
      };
      show(
        dialog,
        h('h2', {}, 'This writes'),
        h('p', {}, `${method} changes what is on the server. ${this.methods.byName.get(method).summary}`),
        h(
          'p',
          { class: 'actions' },
          h('button', { type: 'button', autofocus: true, onclick: () => answer(false) }, 'Do not send'),
          h('button', { type: 'button', class: 'primary', id: 'console-confirm', onclick: () => answer(true) }, 'Send'),
        ),
      );
      dialog.oncancel = () => resolve(false);
      dialog.showModal();
    });
  }

  async ask(method, given) {
    const isStreamed = this.stream.checked && !this.streamLabel.hidden;
    const params = isStreamed ? { ...given, stream: { credit: STREAM_CREDIT, ...given.stream } } : given;
    const items = [];
    const started = performance.now();
    const call = this.rpc.start(method, params, {
      isOnce: this.methods.writes(method),
      partial: (more, grant) => {
        if (this.running !== call) return;
        items.push(...more);
        this.status.textContent = `${plural(items.length, 'item')} so far`;
        if (items.length < ITEMS_MAX) grant();
        else this.cancel(`The first ${countText(items.length)} items; the rest was cancelled.`);
      },
    });
    this.running = call;
    this.events?.close();
    this.stop.hidden = false;
    this.output.setAttribute('aria-busy', 'true');
    this.status.textContent = 'Sent…';
    try {
      const result = await call.answer;
      if (this.running !== call) return;
      this.result = items.length ? { ...result, items } : result;
      const ms = Math.round(performance.now() - started);
      const { length } = rowsOf(this.result);
      this.status.textContent = [
        `${ms} ms`,
        length && plural(length, 'row'),
        result?.complete === false && `not complete: ${result.reason}`,
        ...(result?.warnings ?? []).map(({ message }) => message),
      ]
        .filter(Boolean)
        .join(' · ');
      if (method === 'subscribe') this.follow(result.sub);
    } catch (error) {
      if (this.running !== call) return;
      this.result = items.length
        ? { items }
        : { error: { code: error.code, message: error.message, data: error.data } };
      this.status.textContent = error.code === CANCELLED ? (call.why ?? 'Cancelled.') : describe(error);
      this.markErrors(error);
    }
    this.graph = null;
    if (method !== 'subscribe') this.finish();
    this.output.removeAttribute('aria-busy');
    this.look(this.form === 'picture' ? 'tree' : this.form);
  }

  finish() {
    this.running = null;
    this.stop.hidden = true;
  }

  /** Where the server found something wrong. */
  markErrors({ data }) {
    const { places } = this.parsed();
    const errors = data?.errors?.length ? data.errors : data?.path ? [data] : [];
    // The path of a rule of a record begins at the record.
    const pointer = ({ path, index }) =>
      index !== undefined && path !== undefined && !path.startsWith('/records') ? `/records/${index}${path}` : path;
    const problems = errors
      .filter(({ path }) => typeof path === 'string')
      .map((error) => ({
        message: [pointer(error), error.message ?? error.rule].filter(Boolean).join(' '),
        place: placeOfPath(places, pointer(error)),
      }));
    if (problems.length) this.showProblems(problems);
  }

  /** Shows the events of a subscription as they come, the newest first. */
  follow(sub) {
    const events = [];
    const take = ({ detail }) => {
      if (detail.sub !== sub) return;
      events.unshift(...[...detail.events].reverse());
      events.length = Math.min(events.length, ITEMS_MAX);
      this.result = { sub, events };
      this.status.textContent = `${plural(events.length, 'event')}, the newest first`;
      this.rpc.notify('$/credit', { sub, n: detail.events.length });
      this.look(this.form === 'picture' ? 'tree' : this.form);
    };
    this.rpc.addEventListener('event', take);
    this.events = {
      close: () => {
        this.rpc.removeEventListener('event', take);
        this.rpc.call('unsubscribe', { sub }).catch(() => {});
        this.events = null;
        this.finish();
      },
    };
  }

  cancel(why) {
    if (this.events) {
      this.events.close();
      this.status.textContent += ' · ended';
    } else if (this.running) {
      this.running.why = why;
      this.running.cancel();
    }
  }

  async look(form) {
    this.form = form;
    for (const button of this.forms) button.setAttribute('aria-pressed', String(button.dataset.form === form));
    if (form === 'picture') await this.picture();
    else if (this.result === undefined) show(this.output, h('p', { class: 'sub' }, 'The answer appears here.'));
    else show(this.output, form === 'table' ? tableOf(this.result) : treeOf(this.result));
  }

  /** The nodes that the answer names and the edges between them, in the page's own picture. Without any, the page says so. */
  async picture() {
    const { nodes, edges, tx, isNamed } = await drawnOf(this.rpc, this.result);
    if (!nodes.length) {
      const text = isNamed ? 'The nodes that this answer names do not exist.' : 'This answer names no node to draw.';
      show(this.output, h('p', { class: 'sub' }, text));
      return;
    }
    this.openPicture({ nodes, edges, tx });
  }

  showPast() {
    show(
      this.history,
      h('option', { value: '' }, this.past.list().length ? 'Sent before…' : 'Nothing was sent yet'),
      this.past.list().map(({ method, text }, i) =>
        h('option', { value: String(i) }, `${method} ${cut(text.replace(/\s+/g, ' '), 70)}`),
      ),
    );
  }

  forget() {
    this.past.forget();
    this.showPast();
  }
}
