import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../packages/server/src/config/config-error.ts';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import { checkTransportSettings } from '../../../packages/server/src/http/transport/check-settings.ts';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { authority, type SelfSigned, selfSigned } from '../../support/self-signed.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, errorOf, type Member } from '../../support/world.ts';

/** The compressed public key of a certificate, computed without the code of the service. */
function publicKeyOf({ cert }: SelfSigned): string {
  const point = createPublicKey(cert).export({ type: 'spki', format: 'der' }).subarray(-64);
  return `${((point.at(-1) ?? 0) & 1) === 1 ? '03' : '02'}${point.subarray(0, 32).toString('hex')}`;
}

describe('client certificates bound to users', () => {
  const server = selfSigned();
  const clients = authority();
  let installation: Installation;
  let open: TestService;
  let bound: TestService;
  let alice: Member;
  let bob: Member;
  const certificates = { alice: clients.issue('alice'), bob: clients.issue('bob'), stranger: clients.issue('stranger') };

  beforeAll(async () => {
    installation = await engines.sqlite();
    const file = (name: string, text: string) => {
      const path = join(installation.directory, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    open = await startService(installation);
    alice = await createMember(open.root);
    bob = await createMember(open.root);
    for (const [member, certificate, more] of [
      [alice, certificates.alice, {}],
      [bob, certificates.bob, {}],
    ] as const)
      await open.root.result('createApiKeys', {
        userId: member.userId,
        apiKeys: [{ apiKeyName: 'certificate', publicKey: publicKeyOf(certificate), curveType: 'API_KEY_CURVE_P256', ...more }],
      });
    bound = await startService(installation, {
      config: {
        tlsCert: file('cert.pem', server.cert),
        tlsKey: file('key.pem', server.key),
        tlsClientCa: file('clients.pem', clients.cert),
        tlsClientAuth: 'required',
        tlsClientBinding: true,
      },
    });
  });
  afterAll(async () => {
    await bound?.close();
    await open?.close();
    await installation?.remove();
  });

  /** Sends a request of a user over a connection with a certificate. */
  function send(certificate: SelfSigned, path: string, body: string, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent: false, ca: server.cert, ...certificate };
      const outgoing = request(bound.url.replace('http:', 'https:') + path, options, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), headers: new Headers() }));
      });
      outgoing.on('error', reject).end(body);
    });
  }

  function ask(caller: Caller, certificate: SelfSigned): Promise<Answer> {
    const body = JSON.stringify({ organizationId: caller.organizationId });
    const stamp = encodeStamp(stampFields(caller.key, Buffer.from(body)));
    return send(certificate, caller.queryPath('whoami'), body, { 'x-stamp': stamp });
  }

  const notBound = { status: 403, code: 'CERTIFICATE_NOT_BOUND' };

  test('D607: a credential works only with a certificate of its user', async () => {
    expect(await ask(alice.caller, certificates.alice)).toMatchObject({ status: 200 });
    expect(await ask(bob.caller, certificates.bob)).toMatchObject({ status: 200 });
    for (const [caller, certificate] of [
      [alice.caller, certificates.bob],
      [alice.caller, certificates.stranger],
      [bound.root, certificates.alice],
    ] as const)
      expect(errorOf(await ask(caller, certificate))).toEqual(notBound);
  });

  test('D607: a read-only session works only with a certificate of its user', async () => {
    const { session } = await alice.caller.with({ url: open.url }).result('createReadOnlySession', {});
    const body = JSON.stringify({ organizationId: alice.caller.organizationId });
    const path = alice.caller.queryPath('whoami');
    expect((await send(certificates.alice, path, body, { 'x-session': session })).status).toBe(200);
    expect(errorOf(await send(certificates.bob, path, body, { 'x-session': session }))).toEqual(notBound);
  });

  test('D607: a certificate is worth nothing after its key was removed', async () => {
    const { apiKeys } = await open.root.data('getApiKeys', { userId: bob.userId });
    const { apiKeyId } = apiKeys.find(({ apiKeyName }: { apiKeyName: string }) => apiKeyName === 'certificate');
    await open.root.result('deleteApiKeys', { userId: bob.userId, apiKeyIds: [apiKeyId] });
    await expect.poll(async () => errorOf(await ask(bob.caller, certificates.bob))).toEqual(notBound);
    expect(await ask(alice.caller, certificates.alice)).toMatchObject({ status: 200 });
  });

  test('D607: a stamp without the key is refused before the certificate is looked at', async () => {
    const stranger = alice.caller.with({ key: (await createMember(open.root)).caller.key });
    const body = JSON.stringify({ organizationId: alice.caller.organizationId });
    const stamp = encodeStamp({ ...stampFields(stranger.key, Buffer.from('other')), publicKey: alice.caller.key.publicKey });
    expect((await send(certificates.stranger, alice.caller.queryPath('whoami'), body, { 'x-stamp': stamp })).status).toBe(401);
  });

  test('D607: binding without required certificates is refused', () => {
    const config = readConfig({ tlsClientBinding: 'true' }, {});
    expect(() => checkTransportSettings(config)).toThrow(ConfigError);
  });
});
