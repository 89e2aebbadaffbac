// TLS with an authority of the test's own: bolt+s and neo4j+s trust it where they are told to, bolt+ssc whatever comes, and wss in a
// browser. Left out where the program `openssl` is not installed.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import neo4j5 from 'neo4j-driver';
import neo4j6 from 'neo4j-driver-6';
import { launch, noBrowser, servePage } from './browser.mjs';
import { Program, skip as noProgram, waitUntil } from './program.mjs';

const client = fileURLToPath(new URL('tls_client.mjs', import.meta.url));

function noOpenssl() {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'no openssl';
  }
}

const skip = noProgram || noOpenssl();
let folder;
let program;
let firstPlain; // when the first connection without TLS was made

const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function authority(name) {
  const says = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=keyCertSign'];
  openssl('req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}`, ...says);
}

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'whence-bolt-tls-'));
  authority('ca');
  authority('other');
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  openssl('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names', '-out', 'server.pem');
  execFileSync('chmod', ['600', join(folder, 'server.key')]);
  const tls = ['--tls-cert', join(folder, 'server.pem'), '--tls-key', join(folder, 'server.key')];
  program = await Program.start({ flags: tls });
});

after(async () => {
  await program?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** What a driver of its own process says. `ca`: whom it trusts beside the usual authorities. */
async function ask(driver, url, ca) {
  const env = { ...process.env, ...(ca && { NODE_EXTRA_CA_CERTS: join(folder, ca) }) };
  const { stdout } = await promisify(execFile)(process.execPath, [client, driver, url], { env });
  return JSON.parse(stdout);
}

for (const [driver, first, last] of [
  ['neo4j-driver', 0, 7],
  ['neo4j-driver-6', 3, 6], // each is a process: the ends of the list
]) {
  test(`${driver}: the schemes of addresses`, { skip }, async () => {
    assert.match(program.bolt, /^bolt\+s:/);
    const all = [
      ['bolt+s', 'ca.pem', 1],
      ['neo4j+s', 'ca.pem', 1],
      ['bolt+ssc', undefined, 1],
      ['neo4j+ssc', undefined, 1],
      ['bolt+s', undefined, /certificate/i],
      ['bolt+s', 'other.pem', /certificate/i],
      ['neo4j+s', 'other.pem', /routing|certificate/i],
    ];
    const asked = all.slice(first, last);
    const said = await Promise.all(asked.map(([scheme, ca]) => ask(driver, `${scheme}://${program.authority}`, ca)));
    for (const [i, [scheme, ca, expected]] of asked.entries()) {
      if (expected === 1) assert.deepEqual(said[i], { answer: 1 }, `${scheme} trusting ${ca}`);
      else assert.match(`${said[i].message}`, expected, `${scheme} trusting ${ca}`);
    }
  });
}

for (const [name, neo4j] of [
  ['driver 5', neo4j5],
  ['driver 6', neo4j6],
]) {
  test(`${name}: an authority that is named to the driver`, { skip }, async () => {
    const open = (ca, url = program.authority) =>
      neo4j.driver(`bolt://${url}`, neo4j.auth.none(), {
        encrypted: 'ENCRYPTION_ON',
        trust: 'TRUST_CUSTOM_CA_SIGNED_CERTIFICATES',
        trustedCertificates: [join(folder, ca)],
        maxTransactionRetryTime: 0,
      });
    const driver = open('ca.pem');
    assert.equal((await driver.executeQuery('RETURN 1 AS one')).records.length, 1);
    await driver.close();
    const wrong = open('other.pem');
    await assert.rejects(wrong.executeQuery('RETURN 1'), { code: 'ServiceUnavailable' });
    await wrong.close();
  });

  test(`${name}: without TLS the connection ends, and the log says why`, { skip }, async () => {
    firstPlain ??= performance.now();
    const driver = neo4j.driver(`bolt://${program.authority}`, neo4j.auth.none(), { maxTransactionRetryTime: 0 });
    await assert.rejects(driver.executeQuery('RETURN 1'), { code: 'ServiceUnavailable' });
    await driver.close();
    await waitUntil(() => program.said.includes('plain_connection'), 'the log to have it');
    assert.match(program.said, /plain_connection level=WARNING port=bolt error=.*drivers need bolt\+s:\/\/ or neo4j\+s:\/\//);
    const minutes = Math.floor((performance.now() - firstPlain) / 60_000);
    assert.ok(program.said.split('plain_connection').length <= 2 + minutes, 'once a minute');
  });

  test(`${name}: TLS where the server has none`, { skip }, async () => {
    const plain = await Program.start();
    const driver = neo4j.driver(`bolt+ssc://${plain.authority}`, neo4j.auth.none(), { maxTransactionRetryTime: 0 });
    await assert.rejects(driver.executeQuery('RETURN 1'), { code: 'ServiceUnavailable' });
    await driver.close();
    await plain.stop();
  });
}

test('wss, in a browser', { skip: skip || noBrowser }, async () => {
  const pages = await servePage();
  const tls = ['--tls-cert', join(folder, 'server.pem'), '--tls-key', join(folder, 'server.key')];
  const own = await Program.start({ flags: [...tls, '--allow-origin', pages.origin] });
  // Chromium's own list of authorities has not the test's, and cannot be given it: the chain is checked by the tests above.
  const browser = await launch('--ignore-certificate-errors');
  try {
    const page = await browser.open(pages.origin);
    const seen = await page.evaluate(async (url) => {
      const driver = neo4j.driver(url, neo4j.auth.none(), { disableLosslessIntegers: true });
      const { records } = await driver.executeQuery('RETURN 1 AS one');
      await driver.close();
      return records[0].get('one');
    }, own.bolt);
    assert.equal(seen, 1);
  } finally {
    await browser.close();
    await own.stop();
    pages.close();
  }
});
