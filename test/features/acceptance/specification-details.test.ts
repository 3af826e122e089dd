import { describe, expect, test } from 'vitest';
import { toCbor } from '../../../packages/server/test/auth/cbor-writer.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';

describeEngines('details of the specification', (subject) => {
  const root = () => subject().service.root;

  describe('stamps that cannot be read', () => {
    const ask = (headers: Record<string, string>) =>
      post(
        root().url + root().queryPath('whoami'),
        Buffer.from(JSON.stringify({ organizationId: root().organizationId })),
        headers,
      );
    const malformed = { status: 401, code: 'STAMP_MALFORMED' };

    test.each(['{}', 'x', '{"credentialId":"AAAA"}', 'x'.repeat(9000)])(
      'the error names the passkey header: %.20s',
      async (stamp) => {
        const answer = await ask({ 'x-stamp-webauthn': stamp });
        expect(errorOf(answer)).toEqual(malformed);
        expect(answer.body.message).toContain('X-Stamp-Webauthn header');
      },
    );

    test('the error names the API key header, and a second stamp', async () => {
      expect((await ask({ 'x-stamp': 'x' })).body.message).toContain('X-Stamp header');
      expect((await ask({ 'x-stamp': 'x', 'x-stamp-webauthn': '{}' })).body.message).toContain('more than one');
    });

    test.each(['SIGNATURE_SCHEME_TK_API_P256', 'SIGNATURE_SCHEME_TK_API_SECP256K1', 'SIGNATURE_SCHEME_TK_API_ED25519'] as const)(
      'a private key of %s in place of a signature gets its own error, and is not logged',
      async (scheme) => {
        const { publicKey, privateKeyHex } = { ...newApiKey(scheme), privateKeyHex: 'a7'.repeat(32) };
        for (const sent of [privateKeyHex, privateKeyHex.toUpperCase(), `0x${privateKeyHex}`]) {
          const answer = await ask({ 'x-stamp': `${publicKey}.${sent}` });
          expect(errorOf(answer)).toEqual(malformed);
          expect(answer.body.message).toContain('Treat this key as leaked');
          expect(JSON.stringify(answer.body)).not.toContain(sent);
        }
        expect(subject().service.logText()).toContain('PRIVATE_KEY_SENT');
        expect(subject().service.logText().toLowerCase()).not.toContain(privateKeyHex);
      },
    );
  });

  test('a passkey registers with padding and with its id as a CBOR byte string, under one id', async () => {
    const { caller, userId, organizationId } = await createSubOrganization(root());
    const passkey = new SoftwareAuthenticator();
    const params = passkeyParams(passkey);
    const padded = (text: string) => text + '='.repeat((4 - (text.length % 4)) % 4);
    const { clientDataJson, attestationObject, transports } = params.attestation;
    const attestation = {
      credentialId: padded(toCbor(passkey.credentialId).toString('base64url')),
      clientDataJson: padded(clientDataJson),
      attestationObject: padded(attestationObject),
      transports,
    };
    await caller.result('createAuthenticators', { userId, authenticators: [{ ...params, attestation }] });
    const { authenticators } = await caller.data('getAuthenticators', { userId });
    expect(authenticators[0].credentialId).toBe(passkey.credentialId.toString('base64url'));
    const answer = await sendWithPasskey(caller, passkey, caller.queryPath('whoami'), JSON.stringify({ organizationId }));
    expect(answer.status).toBe(200);
    const again = await caller.submit('createAuthenticators', { userId, authenticators: [params] });
    expect(errorOf(again)).toMatchObject({ code: 'INVALID_ATTESTATION' });
    for (const bad of ['=', 'AAAA=A', 'AAA===', 'AA A'])
      expect(
        errorOf(
          await caller.submit('createAuthenticators', {
            userId,
            authenticators: [{ ...params, attestation: { ...attestation, clientDataJson: bad } }],
          }),
        ).status,
      ).toBe(400);
  });

  test('the time of a policy is shown on both paths', async () => {
    const { caller } = await createSubOrganization(root());
    const compatible = caller.with({ dialect: 'turnkey' });
    const policy = { effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true', notes: '' };
    const time = "time.now < Timestamp('2099-01-01T00:00:00Z')";
    const timed = await compatible.result('createPolicy', { ...policy, policyName: uniqueName('Timed'), time });
    const untimed = await compatible.result('createPolicy', { ...policy, policyName: uniqueName('Always') });
    for (const side of [caller, compatible])
      expect((await side.data('getPolicy', { policyId: timed.policyId })).policy.time).toBe(time);
    expect((await caller.data('getPolicy', { policyId: untimed.policyId })).policy).not.toHaveProperty('time');
    expect((await compatible.data('getPolicy', { policyId: untimed.policyId })).policy.time).toBe('');
  });

  test('shows keys without expiration in the spec dialect', async () => {
    const { caller, userId } = await createSubOrganization(root());
    await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey(), { expirationSeconds: '3600' })] });
    const shown = async (side = caller) =>
      (await side.data('getApiKeys', { userId })).apiKeys.map((key: { expirationSeconds?: string }) => key.expirationSeconds);
    expect(await shown()).toEqual(['', '3600']);
    expect(await shown(caller.with({ dialect: 'turnkey' }))).toEqual([undefined, '3600']);
  });

  test.each(['spec', 'turnkey'] as const)('absent lists of tags are empty: %s', async (dialect) => {
    const { caller } = await createSubOrganization(root());
    const side = caller.with({ dialect });
    const { userId } = await createMember(caller);
    const { userTagId } = await side.result('createUserTag', { userTagName: 'First', userIds: [userId] });
    const answer = await side.submit('updateUserTag', { userTagId, newUserTagName: 'Second' });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    if (dialect === 'spec') {
      const intent = { userTagId, newUserTagName: 'Second', addUserIds: [], removeUserIds: [] };
      expect(answer.body.activity.result.activity.intent).toEqual({ updateUserTagIntent: intent });
      const unnamed = await side.submit('updateUserTag', { userTagId });
      expect(unnamed.body.activity.result.activity.intent).toEqual({ updateUserTagIntent: intent });
    }
    expect((await caller.data('getUser', { userId })).user.userTags).toEqual([userTagId]);
    const { privateKeyIds } = await side.result('createPrivateKeyTag', { privateKeyTagName: 'Empty' });
    expect(privateKeyIds).toEqual([]);
  });
});
