// Client certificates: calls and a watch over TLS, with the package that the manual names.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as undici from 'undici';
import { connect, WhenceError } from '../../tools/javascript/index.js';
import { Server } from './server.mjs';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'no openssl program';

/** An authority, a certificate of it for the server and one of a client's. */
function certificates(folder) {
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=ca');
  writeFileSync(join(folder, 'ext'), 'subjectAltName=IP:127.0.0.1');
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', `${name}.pem`, '-days', '1', '-extfile', 'ext');
    chmodSync(join(folder, `${name}.key`), 0o600);
  }
}

/** As the manual has it. */
function showing(certificate) {
  const dispatcher = new undici.Agent({ connect: certificate });
  const options = {
    fetch: (url, init) => undici.fetch(url, { ...init, dispatcher }),
    WebSocket: class extends undici.WebSocket {
      constructor(url, protocols) {
        super(url, { protocols, dispatcher });
      }
    },
  };
  return { options, dispatcher };
}

test('a client certificate stands for a token', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whence-certificates-'));
  certificates(folder);
  const file = (name) => join(folder, name);
  writeFileSync(file('tokens'), 'certificate:client role=write name=ann\n', { mode: 0o600 });
  const server = await Server.start('--tokens', file('tokens'), '--tls-cert', file('server.pem'), '--tls-key', file('server.key'), '--tls-client-ca', file('ca.pem'));
  const [ca, cert, key] = ['ca.pem', 'client.pem', 'client.key'].map((name) => readFileSync(file(name)));
  const [known, nobody] = [showing({ ca, cert, key }), showing({ ca })];
  try {
    const db = connect(server.url, known.options);
    const { tx } = await db.records.write({ records: [{ $type$: 'Topic', id: 't', createdAt: 1 }] });
    const { events } = await db.history.get({ ref: 'Topic:t' });
    assert.equal(events[0].who, 'ann');
    for await (const event of db.watch({ since: tx - 1 })) {
      assert.equal(event.ref, 'Topic:t');
      break;
    }
    await db.close();
    await assert.rejects(connect(server.url, nobody.options).server.info(), WhenceError);
  } finally {
    await Promise.all([known.dispatcher.destroy(), nobody.dispatcher.destroy()]);
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
