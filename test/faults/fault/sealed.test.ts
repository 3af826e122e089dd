import { hkdfSync } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { unwrapDataKey } from '../../../packages/server/src/vault/data-key.ts';
import { unseal as openSecret, purposes } from '../../../packages/server/src/vault/envelope.ts';
import { parseIntegrityKey, unwrapIntegrityKey } from '../../../packages/server/src/vault/integrity/integrity-key.ts';
import { combine } from '../../../packages/server/src/vault/root-key/providers/shares/shamir.ts';
import { formatShare, parseShare, type Share } from '../../../packages/server/src/vault/root-key/providers/shares/share.ts';
import { askAtSocket } from '../../../packages/server/src/vault/root-key/providers/shares/unseal-socket.ts';
import { localRootKey } from '../../../packages/server/src/vault/root-key/root-key.ts';
import { outcomeOf } from '../../features/policies/support.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { freePort } from '../../support/free-port.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { type CommandProcess, childrenOf, exists, runCommand } from './support/command-process.ts';
import { processTree, secretsIn } from './support/memory-scan.ts';
import { placeOf, rootOf, startServing } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

/** A service whose root key three operators hold. Two shares open it. */
class Sealed {
  readonly installation: Installation;
  readonly server: CommandProcess;
  readonly socket: string;
  readonly #identities: readonly string[];

  private constructor(installation: Installation, server: CommandProcess, identities: readonly string[]) {
    this.installation = installation;
    this.server = server;
    this.socket = join(installation.directory, 'socket');
    this.#identities = identities;
  }

  static async start(flags: readonly string[]): Promise<Sealed> {
    const installation = await engines.sqlite();
    const identities = await Promise.all([1, 2, 3].map(() => generateIdentity()));
    const recipients = await Promise.all(identities.map((identity) => identityToRecipient(identity)));
    for (const [at, identity] of identities.entries()) writeFileSync(join(installation.directory, `identity-${at}`), identity);
    const { directory } = installation;
    const sharing = [
      '--share-threshold',
      '2',
      '--share-recipients',
      recipients.join(','),
      '--share-directory',
      join(directory, 'shares'),
    ];
    const server = startServing(placeOf(installation), ['--unseal-socket', join(directory, 'socket'), ...sharing, ...flags]);
    const sealed = new Sealed(installation, server, identities);
    if (!(await waitUntil(60_000, () => sealed.isWaiting()))) throw new Error(`it does not wait for shares: ${server.stderr()}`);
    return sealed;
  }

  /** Whether it takes shares. */
  isWaiting(): Promise<boolean> {
    return askAtSocket(this.socket, { status: true }).then(
      (answer) => 'keys' in answer && answer.keys[0]?.sealed === true,
      () => false,
    );
  }

  file(at: number): string {
    const shares = join(this.installation.directory, 'shares');
    return join(shares, readdirSync(shares)[0] as string, `share-${at + 1}.age`);
  }

  async share(at: number): Promise<string> {
    const decrypter = new Decrypter();
    decrypter.addIdentity(this.#identities[at] as string);
    return (await decrypter.decrypt(readFileSync(this.file(at)), 'text')).trim();
  }

  give = async (at: number) => askAtSocket(this.socket, { share: await this.share(at) });

  async close(): Promise<void> {
    await this.server.kill();
    await this.installation.remove();
  }
}

/** The bytes that whoever reads the memory of the service would look for. */
async function secretsOf(sealed: Sealed, privateKeyId: string): Promise<Record<string, Uint8Array>> {
  const shares = [0, 1].map(async (at) => (parseShare(await sealed.share(at)) as Share).bytes);
  const root = await combine((await Promise.all(shares)).map((bytes) => Uint8Array.from(bytes)));
  const rootKey = localRootKey(Uint8Array.from(root));
  const raw = await sealed.installation.raw();
  const [setting] = await raw.all("SELECT name, body FROM settings WHERE name = 'vault.integrity-key'");
  const integrityKey = await unwrapIntegrityKey(rootKey, parseIntegrityKey(setting as { name: string; body: string }));
  const [row] = await raw.all(
    `SELECT s.organization_id, s.ciphertext, d.root_key_id, d.wrapped FROM secrets s
     JOIN data_keys d ON d.organization_id = s.organization_id WHERE s.id = ?`,
    privateKeyId,
  );
  const [organizationId, rootKeyId] = [row?.organization_id, row?.root_key_id] as [string, string];
  const [wrapped, ciphertext] = [row?.wrapped, row?.ciphertext] as [Uint8Array, Uint8Array];
  const dataKey = await unwrapDataKey(rootKey, { organizationId, rootKeyId, wrapped });
  const binding = { organizationId, id: privateKeyId, purpose: purposes.CURVE_SECP256K1 };
  const derived = (label: string) => new Uint8Array(hkdfSync('sha256', integrityKey.bytes, new Uint8Array(0), label, 32));
  return {
    root,
    data: dataKey.bytes,
    private: openSecret(dataKey, ciphertext, binding).bytes,
    log: derived('countersign/service-key/v1/log'),
    // HMAC keeps the key combined with its inner pad.
    integrity: derived('countersign/integrity/v1/row').map((byte) => byte ^ 0x36),
  };
}

describe('a service with two workers whose root key is in shares', () => {
  let sealed: Sealed;
  beforeAll(async () => {
    sealed = await Sealed.start(['--workers', '2', '--log-level', 'warn']);
  });
  afterAll(() => sealed?.close());

  test('D650: seal leaves no key in the memory of any process, and unseal continues without a restart', async () => {
    await sealed.give(0);
    await sealed.give(1);
    const { url } = JSON.parse(await sealed.server.firstLine()) as { url: string };
    const root = rootOf(placeOf(sealed.installation), url);
    const privateKeyId = await createPrivateKey(root);
    const sign = () => root.submit('signRawPayload', signParams(privateKeyId));
    for (let count = 0; count < 6; count++) expect(outcomeOf(await sign())).toBe('200 COMPLETED');
    const secrets = await secretsOf(sealed, privateKeyId);
    const before = processTree(sealed.server.pid);
    // The process with the ports, the one that collected the shares, and its workers.
    expect(before).toHaveLength(4);
    const found = before.map((pid) => secretsIn(pid, secrets));
    expect(found[0]).toEqual([]);
    expect([...new Set(found.flat())].sort()).toEqual(Object.keys(secrets).sort());

    const { code } = await runCommand(['seal', '--unseal-socket', sealed.socket]);
    expect(code).toBe(0);
    const after = processTree(sealed.server.pid);
    expect(before.slice(1).filter(exists)).toEqual([]);
    expect(after.flatMap((pid) => secretsIn(pid, secrets))).toEqual([]);

    // Nothing signs, verifies or gives out a token.
    const { origin } = new URL(url);
    for (const path of [
      '/public/v1/submit/sign_raw_payload',
      '/public/v1/query/whoami',
      '/public/v1/submit/otp_login',
      '/metrics',
      '/readyz',
    ])
      expect(await sealedAnswer(`${origin}${path}`)).toEqual({
        status: 503,
        text: expect.stringContaining("'countersign unseal'"),
      });
    expect(await sealedAnswer(`${origin}/healthz`)).toEqual({ status: 200, text: 'ok\n' });
    expect(outcomeOf(await sign())).toBe('503 UNAVAILABLE');

    await sealed.give(2);
    await sealed.give(1);
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(200);
    expect(outcomeOf(await sign())).toBe('200 COMPLETED');
    expect(sealed.server.isRunning()).toBe(true);
    // One worker is enough to respond. The service has started when both are ready.
    await expect.poll(() => sealed.server.stderr()).toContain('the service was unsealed, and serves again');
  });

  test('D650: a worker that ends gets the key again, and without the process that collected the shares none serves', async () => {
    const collector = firstChildOf(sealed.server.pid);
    const worker = firstChildOf(collector);
    process.kill(worker, 'SIGKILL');
    await expect.poll(() => childrenOf(collector).filter((pid) => pid !== worker)).toHaveLength(2);
    process.kill(collector, 'SIGKILL');
    await expect
      .poll(() => askAtSocket(sealed.socket, { status: true }).catch(() => undefined))
      .toMatchObject({ keys: [{ sealed: true }] });
    await expect.poll(() => childrenOf(sealed.server.pid).flatMap(childrenOf)).toEqual([]);
  });
});

test('D650: with --isolate, the core gets the key, and sealing ends cores and edges', async () => {
  const sealed = await Sealed.start(['--isolate', 'true']);
  onTestFinished(() => sealed.close());
  await sealed.give(0);
  await sealed.give(1);
  const { url } = JSON.parse(await sealed.server.firstLine()) as { url: string };
  const root = rootOf(placeOf(sealed.installation), url);
  const privateKeyId = await createPrivateKey(root);
  expect(outcomeOf(await root.submit('signRawPayload', signParams(privateKeyId)))).toBe('200 COMPLETED');
  const before = processTree(sealed.server.pid).slice(1);
  // The one that collected the shares, a core and an edge.
  expect(before).toHaveLength(3);
  expect(await runCommand(['seal', '--unseal-socket', sealed.socket])).toMatchObject({ code: 0 });
  await expect.poll(() => before.filter(exists)).toEqual([]);
  await sealed.give(1);
  await sealed.give(2);
  await expect.poll(async () => outcomeOf(await root.submit('signRawPayload', signParams(privateKeyId)))).toBe('200 COMPLETED');
});

function firstChildOf(pid: number): number {
  const [child] = childrenOf(pid);
  if (child === undefined) throw new Error(`process ${pid} has no children`);
  return child;
}

async function sealedAnswer(url: string) {
  const response = await fetch(url, { method: url.includes('/submit/') ? 'POST' : 'GET' });
  return { status: response.status, text: await response.text() };
}

describe('shares over HTTPS', () => {
  const { key, cert } = selfSigned();
  let sealed: Sealed;
  let certificate = '';
  let origin = '';

  beforeAll(async () => {
    const folder = makeDataDirectory('sealed-tls');
    certificate = join(folder, 'cert.pem');
    writeFileSync(certificate, cert);
    writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
    const tls = ['--tls-cert', certificate, '--tls-key', join(folder, 'key.pem')];
    const port = await freePort();
    origin = `https://127.0.0.1:${port}`;
    sealed = await Sealed.start(['--unseal-https', 'true', '--port', String(port), ...tls]);
  });
  afterAll(() => sealed?.close());

  function post(body: string, path = '/unseal'): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${origin}${path}`, { method: 'POST', ca: cert, agent: false }, (response) =>
        text(response).then((content) => resolve({ status: response.statusCode, text: content }), reject),
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
  const postShare = (share: string) => post(JSON.stringify({ share }));

  test('D652: wrong, foreign and altered shares change nothing, in any number, and tell strangers nothing', async () => {
    const right = parseShare(await sealed.share(0)) as Share;
    const wrong = (change: Partial<Share>) => formatShare({ ...right, ...change });
    const foreign = await postShare(wrong({ rootKeyId: '0123456789abcdef' }));
    expect(foreign).toEqual({ status: 403, text: expect.stringContaining('the share is of root key 0123456789abcdef') });
    expect((await postShare(wrong({ generation: 2 }))).status).toBe(403);
    expect((await post('{}')).status).toBe(400);
    expect((await post('x'.repeat(5_000))).status).toBe(413);
    const bytes = Uint8Array.from(right.bytes);
    for (let round = 0; round < 10; round++) {
      bytes[round] = (bytes[round] as number) ^ 1;
      const flood = await Promise.all(Array.from({ length: 20 }, () => postShare(wrong({ bytes }))));
      for (const { status, text: said } of flood)
        expect({ status, said }).toEqual({ status: 403, said: expect.not.stringContaining('threshold') });
    }
    expect(await askAtSocket(sealed.socket, { status: true })).toMatchObject({ keys: [{ sealed: true, shares: 0 }] });
    expect((await post('{}', '/readyz')).status).toBe(503);
  });

  test('D653: a share is read from an encrypted connection only, and the command verifies the certificate', async () => {
    const words = ['unseal', sealed.file(0), '--identity', join(sealed.installation.directory, 'identity-0')];
    const untrusted = await runCommand([...words, '--url', origin]);
    expect(untrusted).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') });
    const plain = await runCommand([...words, '--url', origin.replace('https', 'http')]);
    expect(plain).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining('not an https address') });
    expect(plain.code).not.toBe(0);
    expect(await askAtSocket(sealed.socket, { status: true })).toMatchObject({ keys: [{ shares: 0 }] });

    const environment = { NODE_EXTRA_CA_CERTS: certificate };
    const given = await runCommand([...words, '--url', origin], { environment });
    expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining('is sealed: 1 of 2 shares') });
    // The same share does not count twice.
    expect(JSON.parse((await postShare(await sealed.share(0))).text)).toMatchObject({
      keys: [{ sealed: true, shares: 1, threshold: 2 }],
    });
    expect(JSON.parse((await postShare(await sealed.share(2))).text)).toMatchObject({ keys: [{ sealed: false }] });
    await sealed.server.firstLine();
    const late = await runCommand([...words, '--url', origin], { environment });
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('takes no shares') });
  });

  test('D653: without TLS, --unseal-https is refused', async () => {
    const refused = await runCommand([
      'serve',
      '--unseal-socket',
      join(sealed.installation.directory, 'other'),
      '--unseal-https',
      'true',
    ]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('--unseal-https needs');
  });
});
