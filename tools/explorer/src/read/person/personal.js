// What there is of a person, in words for people who are no engineers: how much, what keeps it, and its erasure, which
// shows what would go before it is asked for.
import { download, h, show } from '../../dom.js';
import { countText, plural, shellWord, timeText } from '../../form.js';
import { describe } from '../../server/rpc.js';
import { go } from '../../state.js';
import { typeName } from '../../vocabulary.js';
import { pageLink } from '../names.js';

const FORBIDDEN = -32011;

/** One for as long as the page is of this person: what is half typed stays while the page is looked at again. */
export const personalData = (view) =>
  view.held(`personal ${view.state.as_of}`, () => new PersonalData(view)).element;

class PersonalData {
  constructor(view) {
    this.view = view;
    this.person = view.node.id;
    this.found = h('div', { id: 'personal-found' });
    this.proposals = h('div', { id: 'personal-proposals' });
    this.holds = h('div', { id: 'personal-holds' });
    this.form = h('div', { class: 'rate-more', id: 'personal-form' });
    this.message = h('p', { role: 'status', id: 'personal-message' });
    this.element = h('div', { class: 'rate', 'data-copy': 'no' }, this.found, this.proposals, this.holds, this.form, this.message);
    this.look();
  }

  call(method, params) {
    return this.view.page.rpc.call(method, params);
  }

  /** Asks again how much there is and what keeps it. */
  async look() {
    const past = this.view.state.as_of === null ? {} : { as_of: this.view.state.as_of };
    try {
      const [found, holds] = await Promise.all([
        this.call('person.find', { person: this.person, limit: 1, ...past }),
        this.call('hold.list', { limit: 1000, ...past }),
      ]);
      this.showFound(found);
      this.showHolds(found.held ?? {}, holds.holds ?? []);
      this.showProposals(await this.proposed());
    } catch (error) {
      this.message.textContent = describe(error);
    }
  }

  showFound({ counts = {}, gone = 0, deleted = 0 }) {
    this.isErased = Object.keys(counts).length === 0 && deleted === 0;
    if (this.isErased) {
      show(this.found, h('p', {}, `Nothing is stored of this person but ${plural(gone, 'id')}, without what was said.`));
      return;
    }
    show(
      this.found,
      h('p', {}, 'What is stored of this person:'),
      h(
        'ul',
        { class: 'plain' },
        Object.entries(counts).map(([type, count]) => h('li', {}, `${typeName(type)}: ${countText(count)}`)),
        deleted > 0 && h('li', {}, `deleted, and still stored: ${countText(deleted)}`),
        gone > 0 && h('li', {}, `gone but for their ids: ${countText(gone)}`),
      ),
      h('p', {}, 'All of it in a folder, to give to the person: ', h('code', {}, `whence person export ${shellWord(this.person)} FOLDER`)),
      h('p', { class: 'faint' }, 'Documents and texts that the answers to others rest on, too, are not counted: they stay.'),
    );
  }

  /** Erasures of the person that wait for a second user; none for who may not erase. */
  async proposed() {
    if (this.view.state.as_of !== null) return [];
    try {
      const { proposals } = await this.call('purge.proposals', {});
      return proposals.filter(({ person }) => person === this.person);
    } catch {
      return [];
    }
  }

  showProposals(proposals) {
    show(
      this.proposals,
      proposals.map(({ ref, proposed_by: who, reason, confirm_until: until }) =>
        h(
          'p',
          { class: 'callout', 'data-proposal': ref },
          h('bdi', {}, who),
          ' asked to erase it',
          reason && [': ', h('bdi', {}, reason)],
          `. Nothing is gone yet. Somebody else has to confirm it until ${timeText(until)}. `,
          h('button', { type: 'button', class: 'link', onclick: () => this.confirm(ref, who) }, 'Confirm and erase'),
          ' ',
          h('button', { type: 'button', class: 'link', onclick: () => this.withdraw(ref) }, 'Withdraw'),
        ),
      ),
    );
  }

  confirm(ref, who) {
    show(
      this.form,
      h(
        'form',
        {
          onsubmit: (event) => {
            event.preventDefault();
            this.run(async () => this.erased(await this.call('purge.confirm', { ref })));
          },
        },
        h('p', {}, 'What ', h('bdi', {}, who), ' asked for is carried out: all that is stored of this person by now is erased for ever.'),
        this.actions('Erase for ever', 'primary danger'),
      ),
    );
  }

  withdraw(ref) {
    this.run(async () => {
      await this.call('purge.withdraw', { ref });
      return 'It is withdrawn: nothing is erased.';
    });
  }

  showHolds(held, holds) {
    const ours = holds.filter(({ id, person }) => person === this.person || held[`Hold:${id}`]);
    this.ours = ours;
    const isNow = this.view.state.as_of === null;
    show(
      this.holds,
      ours.map((hold) =>
        h(
          'p',
          { class: 'callout', 'data-hold': hold.id },
          'It must be kept: ',
          h('bdi', {}, hold.reason),
          ` (since ${timeText(hold.timestamp)}). `,
          pageLink(`Hold:${hold.id}`, 'The hold'),
          isNow && [' ', h('button', { type: 'button', class: 'link', onclick: () => this.end(hold) }, 'End it')],
        ),
      ),
      isNow
        ? h(
            'p',
            { class: 'actions' },
            h('button', { type: 'button', id: 'personal-hold', onclick: () => this.keep() }, 'Forbid to erase'),
            !this.isErased && h('button', { type: 'button', class: 'danger', id: 'personal-erase', onclick: () => this.erase() }, 'Erase it…'),
          )
        : h(
            'p',
            { class: 'faint' },
            'This is a past moment. ',
            h('button', { type: 'button', class: 'link', onclick: () => go({ as_of: null }) }, 'Show it as it is now'),
          ),
    );
  }

  /** A form with one reason; `work` gets it. */
  ask(words, action, work) {
    const reason = h('input', { id: 'personal-reason', type: 'text', maxlength: 1000, required: true });
    show(
      this.form,
      h(
        'form',
        {
          onsubmit: (event) => {
            event.preventDefault();
            this.run(() => work(reason.value.trim()));
          },
        },
        h('p', {}, words),
        h('label', { for: 'personal-reason' }, h('span', {}, 'Why'), reason),
        this.actions(action),
      ),
    );
    reason.focus();
  }

  actions(action, kind = 'primary') {
    return h(
      'p',
      { class: 'actions' },
      h('button', { type: 'submit', class: kind, id: 'personal-do' }, action),
      h('button', { type: 'button', onclick: () => show(this.form) }, 'Cancel'),
    );
  }

  async run(work) {
    try {
      show(this.message, await work());
      show(this.form);
      await this.look();
    } catch (error) {
      this.message.textContent = describe(error);
    }
  }

  /** Says why nothing can be asked for, before anything is typed. */
  refused(error) {
    const [hold] = this.ours ?? [];
    show(this.form);
    if (error.code === FORBIDDEN) show(this.message, 'Your token may not do this. It needs one with the role admin.');
    else if (hold && error.data?.rule === 'held')
      show(this.message, 'It cannot be erased while it must be kept: ', h('bdi', {}, hold.reason), '. End ', pageLink(`Hold:${hold.id}`, 'the hold'), ' first.');
    else show(this.message, describe(error));
  }

  async keep() {
    try {
      await this.call('hold.set', { person: this.person, reason: 'asked whether it may be', dry_run: true });
    } catch (error) {
      this.refused(error);
      return;
    }
    show(this.message);
    this.ask('Nothing of this person is then erased or deleted, and nothing expires, until the hold is ended.', 'Forbid to erase', async (reason) => {
      await this.call('hold.set', { person: this.person, reason });
      return 'It is kept.';
    });
  }

  end(hold) {
    this.ask(`The hold "${hold.reason}" is ended. What it kept may then go.`, 'End the hold', async (reason) => {
      await this.call('hold.clear', { id: hold.id, reason });
      return 'The hold is ended.';
    });
  }

  /** Shows what would go; it goes once the name is typed. */
  async erase() {
    let would;
    try {
      would = await this.call('person.erase', { person: this.person, dry_run: true });
    } catch (error) {
      this.refused(error);
      return;
    }
    show(this.message);
    const reason = h('input', { id: 'personal-reason', type: 'text', maxlength: 1000 });
    const name = h('input', { id: 'personal-name', type: 'text', required: true, autocomplete: 'off' });
    show(
      this.form,
      h(
        'form',
        {
          onsubmit: (event) => {
            event.preventDefault();
            if (name.value !== this.person) {
              this.message.textContent = 'That is another name.';
              return;
            }
            this.run(async () => {
              const why = reason.value.trim();
              const done = await this.call('person.erase', { person: this.person, ...(why === '' ? {} : { reason: why }) });
              return this.erased(done);
            });
          },
        },
        h(
          'p',
          { id: 'personal-would' },
          `${plural(would.purged.length, 'record')} would be erased for ever, at every moment of the past, too. `,
          would.shared.length > 0 && `${plural(would.shared.length, 'source')} of the answers ${would.shared.length === 1 ? 'stays' : 'stay'}, since the answers to others rest on ${would.shared.length === 1 ? 'it' : 'them'}.`,
        ),
        h('p', { class: 'faint' }, 'Not reached: ', would.not_reached.map((what, i) => [i > 0 && '; ', plainly(what)]), '.'),
        backups(would),
        h('label', { for: 'personal-reason' }, h('span', {}, 'Why (it is kept, so name nobody here)'), reason),
        h('label', { for: 'personal-name' }, h('span', {}, `Type ${this.person} to erase it`), name),
        this.actions('Erase for ever', 'primary danger'),
      ),
    );
    name.focus();
  }

  /** What was done, with what proves it: nothing that stays leads from the person to it. */
  erased({ purged, erasure, proposed, confirm_until: until, backups: older = [] }) {
    if (proposed) return `It is proposed. Nothing is gone yet: somebody else has to confirm it until ${timeText(until)}.`;
    return [
      `Erased: ${plural(purged.length, 'record')}. `,
      older.length > 0 && `Remove ${plural(older.length, 'backup')} made before, too. `,
      erasure && [
        h('button', { type: 'button', class: 'link', id: 'personal-certificate', onclick: () => this.certify(erasure) }, 'Save the certificate'),
        ', which proves it and names nobody. ',
        pageLink(erasure, 'The record of it'),
      ],
    ];
  }

  async certify(ref) {
    try {
      const certificate = await this.call('person.certificate', { ref });
      download('certificate.json', new Blob([JSON.stringify(certificate)], { type: 'application/json' }));
    } catch (error) {
      this.message.append(` ${describe(error)}`);
    }
  }
}

/** What the server names by its own words, in those of the page; a command in it is set as one. */
const plainly = (what) =>
  what.startsWith('free pages')
    ? ['what was freed on the disk, until the store is compacted (', h('code', {}, 'whence compact'), ')']
    : what.split('`').map((part, i) => (i % 2 ? h('code', {}, part) : part));

/** The backups made before that still have something of the person. */
function backups({ backups: older = [] }) {
  if (older.length === 0) return null;
  return h(
    'div',
    { id: 'personal-backups' },
    h('p', {}, 'Backups made before keep it until they are removed:'),
    h(
      'ul',
      { class: 'plain' },
      older.map(({ path, types, not_looked_at: isUnseen }) =>
        h(
          'li',
          {},
          h('bdi', {}, path),
          `: ${Object.entries(types)
            .map(([type, count]) => `${typeName(type)}: ${countText(count)}`)
            .join(', ')}`,
          isUnseen && ' (not looked at: it is not at its place)',
        ),
      ),
    ),
  );
}
