// How a record reads: members as rows, times as dates, refs as links, long texts folded.
import { h, show } from '../dom.js';
import { countText, latencyText, timeText } from '../form.js';
import { isScalar } from '../json.js';
import { TYPES, typeOfRef } from '../vocabulary.js';

const TEXT_FOLDED_FROM = 320;
const LISTED_MAX = 200;

/** A record as a table, its members' values readable; refs become links that `panel` makes. */
export function fields(record, panel) {
  const rows = Object.entries(record).filter(([name]) => name !== '$type$' && name !== 'xmlContent');
  return h(
    'table',
    { class: 'fields' },
    rows.map(([name, value]) =>
      h('tr', {}, h('th', { scope: 'row' }, nameOf(name)), h('td', {}, valueOf(name, value, panel))),
    ),
  );
}

const nameOf = (name) => name.replace(/_ms$/, '').replaceAll('_', ' ');

function valueOf(name, value, panel) {
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return h('time', { datetime: value, title: value }, timeText(value));
    if (/^(cu|resp)_/.test(value) && name.endsWith('_id')) return panel.link(refOf(value), value);
    return folded(value);
  }
  if (typeof value === 'number') {
    const isTime = value > 1e11 && /(At|Seen|timestamp|start|end)$/.test(name);
    if (isTime) return h('time', { title: value }, timeText(value));
    return name.endsWith('_ms') ? h('span', { title: `${value} ms` }, latencyText(value)) : String(value);
  }
  if (isScalar(value)) return String(value);
  if (Array.isArray(value) && value.length > 0 && value.every(isRef)) return refList(value.map(refOf), panel);
  if (Array.isArray(value) && value.every((item) => item !== null && isScalar(item))) return folded(value.join(', '));
  if (Array.isArray(value)) {
    return h(
      'ul',
      { class: 'list' },
      value.slice(0, LISTED_MAX).map((item) => h('li', {}, itemOf(item, panel))),
    );
  }
  const rows = Object.entries(value).filter(([key]) => key !== '$type$');
  return h(
    'table',
    { class: 'fields' },
    rows.map(([key, item]) =>
      h('tr', {}, h('th', { scope: 'row' }, nameOf(key)), h('td', {}, valueOf(key, item, panel))),
    ),
  );
}

const isRef = (value) =>
  typeof value === 'string' && (/^(cu|resp)_/.test(value) || (value.includes(':') && typeOfRef(value) in TYPES));

/** Ids with these prefixes need no type in the protocol; links here do. */
const refOf = (value) =>
  value.startsWith('cu_') ? `ContextUnit:${value}` : value.startsWith('resp_') ? `Response:${value}` : value;

const refList = (refs, panel) =>
  h(
    'ul',
    { class: 'list' },
    refs.slice(0, LISTED_MAX).map((ref) => h('li', {}, panel.link(ref))),
  );

/** An item of a list in one line where its members are plain values, else as a table. */
function itemOf(item, panel) {
  if (isScalar(item)) return String(item);
  const members = Object.entries(item);
  if (members.some(([, value]) => !isScalar(value))) return valueOf('', item, panel);
  return members.map(([name, value], i) => [
    i ? ' · ' : '',
    ['number', 'object'].includes(typeof value) && value !== null ? `${name.replaceAll('_', ' ')} ` : '',
    valueOf(name, value, panel),
  ]);
}

/** Long texts show their beginning until asked. */
function folded(text) {
  if (text.length <= TEXT_FOLDED_FROM) return text;
  const shown = h('span', {}, `${text.slice(0, TEXT_FOLDED_FROM - 40)}… `);
  const button = h(
    'button',
    {
      type: 'button',
      class: 'link',
      'aria-expanded': 'false',
      onclick: () => {
        show(shown, text);
        button.remove();
      },
    },
    `show all ${countText(text.length)} characters`,
  );
  return h('span', { class: 'fold' }, shown, button);
}
