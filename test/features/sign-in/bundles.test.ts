import { p256 } from '@noble/curves/nist.js';
import { expect, test } from 'vitest';
import { openCredentialBundle } from '../../../packages/server/test/vault/bundle-client.ts';
import { importApiKey, newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createSubOrganization, createWallet, errorOf } from '../../support/world.ts';
import { newTarget, publishedKeys } from './transfer-support.ts';

describeEngines('bundles', (subject) => {
  test('the service publishes its signing keys to everyone', async () => {
    const { service } = subject();
    const response = await fetch(`${service.url}/.well-known/countersign-keys`, {
      headers: { origin: 'https://app.example.com' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    // Pages of other origins read it if the operator lists them.
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const keys = (await response.json()) as Record<string, string>;
    expect(Object.keys(keys)).toEqual([
      'signer',
      'sessionNotarizer',
      'verificationTokenSigner',
      'pushSender',
      'identityTokenSigner',
      'clientSecretReceiver',
    ]);
    for (const key of Object.values(keys)) expect(key).toMatch(/^04[0-9a-f]{128}$/);
    expect(await publishedKeys(service.url)).toEqual(keys);
  });

  test('a credential bundle opens to a key whose stamps are accepted', async () => {
    const { root } = subject().service;
    const { caller, userId } = await createMember(root);
    const target = newTarget();
    const result = await caller.result('createReadWriteSession', { targetPublicKey: target.hex });
    const apiPrivateKey = openCredentialBundle(result.credentialBundle, target).toString('hex');
    const { apiKeys } = await root.data('getApiKeys', { userId });
    const issued = apiKeys.find(({ apiKeyId }: { apiKeyId: string }) => apiKeyId === result.apiKeyId);
    const key = importApiKey({ apiPublicKey: issued.credential.publicKey, apiPrivateKey });
    expect(await caller.with({ key }).data('whoami')).toMatchObject({ userId });
  });

  test('a compressed target works like an uncompressed one', async () => {
    const { caller } = await createMember(subject().service.root);
    const target = newTarget();
    const compressed = Buffer.from(p256.Point.fromBytes(target.publicKey).toBytes(true)).toString('hex');
    const { credentialBundle } = await caller.result('createReadWriteSession', { targetPublicKey: compressed });
    expect(openCredentialBundle(credentialBundle, target)).toHaveLength(32);
  });

  const { hex } = newTarget();
  const badTargets: [string, string][] = [
    ['off the curve', `04${'11'.repeat(64)}`],
    ['compressed, with an x of no point', `02${'ff'.repeat(32)}`],
    ['infinity', '00'],
    ['infinity, padded', '00'.repeat(65)],
    ['hybrid', `06${hex.slice(2)}`],
    ['cut off', hex.slice(0, 128)],
    ['too long', `${hex}00`],
    ['not hexadecimal', 'x'.repeat(66)],
    ['empty', ''],
    ['a pasted private key', newApiKey().privateKey],
    ['a pasted private key with a prefix', `0x${newApiKey().privateKey}`],
  ];

  test.each(badTargets)(
    'D31: a target that is %s is refused, and nothing is issued or exported',
    async (what, targetPublicKey) => {
      const { service, raw } = subject();
      const { caller: root } = await createSubOrganization(service.root);
      const { walletId } = await createWallet(root);
      const before = await countRows(raw);
      for (const [name, params] of [
        ['createReadWriteSession', { targetPublicKey }],
        ['exportWallet', { walletId, targetPublicKey }],
      ] as const) {
        const answer = await root.submit(name, params);
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['targetPublicKey'] });
        if (!what.includes('private key')) continue;
        expect(answer.body.message).toContain('private key');
        // SECURITY: a pasted secret is not repeated, neither to the caller nor in the log or the database.
        expect(JSON.stringify(answer.body)).not.toContain(targetPublicKey);
        expect(service.logText()).not.toContain(targetPublicKey);
        expect((await raw.dump()).includes(targetPublicKey)).toBe(false);
      }
      expect(await countRows(raw)).toEqual(before);
    },
  );
});
