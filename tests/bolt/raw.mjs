// A client of Bolt that does what drivers do not: it stops reading, breaks off, and sends what is not allowed.
import { connect } from 'node:net';

const SIGNATURES = { hello: 0x01, logon: 0x6a, reset: 0x0f, run: 0x10, pull: 0x3f, route: 0x66 };
const RECORD = 0x71;

/** One value of PackStream. Integers have 64 bits; maps and lists at most 65,535 entries. */
function pack(value) {
  const sized = (tag, size) => Buffer.from([tag, size >> 8, size & 255]);
  if (value === null) return Buffer.from([0xc0]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeBigInt64BE(BigInt(value), 1);
    return bytes;
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    const head = Buffer.alloc(5, 0xd2);
    head.writeUInt32BE(text.length, 1);
    return Buffer.concat([head, text]);
  }
  if (Array.isArray(value)) return Buffer.concat([sized(0xd5, value.length), ...value.map(pack)]);
  const entries = Object.entries(value);
  return Buffer.concat([sized(0xd9, entries.length), ...entries.flatMap(([key, each]) => [pack(key), pack(each)])]);
}

/** Reads values of PackStream: those of the answers to requests. */
function unpack(bytes) {
  let at = 0;
  const take = (size) => bytes.subarray(at, (at += size));
  const text = (size) => take(size).toString();
  const list = (size) => Array.from({ length: size }, value);
  const map = (size) => Object.fromEntries(Array.from({ length: size }, () => [value(), value()]));
  function value() {
    const tag = bytes[at++];
    if (tag < 0x80 || tag >= 0xf0) return (tag << 24) >> 24;
    if (tag < 0x90) return text(tag & 15);
    if (tag < 0xa0) return list(tag & 15);
    if (tag < 0xb0) return map(tag & 15);
    switch (tag) {
      case 0xc0: return null;
      case 0xc1: return take(8).readDoubleBE();
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc8: return take(1).readInt8();
      case 0xc9: return take(2).readInt16BE();
      case 0xca: return take(4).readInt32BE();
      case 0xcb: return Number(take(8).readBigInt64BE());
      case 0xd0: return text(take(1)[0]);
      case 0xd1: return text(take(2).readUInt16BE());
      case 0xd4: return list(take(1)[0]);
      case 0xd5: return list(take(2).readUInt16BE());
      case 0xd8: return map(take(1)[0]);
      default: throw new Error(`a tag that is not read here: ${tag}`);
    }
  }
  return value();
}

export class RawClient {
  records = 0; // that came
  #answers = []; // that nobody has waited for
  #waiting = [];
  #input = Buffer.alloc(0);
  #message = [];
  #isAgreed = false;

  /** Connected, and agreed on version 5.4. */
  static async open(authority) {
    const client = new RawClient();
    const [host, port] = authority.split(':');
    client.socket = connect({ host, port: Number(port) });
    client.ended = new Promise((resolve) => client.socket.on('close', resolve));
    client.socket.on('error', () => {});
    client.socket.on('data', (part) => client.#take(part));
    client.socket.write(Buffer.from([0x60, 0x60, 0xb0, 0x17, 0, 0, 4, 5, ...new Array(12).fill(0)]));
    await client.answer();
    return client;
  }

  /** The same, and past the token. */
  static async enter(authority, token = { scheme: 'none' }) {
    const client = await RawClient.open(authority);
    client.send('hello', { user_agent: 'raw' });
    client.send('logon', token);
    await client.success();
    await client.success();
    return client;
  }

  send(kind, ...fields) {
    const message = Buffer.concat([Buffer.from([0xb0 + fields.length, SIGNATURES[kind]]), ...fields.map(pack)]);
    for (let at = 0; at < message.length; at += 0xffff) {
      const chunk = message.subarray(at, at + 0xffff);
      this.socket.write(Buffer.concat([Buffer.from([chunk.length >> 8, chunk.length & 255]), chunk]));
    }
    this.socket.write(Buffer.from([0, 0]));
  }

  /** The next answer that is no record: `{tag, fields}`. */
  answer() {
    if (this.#answers.length) return Promise.resolve(this.#answers.shift());
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      this.ended.then(() => reject(new Error('the connection has ended')));
    });
  }

  /** The metadata of the next answer, which is SUCCESS. */
  async success() {
    const { tag, metadata } = await this.answer();
    if (tag !== 0x70) throw new Error(`0x${tag.toString(16)} ${JSON.stringify(metadata)}`);
    return metadata;
  }

  #give(answer) {
    const resolve = this.#waiting.shift();
    if (resolve) resolve(answer);
    else this.#answers.push(answer);
  }

  #take(part) {
    this.#input = Buffer.concat([this.#input, part]);
    let at = 0;
    if (!this.#isAgreed) {
      if (this.#input.length < 4) return;
      this.#isAgreed = true;
      at = 4;
      this.#give({ version: this.#input.readUInt32BE() });
    }
    for (;;) {
      if (this.#input.length < at + 2) break;
      const size = this.#input.readUInt16BE(at);
      if (this.#input.length < at + 2 + size) break;
      if (size) this.#message.push(this.#input.subarray(at + 2, at + 2 + size));
      else this.#end();
      at += 2 + size;
    }
    this.#input = this.#input.subarray(at);
  }

  #end() {
    if (!this.#message.length) return; // a NOOP
    const message = Buffer.concat(this.#message);
    this.#message = [];
    if (message[1] === RECORD) this.records += 1;
    else this.#give({ tag: message[1], metadata: message.length > 2 ? unpack(message.subarray(2)) : {} });
  }
}
