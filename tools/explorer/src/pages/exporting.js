// The export dialog: the picture as PNG or SVG, what it shows in the formats that the server writes.
import { byId, download, h, show } from '../dom.js';
import { countText } from '../form.js';
import { addressOf } from '../server/address.js';
import { momentOf } from '../server/load.js';
import { describe } from '../server/rpc.js';
import { now } from '../state.js';
import { pngOf, svgOf } from '../picture/svg_export.js';
import { idOfRef } from '../vocabulary.js';

const POLL_MS = 250;

export class Exporting {
  /** @param {import('../server/rpc.js').Rpc} rpc @param {import('../picture/picture.js').Picture} picture */
  constructor(rpc, picture) {
    this.rpc = rpc;
    this.picture = picture;
    this.dialog = byId('export-dialog');
    this.formats = [];
  }

  /** Takes the formats over that the server describes. @param {object} described the answer of `rpc.discover` */
  useFormats(described) {
    const params = described.methods.find(({ name }) => name === 'export.start')?.params ?? [];
    this.formats = params.find(({ name }) => name === 'format')?.schema['x-formats'] ?? [];
  }

  open() {
    this.message = h('div', { role: 'status', id: 'export-message' });
    const button = (text, onclick, id = null) => h('button', { type: 'button', id, onclick }, text);
    this.files = h('div');
    show(
      this.dialog,
      h('h2', {}, 'Export what is shown'),
      // A page to read has no picture of its own to export.
      now().view !== 'page' && [
        h('h3', {}, 'Picture'),
        h(
          'div',
          { class: 'formats' },
          button('PNG', () => this.png(), 'export-png'),
          button('SVG', () => this.svg(), 'export-svg'),
        ),
      ],
      this.files,
      this.message,
      h(
        'p',
        { class: 'actions' },
        button('Close', () => this.dialog.close()),
      ),
    );
    this.dialog.showModal();
    if (this.formats.length) {
      show(
        this.files,
        h('h3', {}, 'Records and edges'),
        h(
          'div',
          { class: 'formats uses' },
          this.formats.map(({ name, title, use }) => [button(title, () => this.write(name), `export-${name}`), h('span', {}, use)]),
        ),
      );
    }
  }

  name(suffix) {
    return `whence-${idOfRef(now().ref)
      .replace(/[^\w.-]+/g, '_')
      .slice(0, 60)}.${suffix}`;
  }

  async png() {
    download(this.name('png'), await this.picture.detailed(pngOf));
  }

  async svg() {
    download(this.name('svg'), new Blob([await this.picture.detailed(svgOf)], { type: 'image/svg+xml' }));
  }

  select() {
    const { view, ref, up, down } = now();
    return view === 'impact'
      ? { method: 'impact.analyze', params: { refs: [ref] } }
      : { method: 'lineage.graph', params: { ref, up, down, relations: true } };
  }

  async write(format) {
    show(this.message, h('p', {}, 'Writing…'));
    try {
      const { job } = await this.rpc.call('export.start', { select: this.select(), format, ...momentOf(now().as_of) });
      this.offer(await this.finished(job));
    } catch (error) {
      show(this.message, h('p', {}, describe(error)));
    }
  }

  async finished(job) {
    for (;;) {
      const status = await this.rpc.call('export.status', { job });
      if (status.state === 'done') return status;
      if (status.state !== 'running') throw new Error(status.error?.message ?? `The export was ${status.state}.`);
      if (status.total) show(this.message, h('p', {}, `${countText(status.done)} of ${countText(status.total)}`));
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  offer({ files }) {
    show(
      this.message,
      h('h3', {}, 'Ready'),
      h(
        'ul',
        { class: 'list' },
        files.map((file) =>
          h(
            'li',
            {},
            h(
              'div',
              { class: 'line' },
              this.link(file),
              h('span', { class: 'number' }, `${countText(file.bytes)} bytes`),
            ),
          ),
        ),
      ),
    );
  }

  /** With a token the file is fetched by script, because a link cannot carry one and an address must not. */
  link(file) {
    if (!this.rpc.token) return h('a', { href: addressOf(file.url), download: file.name }, file.name);
    const fetchIt = async () => {
      const answer = await fetch(addressOf(file.url), { headers: { Authorization: `Bearer ${this.rpc.token}` } });
      if (answer.ok) download(file.name, await answer.blob());
      else show(this.message, h('p', {}, `The file could not be fetched: HTTP ${answer.status}.`));
    };
    return h('button', { type: 'button', class: 'link', onclick: fetchIt }, file.name);
  }
}
