// The picture of the cluster: who keeps the replicated log, who writes it, and how far each of them is.
import { svg } from '../dom.js';
import { countText, durationText, plural } from '../form.js';

/** The most boxes of each kind that are drawn. */
export const DRAWN_MAX = 64;
/** A node that was not heard of for longer is faded; nodes say where they are every second. */
const SILENT_AFTER_S = 3;
/** The most nodes that the text names; each box has words of its own. */
const LISTED_MAX = 6;
/** Columns of letters that a box has room for. */
const NAME_COLUMNS = 18;

const BOX = { width: 134, height: 62, gap: 10, tip: 10 };
const LINE_HEIGHT = 16;
/** Room for half of an outline around everything. */
const EDGE = 1;

/**
 * What the picture and the text say, without a place on the page.
 * @param {object} log the member `log` of the answer of `server.info`
 */
export function clusterModel(log) {
  const end = log.position + log.lag;
  const servers = (log.servers ?? []).map(serverOf);
  const nodes = nodesOf(log, end);
  const model = {
    isConnected: log.connected,
    silence: silenceOf(log),
    end,
    servers: servers.slice(0, DRAWN_MAX),
    nodes: nodes.slice(0, DRAWN_MAX),
    omitted: { servers: Math.max(0, servers.length - DRAWN_MAX), nodes: Math.max(0, nodes.length - DRAWN_MAX) },
  };
  return { ...model, text: textOf(servers, nodes, model) };
}

function serverOf({ name, leader, current, lag }) {
  const isBehind = lag > 0 || !current;
  const state = lag > 0 ? `${countText(lag)} behind` : current ? 'up to date' : 'behind or gone';
  return { ...named(name), isLeader: leader, isBehind, state, lines: [leader ? 'leader' : 'copy', state] };
}

/** This node first. It is there even where its own announcement did not come back to it: it has answered just now. */
function nodesOf(log, end) {
  const listed = log.nodes ?? [];
  const self = { name: listed.find((each) => each.self)?.name ?? 'name unknown', self: true, position: log.position };
  return [self, ...listed.filter((each) => !each.self)].map((each) => {
    const lacks = Math.max(0, end - each.position); // one that is before the end that this node knows lacks nothing
    const age = each.self ? 0 : each.last_seen_s;
    const isSilent = age > SILENT_AFTER_S;
    const heard = isSilent ? `heard ${durationText(age)} ago` : '';
    const place = `at message ${countText(each.position)}`;
    const state = `${countText(lacks)} behind`;
    return {
      ...named(each.name),
      isSelf: each.self,
      isBehind: lacks > 0,
      isSilent,
      heard,
      place,
      state,
      lines: [each.self ? 'this node' : heard || place, state],
    };
  });
}

const silenceOf = ({ connected, last_contact_s: seconds }) =>
  connected ? '' : seconds > 0 ? `for ${durationText(seconds)}` : 'since this node started';

// --- names, which come from outside ----------------------------------------------------------------------------------

/** The whole name, and what a box has room for. Characters that are not seen, or turn the text around, are replaced. */
function named(given) {
  const whole = String(given).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd') || '(no name)';
  return { whole, name: cut(whole.replace(/^https?:\/\//, '')) };
}

/** Without its middle: names that begin alike end in a number, addresses in their port. */
function cut(name) {
  const letters = [...name];
  if (columnsOf(letters) <= NAME_COLUMNS) return name;
  const half = (NAME_COLUMNS - 2) / 2;
  return `${taken(letters, half)}…${[...taken(letters.reverse(), half)].reverse().join('')}`;
}

const columnsOf = (letters) => letters.reduce((sum, letter) => sum + columnsOfLetter(letter), 0);

/** Scripts of East Asia and pictures take two columns. */
const columnsOfLetter = (letter) => (letter.codePointAt(0) >= 0x1100 ? 2 : 1);

function taken(letters, columns) {
  let [text, used] = ['', 0];
  for (const letter of letters) {
    used += columnsOfLetter(letter);
    if (used > columns) break;
    text += letter;
  }
  return text;
}

// --- the text ------------------------------------------------------------------------------------------------------

function textOf(servers, nodes, { isConnected, silence, omitted }) {
  const before = isConnected ? '' : `The log is not connected and was not heard of ${silence}. As last known: `;
  const left = [
    omitted.servers > 0 && plural(omitted.servers, 'server'),
    omitted.nodes > 0 && plural(omitted.nodes, 'node'),
  ].filter(Boolean);
  const after = left.length > 0 ? ` Not drawn: ${left.join(' and ')}.` : '';
  return `${before}${serversText(servers, isConnected)}; ${nodesText(nodes, isConnected)}.${after}`;
}

function serversText(servers, isConnected) {
  if (servers.length === 0)
    return isConnected ? 'NATS servers not listed yet' : 'NATS servers not known';
  const leader = servers.find((each) => each.isLeader);
  const behind = servers.filter((each) => each.isBehind).map((each) => `${each.name} ${each.state}`);
  return [plural(servers.length, 'NATS server'), leader ? `leader ${leader.name}` : 'no leader known', ...behind].join(
    ', ',
  );
}

function nodesText(nodes, isConnected) {
  const [self, ...others] = nodes;
  // Away from the log a node soon hears of no other: that does not mean that there is none.
  if (!isConnected && others.length === 0) return `this node ${self.place}, ${self.state}, no other heard of`;
  const remarkable = others.filter((each) => each.isBehind || each.isSilent);
  const rest = others.length - remarkable.length;
  return [
    `${plural(nodes.length, 'node')}, this one ${self.place}, ${self.state}`,
    ...remarkable
      .slice(0, LISTED_MAX)
      .map((each) => [`${each.name} ${each.state}`, each.heard].filter(Boolean).join(', ')),
    remarkable.length > LISTED_MAX && `${plural(remarkable.length - LISTED_MAX, 'other')} behind or silent`,
    remarkable.length > 0 && rest > 0 && `${plural(rest, 'other')} 0 behind`,
  ]
    .filter(Boolean)
    .join('; ');
}

// --- the picture ---------------------------------------------------------------------------------------------------

/**
 * @param {ReturnType<typeof clusterModel>} model @param {number} width of the place for it, in pixels
 * @returns {SVGElement} boxes with their words, in rows that wrap; each is distinguished by shape and words, not by colour
 */
export function clusterPicture(model, width) {
  const columns = Math.max(1, Math.floor((width - 2 * EDGE + BOX.gap) / (BOX.width + BOX.gap)));
  const most = Math.min(columns, Math.max(2, model.servers.length, model.nodes.length));
  const wide = most * (BOX.width + BOX.gap) - BOX.gap;
  const parts = [];
  let y = 0;
  const heading = (text) => {
    parts.push(svg('text', { x: 2, y: y + 12, class: 'heading' }, text));
    y += 20;
  };
  const boxes = (entries, draw) => {
    entries.forEach((entry, i) => {
      const row = Math.floor(i / columns);
      parts.push(draw(entry, EDGE + (i % columns) * (BOX.width + BOX.gap), y + row * (BOX.height + BOX.gap)));
    });
    y += Math.ceil(entries.length / columns) * (BOX.height + BOX.gap);
  };
  if (model.servers.length > 0) {
    heading('NATS servers');
    boxes(model.servers, serverBox);
  }
  parts.push(logLine(model, wide, y));
  y += 28;
  heading('Nodes');
  boxes(model.nodes, nodeBox);
  const size = { width: wide + 2 * EDGE, height: y - BOX.gap + 2 * EDGE };
  return svg(
    'svg',
    {
      class: 'cluster',
      role: 'group',
      'aria-label': 'The cluster',
      viewBox: `0 ${-EDGE} ${size.width} ${size.height}`,
      ...size,
    },
    parts,
  );
}

/** The log between those who keep it and those who write it. */
function logLine({ isConnected, silence, end }, wide, y) {
  const text = isConnected ? `log, last message ${countText(end)}` : `log, not connected ${silence}`;
  return svg(
    'g',
    { class: isConnected ? 'log' : 'log cut' },
    svg('line', { x1: 2, y1: y + 4, x2: wide, y2: y + 4, 'stroke-dasharray': isConnected ? null : '3 5' }),
    svg('text', { x: 2, y: y + 19 }, text),
  );
}

/** A copy is a rectangle, the leader has a tip at each side. */
function serverBox(server, x, y) {
  const { width, height, tip } = BOX;
  const middle = y + height / 2;
  const outline = server.isLeader
    ? svg('polygon', {
        points:
          `${x},${middle} ${x + tip},${y} ${x + width - tip},${y} ${x + width},${middle} ` +
          `${x + width - tip},${y + height} ${x + tip},${y + height}`,
        ...dashes(server),
      })
    : svg('rect', { x, y, width, height, rx: 4, ...dashes(server) });
  const kind = server.isLeader ? 'leader' : '';
  return box(`NATS server ${server.whole}: ${server.lines.join(', ')}`, kind, server, x, y, outline);
}

/** A node has round ends, this one a second line around it. */
function nodeBox(node, x, y) {
  const round = (inset) =>
    svg('rect', {
      x: x + inset,
      y: y + inset,
      width: BOX.width - 2 * inset,
      height: BOX.height - 2 * inset,
      rx: 20 - inset,
      ...(inset ? {} : dashes(node)),
    });
  const facts = [node.isSelf && 'this node', node.place, node.state, node.heard].filter(Boolean);
  const kind = [node.isSelf && 'self', node.isSilent && 'silent'].filter(Boolean).join(' ');
  return box(`Node ${node.whole}: ${facts.join(', ')}`, kind, node, x, y, [round(0), node.isSelf && round(4)]);
}

const dashes = ({ isBehind }) => ({ 'stroke-dasharray': isBehind ? '6 4' : null });

/** A box with its name and two lines of words; what it is called as a whole is its title. */
function box(title, kind, { name, lines, isBehind }, x, y, outline) {
  const words = [name, ...lines].map((text, i) =>
    svg('text', { x: x + BOX.width / 2, y: y + 19 + i * LINE_HEIGHT, class: i === 0 ? 'name' : 'word' }, text),
  );
  const classes = ['box', kind, isBehind && 'behind'].filter(Boolean).join(' ');
  return svg('g', { class: classes, role: 'img', 'aria-label': title }, svg('title', {}, title), outline, words);
}
