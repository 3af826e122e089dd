import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createMember,
  createSubOrganization,
  errorOf,
  signParams,
  subOrganizationParams,
  userParams,
} from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { approve, createPolicy, outcomeOf, submitPending } from '../policies/support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const newLogin = () => ({ publicKey: newApiKey().publicKey });

describeEngines('a public key that another organization registers too', (subject) => {
  const root = () => subject().service.root;

  test('A29: does not lock its holder out of sign-in under the parent’s id', async () => {
    const victim = await createSubOrganization(root());
    await victim.caller.result('stampLogin', newLogin());
    const attacker = await createSubOrganization(root());
    await attacker.caller.result('createUsers', { users: [userParams(victim.caller.key)] });
    const atParent = victim.caller.with({ organizationId: root().organizationId });
    const answer = await atParent.submit('stampLogin', newLogin());
    expect(answer.body.activity?.organizationId ?? answer.body).toBe(victim.caller.organizationId);
    expect(await atParent.data('whoami')).toMatchObject({ organizationId: victim.caller.organizationId });
  });

  test('A29: does not lock out the holder of a passkey', async () => {
    const passkey = new SoftwareAuthenticator();
    const params = passkeyParams(passkey);
    const [victim, attacker] = [await createSubOrganization(root()), await createSubOrganization(root())];
    const register = ({ caller, userId }: typeof victim) =>
      caller.result('createAuthenticators', { userId, authenticators: [params] });
    await register(victim);
    const { caller } = victim;
    const login = (organizationId: string) =>
      sendWithPasskey(
        caller,
        passkey,
        caller.submitPath('stampLogin'),
        caller.submitBody('stampLogin', newLogin(), { organizationId }),
      );
    expect((await login(caller.organizationId)).status).toBe(200);
    await register(attacker);
    const answer = await login(root().organizationId);
    expect(answer.body.activity?.organizationId ?? answer.body).toBe(caller.organizationId);
  });

  test('A29: does not lock anybody out, in any number', async () => {
    const victim = await createSubOrganization(root());
    await victim.caller.result('stampLogin', newLogin());
    for (let count = 0; count < 9; count++) {
      const attacker = await createSubOrganization(root());
      await attacker.caller.result('createUsers', { users: [userParams(victim.caller.key)] });
    }
    const answer = await victim.caller.with({ organizationId: root().organizationId }).submit('stampLogin', newLogin());
    expect(answer.body.activity?.organizationId ?? answer.body).toBe(victim.organizationId);
  });

  test('A29: does not redirect its holder after it expired in the organization where it was used', async () => {
    const victim = await createSubOrganization(root());
    const key = newApiKey();
    const apiKeys = [apiKeyParams(key, { expirationSeconds: '60' })];
    await victim.caller.result('createApiKeys', { userId: victim.userId, apiKeys });
    await victim.caller.with({ key }).result('stampLogin', newLogin());
    const attacker = await createSubOrganization(root());
    await attacker.caller.result('createUsers', { users: [userParams(key)] });
    const atParent = root().with({ key });
    try {
      subject().service.setAheadMs(70_000);
      expect(errorOf(await atParent.submit('stampLogin', newLogin()))).toMatchObject({ code: 'API_KEY_EXPIRED' });
    } finally {
      subject().service.setAheadMs(0);
    }
    // Once its holder uses it in the other place, it leads there.
    const inAttackers = root().with({ key, organizationId: attacker.organizationId });
    await inAttackers.result('stampLogin', newLogin());
    expect(errorOf(await atParent.submit('stampLogin', newLogin()))).toMatchObject({ code: 'CREDENTIAL_CONFLICT' });
  });

  test('A29: two unused registrations conflict until the key is used in one organization', async () => {
    const key = newApiKey();
    const [one] = await Promise.all([1, 2].map(() => root().result('createSubOrganization', subOrganizationParams(key))));
    const caller = root().with({ key });
    expect(errorOf(await caller.submit('stampLogin', newLogin()))).toMatchObject({ code: 'CREDENTIAL_CONFLICT' });
    await caller.with({ organizationId: one.subOrganizationId }).result('stampLogin', newLogin());
    expect((await caller.submit('stampLogin', newLogin())).body.activity.organizationId).toBe(one.subOrganizationId);
  });

  test('A30: does not affect a user of the parent who acts in the sub-organization', async () => {
    const { caller: backend } = await createMember(root());
    await createPolicy(root(), 'ALLOW', { condition: "activity.resource == 'AUTH'", consensus: 'true' });
    const { caller: sub, userId } = await createSubOrganization(root());
    await sub.result('updateUserEmail', { userId, userEmail: 'owner@example.com' });
    await sub.result('createUsers', { users: [userParams(backend.key)] });
    const request = { otpType: 'OTP_TYPE_EMAIL', contact: 'owner@example.com' };
    const answer = await backend.with({ organizationId: sub.organizationId }).submit('initOtpAuth', request);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  });

  test('A54: a vote with a key known to parent and sub-organization counts where the activity is authorized', async () => {
    const { caller: backend } = await createMember(root());
    const { caller: submitter } = await createMember(root());
    const { caller: sub, userId } = await createSubOrganization(root());
    const { userIds } = await sub.result('createUsers', { users: [userParams(backend.key)] });
    await sub.result('updateUserEmail', { userId, userEmail: 'owner@example.com' });
    const delegated = backend.with({ organizationId: sub.organizationId });
    await createPolicy(root(), 'ALLOW', { condition: "activity.resource == 'RECOVERY'", consensus: 'approvers.count() >= 2' });
    const request = { email: 'owner@example.com', targetPublicKey: newTarget().hex };
    const ofParent = await submitPending(
      submitter.with({ organizationId: sub.organizationId }),
      'initUserEmailRecovery',
      request,
    );
    expect(outcomeOf(await approve({ caller: delegated }, ofParent))).toBe('200 COMPLETED');
    await createPolicy(sub, 'ALLOW', {
      condition: "activity.kind == 'CREATE_WALLET'",
      consensus: `approvers.any(user, user.id == '${userIds[0]}') && approvers.count() >= 2`,
    });
    const { caller: member } = await createMember(sub);
    const ofSub = await submitPending(member, 'createWallet', { walletName: 'Cold', accounts: [] });
    expect(outcomeOf(await approve({ caller: delegated }, ofSub))).toBe('200 COMPLETED');
  });

  test('a key known to both acts as the sub-organization’s user for activities closed to the parent', async () => {
    const { caller: backend } = await createMember(root());
    const { caller: sub } = await createSubOrganization(root());
    const { userIds } = await sub.result('createUsers', { users: [userParams(backend.key)] });
    await createPolicy(sub, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    });
    const params = { privateKeys: [{ privateKeyName: 'Hot', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }] };
    const { privateKeys } = await sub.result('createPrivateKeys', params);
    const delegated = backend.with({ organizationId: sub.organizationId });
    expect((await delegated.submit('signRawPayload', signParams(privateKeys[0].privateKeyId))).status).toBe(200);
  });
});
