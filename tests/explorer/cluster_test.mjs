// What the picture of the cluster says of the member `log` of `server.info`, and where it draws it, without a browser
// and without a server. Run with `node --test`.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DRAWN_MAX, clusterModel, clusterPicture } from '../../tools/explorer/src/pages/cluster.js';

/** Elements as far as dom.js makes them; text stays text, so markup in a name would be seen as text here, too. */
class FakeElement {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [] });
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  append(child) {
    this.children.push(child);
  }
  /** This element and all below it that are called `tag`. */
  all(tag) {
    const below = this.children.filter((each) => each instanceof FakeElement).flatMap((each) => each.all(tag));
    return this.tag === tag ? [this, ...below] : below;
  }
  get text() {
    return this.children.map((each) => each.text ?? each).join('');
  }
}

before(() => {
  globalThis.Node = FakeElement;
  globalThis.document = { createElementNS: (_, tag) => new FakeElement(tag) };
});

const server = (name, more = {}) => ({ name, leader: false, current: true, lag: 0, ...more });
const node = (name, more = {}) => ({ name, self: false, position: 41, last_seen_s: 0.4, ...more });

/** Three servers and three nodes, all of which have everything. */
const healthy = (more = {}) => ({
  connected: true,
  position: 41,
  lag: 0,
  last_contact_s: 0.2,
  servers: [server('n1', { leader: true }), server('n2'), server('n3')],
  nodes: [node('http://a:1'), node('http://b:2', { self: true }), node('http://c:3')],
  ...more,
});

const boxesOf = (picture) => picture.all('g').filter((each) => /\bbox\b/.test(each.attributes.class));
const labelsOf = (picture) => boxesOf(picture).map((each) => each.attributes['aria-label']);

test('a cluster that is well, in one line', () => {
  const model = clusterModel(healthy());
  assert.equal(model.text, '3 NATS servers, leader n1; 3 nodes, this one at message 41, 0 behind.');
  assert.deepEqual(
    model.servers.map(({ name, lines, isBehind }) => [name, ...lines, isBehind]),
    [
      ['n1', 'leader', 'up to date', false],
      ['n2', 'copy', 'up to date', false],
      ['n3', 'copy', 'up to date', false],
    ],
  );
  assert.deepEqual(
    model.nodes.map(({ name, lines, isSelf }) => [name, ...lines, isSelf]),
    [
      ['b:2', 'this node', '0 behind', true],
      ['a:1', 'at message 41', '0 behind', false],
      ['c:3', 'at message 41', '0 behind', false],
    ],
    'this node first, the others in the order of the server',
  );
});

test('who is behind is said with how far, against the end of the log as this node knows it', () => {
  const model = clusterModel(
    healthy({
      position: 38,
      lag: 4,
      servers: [
        server('n1', { leader: true }),
        server('n2', { current: false, lag: 7 }),
        server('n3', { current: false }),
      ],
      nodes: [node('a', { position: 30 }), node('b', { self: true, position: 1 }), node('c', { position: 50 })],
    }),
  );
  assert.equal(model.end, 42);
  assert.deepEqual(
    model.servers.map(({ lines }) => lines.join(' ')),
    ['leader up to date', 'copy 7 behind', 'copy behind or gone'],
  );
  assert.deepEqual(
    model.nodes.map(({ name, state, isBehind }) => [name, state, isBehind]),
    [
      ['b', '4 behind', true],
      ['a', '12 behind', true],
      ['c', '0 behind', false],
    ],
    'this node is where it says now; one beyond the known end lacks nothing',
  );
  assert.equal(
    model.text,
    '3 NATS servers, leader n1, n2 7 behind, n3 behind or gone; ' +
      '3 nodes, this one at message 38, 4 behind; a 12 behind; 1 other 0 behind.',
  );
});

test('a node that is silent for more than 3 s is faded with its age; this one never is', () => {
  const model = clusterModel(
    healthy({
      nodes: [
        node('a', { last_seen_s: 3 }),
        node('b', { self: true, last_seen_s: 9 }),
        node('c', { last_seen_s: 5.9 }),
      ],
    }),
  );
  assert.deepEqual(
    model.nodes.map(({ name, lines, isSilent }) => [name, lines[0], isSilent]),
    [
      ['b', 'this node', false],
      ['a', 'at message 41', false],
      ['c', 'heard 5 s ago', true],
    ],
  );
  assert.match(model.text, /; c 0 behind, heard 5 s ago; 1 other 0 behind\.$/);
  const faded = boxesOf(clusterPicture(model, 600)).filter((each) => each.attributes.class.includes('silent'));
  assert.deepEqual(
    faded.map((each) => each.attributes['aria-label']),
    ['Node c: at message 41, 0 behind, heard 5 s ago'],
  );
});

test('of many that are behind the text names some, and the boxes all', () => {
  const nodes = Array.from({ length: 20 }, (_, i) => node(`n${i}`, { self: i === 0, position: i < 10 ? 41 : 40 }));
  const model = clusterModel(healthy({ nodes }));
  assert.match(model.text, /0 behind; n10 1 behind; .*; n15 1 behind; 4 others behind or silent; 9 others 0 behind\.$/);
  assert.equal(labelsOf(clusterPicture(model, 600)).filter((each) => each.endsWith(', 1 behind')).length, 10);
});

test('without the log it says so, and for how long', () => {
  const away = healthy({ connected: false, last_contact_s: 75, nodes: [] });
  assert.equal(
    clusterModel(away).text,
    'The log is not connected and was not heard of for 1 min. As last known: 3 NATS servers, leader n1; ' +
      'this node at message 41, 0 behind, no other heard of.',
  );
  assert.match(clusterPicture(clusterModel(away), 600).text, /log, not connected for 1 min/);
  const never = clusterModel(healthy({ connected: false, last_contact_s: 0, servers: [], nodes: [] }));
  assert.match(never.text, /not heard of since this node started\. As last known: NATS servers not known; this node/);
});

test('no leader, no list of servers, a server that lists nothing at all', () => {
  assert.match(
    clusterModel(healthy({ servers: [server('n1'), server('n2')] })).text,
    /^2 NATS servers, no leader known;/,
  );
  assert.match(clusterModel(healthy({ servers: [] })).text, /^NATS servers not listed/);
  const model = clusterModel({ connected: true, position: 0, lag: 0, last_contact_s: 0 });
  assert.match(model.text, /; 1 node, this one at message 0, 0 behind\.$/);
  const picture = clusterPicture(model, 600);
  assert.deepEqual(labelsOf(picture), ['Node name unknown: this node, at message 0, 0 behind']);
  assert.doesNotMatch(picture.text, /NATS/);
});

test('long names lose their middle, and are whole in the title', () => {
  const name = `http://a-very-long-name-${'x'.repeat(170)}.example:7411`;
  const model = clusterModel(
    healthy({ nodes: [node(name), node('b', { self: true })], servers: [server('漢'.repeat(30))] }),
  );
  assert.equal(model.nodes[1].name, 'a-very-l…ple:7411');
  assert.equal(model.servers[0].name, '漢漢漢漢…漢漢漢漢');
  const titles = clusterPicture(model, 600)
    .all('title')
    .map((each) => each.text);
  assert.ok(titles.some((title) => title.includes(name)));
  assert.ok(titles.some((title) => title.includes('漢'.repeat(30))));
});

test('names are text: markup stays what it is, what cannot be seen or turns the text is replaced', () => {
  const names = ['<img src=x>', 'a\u202eb\u0000c\nd', '\ud800', '😀'.repeat(20), ''];
  const model = clusterModel(
    healthy({ servers: names.map((name) => server(name)), nodes: names.map((name) => node(name)) }),
  );
  assert.deepEqual(
    model.servers.map(({ name }) => name),
    ['<img src=x>', 'a\ufffdb\ufffdc\ufffdd', '\ufffd', '😀😀😀😀…😀😀😀😀', '(no name)'],
  );
  const picture = clusterPicture(model, 600);
  assert.equal(picture.all('img').length, 0);
  assert.equal(picture.all('text').filter((each) => each.text === '<img src=x>').length, 2);
});

test('the leader, copies that are behind and this node are told apart by shape and words', () => {
  const servers = [server('n1', { leader: true }), server('n2', { lag: 5 })];
  const picture = clusterPicture(clusterModel(healthy({ servers })), 600);
  const [leader, copy, self, other] = boxesOf(picture);
  assert.equal(leader.all('polygon').length, 1);
  assert.equal(copy.all('polygon').length, 0);
  assert.ok(copy.all('rect')[0].attributes['stroke-dasharray']);
  assert.equal(self.all('rect').length, 2);
  assert.equal(other.all('rect').length, 1);
  assert.deepEqual(labelsOf(picture).slice(0, 3), [
    'NATS server n1: leader, up to date',
    'NATS server n2: copy, 5 behind',
    'Node http://b:2: this node, at message 41, 0 behind',
  ]);
});

// Claim: 64 nodes are drawn inside of the picture, none over another, whatever its width; more are counted in the text.
test('many nodes wrap, and more than are drawn are said', () => {
  const many = Array.from({ length: 70 }, (_, i) => node(`node-${i}`, { self: i === 69 }));
  const model = clusterModel(healthy({ nodes: many }));
  assert.equal(model.nodes.length, DRAWN_MAX);
  assert.equal(model.nodes[0].whole, 'node-69', 'this node is always drawn');
  assert.match(model.text, /; 70 nodes, this one at message 41, 0 behind\. Not drawn: 6 nodes\.$/);
  for (const width of [0, 140, 280, 596, 5000]) {
    const picture = clusterPicture(model, width);
    const [, top, wide, high] = picture.attributes.viewBox.split(' ').map(Number);
    assert.ok(wide <= Math.max(width, 280), `${wide} in ${width}`);
    const rects = boxesOf(picture)
      .flatMap((each) => each.all('rect').slice(0, 1))
      .map(({ attributes }) => attributes);
    const isApart = (a, b) => Math.abs(a.x - b.x) >= a.width || Math.abs(a.y - b.y) >= a.height;
    rects.forEach((a, i) => rects.slice(i + 1).forEach((b) => assert.ok(isApart(a, b), `${a.x},${a.y}`)));
    for (const { x, y, width: w, height: h } of rects) {
      assert.ok(Number(x) >= 0 && Number(x) + Number(w) <= wide, `x ${x}`);
      assert.ok(Number(y) >= top && Number(y) + Number(h) <= top + high, `y ${y}`);
    }
  }
});
