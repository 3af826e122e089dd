import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { mfaPolicyParams } from '../../support/activity-params.ts';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, errorOf, uniqueName } from '../../support/world.ts';
import { newAddress, readInvitation } from '../catalogue/support/invitations.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';

const DAY_MS = 86_400_000;

describeEngines('a one-time key and its exchange', (subject) => {
  const root = () => subject().service.root;

  /** A user with a setup key, and a caller that holds it. */
  async function givenKey(more: object = {}) {
    const { userId } = await createMember(root());
    const key = newApiKey();
    const { apiKeyId } = await root().result('createSetupKey', { userId, publicKey: key.publicKey, ...more });
    return { userId, apiKeyId, holder: root().with({ key }) };
  }

  test('D310: whoami names organization and person, and the passkeys that must not be replaced, without using the key', async () => {
    const { userId, holder } = await givenKey();
    const passkey = passkeyParams();
    await root().result('createAuthenticators', { userId, authenticators: [passkey] });
    const asked = await holder.data('whoami');
    expect(asked).toMatchObject({
      userId,
      oneTimeKey: {
        activity: 'recover_user',
        exchanged: false,
        usable: true,
        credentialIds: [passkey.attestation.credentialId],
      },
    });
    expect(asked.organizationName).not.toBe('');
    await holder.result('recoverUser', { userId, authenticator: passkeyParams() });
    expect(errorOf(await holder.query('whoami'))).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    expect(await root().data('whoami')).not.toHaveProperty('oneTimeKey');
  });

  test('D310: whoami says beforehand that the key is not enough for a person with an MFA policy', async () => {
    const { userId, holder } = await givenKey();
    await root().result('createMfaPolicy', mfaPolicyParams(userId));
    expect(await holder.data('whoami')).toMatchObject({ oneTimeKey: { usable: false } });
    const { publicKey } = newApiKey();
    for (const [name, params] of [
      ['recoverUser', { userId, authenticator: passkeyParams() }],
      ['exchangeOneTimeKey', { userId, publicKey }],
    ] as const)
      expect(errorOf(await holder.submit(name, params)), name).toMatchObject({ code: 'POLICY_DENIED' });
  });

  test('D312: after the exchange the key of the link is worthless, and the new one does what the link was for', async () => {
    const { userId, apiKeyId, holder } = await givenKey();
    const next = newApiKey();
    const exchange = { userId, publicKey: next.publicKey };
    expect(await holder.result('exchangeOneTimeKey', exchange)).toEqual({ apiKeyId });
    const unknown = { status: 401, code: 'PUBLIC_KEY_NOT_FOUND' };
    expect(errorOf(await holder.query('whoami'))).toEqual(unknown);
    expect(errorOf(await holder.submit('exchangeOneTimeKey', { userId, publicKey: newApiKey().publicKey }))).toEqual(unknown);
    expect(errorOf(await holder.submit('recoverUser', { userId, authenticator: passkeyParams() }))).toEqual(unknown);

    const browser = root().with({ key: next });
    expect(await browser.data('whoami')).toMatchObject({ userId, oneTimeKey: { exchanged: true } });
    const authenticator = new SoftwareAuthenticator();
    await browser.result('recoverUser', { userId, authenticator: passkeyParams(authenticator) });
    expect(errorOf(await browser.query('whoami'))).toEqual(unknown);
  });

  test('D312: the key of an invitation is exchanged too, and accepts the invitation afterwards', async () => {
    const { userId: senderUserId } = await root().data('whoami');
    const receiverUserEmail = newAddress();
    const invitation = { receiverUserName: uniqueName('Invited'), receiverUserEmail, receiverUserTags: [], senderUserId };
    await root().result('createInvitations', { invitations: [{ ...invitation, accessType: 'ACCESS_TYPE_WEB' }] });
    const { receiver, invitationId, userId } = await readInvitation(subject().service, receiverUserEmail);
    expect(await receiver.data('whoami')).toMatchObject({ userId, oneTimeKey: { activity: 'accept_invitation', invitationId } });
    const next = newApiKey();
    await receiver.result('exchangeOneTimeKey', { userId, invitationId, publicKey: next.publicKey });
    const accept = { invitationId, userId, authenticator: passkeyParams() };
    expect(errorOf(await receiver.submit('acceptInvitation', accept)).status).toBe(401);
    await receiver.with({ key: next }).result('acceptInvitation', accept);
  });

  test('D314: an exchange gives no new right: same object, same end, once, and only with a one-time key', async () => {
    const { userId, holder } = await givenKey({ expirationSeconds: '3600' });
    const { userId: otherId } = await createMember(root());
    const [next, third] = [newApiKey(), newApiKey()];
    const to = (publicKey: string, more: object = {}) => ({ userId, publicKey, ...more });
    expect(errorOf(await holder.submit('exchangeOneTimeKey', to(next.publicKey, { userId: otherId })))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(errorOf(await holder.submit('exchangeOneTimeKey', to(next.publicKey, { invitationId: otherId })))).toMatchObject({
      code: 'POLICY_DENIED',
    });
    // A registered key, also that of another user, cannot take its place.
    expect(errorOf(await holder.submit('exchangeOneTimeKey', to(root().key.publicKey)))).toMatchObject({
      code: 'CREDENTIAL_TAKEN',
    });
    expect(errorOf(await root().submit('exchangeOneTimeKey', to(next.publicKey)))).toMatchObject({ code: 'PRECONDITION_FAILED' });

    await holder.result('exchangeOneTimeKey', to(next.publicKey));
    const browser = root().with({ key: next });
    expect(errorOf(await browser.submit('exchangeOneTimeKey', to(third.publicKey)))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    for (const query of ['listUsers', 'getApiKeys'] as const) expect((await browser.query(query)).status, query).toBe(403);
    expect(errorOf(await browser.submit('stampLogin', { publicKey: third.publicKey }))).toMatchObject({ code: 'POLICY_DENIED' });
    expect(errorOf(await browser.submit('recoverUser', { userId: otherId, authenticator: passkeyParams() }))).toMatchObject({
      code: 'POLICY_DENIED',
    });
    subject().service.setAheadMs(DAY_MS);
    try {
      const late = { timestampMs: String(Date.now() + DAY_MS) };
      expect(errorOf(await browser.submit('recoverUser', { userId, authenticator: passkeyParams() }, late))).toMatchObject({
        code: 'API_KEY_EXPIRED',
      });
    } finally {
      subject().service.setAheadMs(0);
    }
  });
});
