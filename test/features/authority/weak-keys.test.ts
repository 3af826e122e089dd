import { p256 } from '@noble/curves/nist.js';
import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, errorOf, subOrganizationParams, userParams } from '../../support/world.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

/** The public key of a private key that everyone can guess. */
const weak = { ...newApiKey(), publicKey: p256.Point.BASE.multiply(1000n).toHex(true) };

describeEngines('a public key whose private key everyone knows', (subject) => {
  test('D284: is rejected wherever a credential is registered', async () => {
    const root = subject().service.root;
    const { userId, caller } = await createMember(root);
    const attempts = [
      ['createApiKeys', { userId, apiKeys: [apiKeyParams(weak)] }, 'apiKeys.0.publicKey'],
      ['createUsers', { users: [userParams(weak)] }, 'users.0.apiKeys.0.publicKey'],
      ['createSubOrganization', subOrganizationParams(weak), 'rootUsers.0.apiKeys.0.publicKey'],
      ['stampLogin', { publicKey: weak.publicKey }, 'publicKey'],
      ['createSetupKey', { userId, publicKey: weak.publicKey }, 'publicKey'],
      ['createReadWriteSession', { targetPublicKey: p256.Point.BASE.toHex(false) }, 'targetPublicKey'],
    ] as const;
    for (const [name, params, field] of attempts) {
      const answer = await root.submit(name, params as never);
      expect([name, errorOf(answer)]).toEqual([name, { status: 400, code: 'REQUEST_INVALID', fields: [field] }]);
      expect(JSON.stringify(answer.body)).toContain('Generate a new key pair');
    }
    await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
    await caller.result('createReadWriteSession', { targetPublicKey: newTarget().hex });
  });
});
