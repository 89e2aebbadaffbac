// The about box: which server this is, how much it holds, and the picture of its cluster where it has a replicated log.
import { byId, h, show } from '../dom.js';
import { bytesText, countText, plural } from '../form.js';
import { describe } from '../server/rpc.js';
import { clusterModel, clusterPicture } from './cluster.js';

const REFRESH_MS = 2000;

export class About {
  /** @param {import('../server/rpc.js').Rpc} rpc */
  constructor(rpc) {
    this.rpc = rpc;
    this.dialog = byId('about-dialog');
    this.turn = 0;
    this.dialog.addEventListener('close', () => this.closed());
    rpc.addEventListener('state', ({ detail }) => {
      if (this.dialog.open && detail === 'lost') this.say('The connection to the server is lost. Connecting again…');
    });
  }

  open() {
    if (this.dialog.open) return;
    this.facts = h('dl', { class: 'facts' });
    this.message = h('p', { role: 'status' });
    this.cluster = h('div', { id: 'about-cluster' });
    this.telemetry = h('div', { id: 'about-telemetry' });
    this.drawn = { facts: '', telemetry: '', cluster: '' };
    this.opener = document.activeElement;
    show(
      this.dialog,
      h('h2', {}, 'About this server'),
      this.facts,
      this.telemetry,
      this.cluster,
      this.message,
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'button', class: 'primary', autofocus: true, onclick: () => this.dialog.close() }, 'Close'),
      ),
    );
    this.dialog.showModal();
    this.say(this.rpc.isOpen ? 'Asking the server…' : 'There is no connection to the server. Connecting…');
    this.refresh(++this.turn);
  }

  /** Nothing is asked any more, and an answer that is still to come draws nothing. */
  closed() {
    this.turn += 1;
    clearTimeout(this.timer);
    // The button that opened the box may be gone: the start page is made anew with what is written.
    if (!this.opener.isConnected) byId('help-button').focus();
  }

  /** One question after the other: the next one waits for the answer. */
  async refresh(turn) {
    let failure = '';
    try {
      const info = await this.rpc.call('server.info');
      if (turn === this.turn) this.draw(info);
    } catch (error) {
      failure = describe(error);
    }
    if (turn !== this.turn) return;
    this.say(failure);
    this.timer = setTimeout(() => this.refresh(turn), REFRESH_MS);
  }

  /** Only what says something new is made anew, so that who reads it keeps the place. */
  draw(info) {
    const facts = [
      ['Version', info.version],
      info.namespace && ['Namespace', info.namespace],
      ['Store', bytesText(info.store_bytes)],
      ['Transaction', countText(info.tx)],
    ].filter(Boolean);
    if (this.isNew('facts', facts)) {
      show(
        this.facts,
        facts.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
      );
    }
    const unknown = info.not_understood ?? [];
    if (this.isNew('telemetry', unknown)) {
      show(
        this.telemetry,
        unknown.length > 0 && [
          h('h3', {}, 'Telemetry'),
          h(
            'ul',
            {},
            unknown.map(({ kind, spans }) =>
              h(
                'li',
                {},
                `${plural(spans, 'span')} of kind “${kind}” ${spans === 1 ? 'was' : 'were'} not understood since the start. `,
              ),
            ),
          ),
          h('p', { class: 'sub' }, 'They are links between other spans; no answer or source was made of them.'),
        ],
      );
    }
    const model = info.log ? clusterModel(info.log) : null;
    const width = this.cluster.clientWidth;
    if (!this.isNew('cluster', [model, width])) return;
    show(
      this.cluster,
      model && [h('h3', {}, 'Cluster'), h('p', { id: 'about-cluster-text' }, model.text), clusterPicture(model, width)],
    );
  }

  isNew(part, what) {
    const text = JSON.stringify(what);
    const isNew = text !== this.drawn[part];
    this.drawn[part] = text;
    return isNew;
  }

  say(text) {
    if (this.message.textContent !== text) this.message.textContent = text;
  }
}
