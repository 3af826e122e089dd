import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createWallet, errorOf, type Member, madeUpId, signParams, uniqueName } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  memberAt,
  type Organization,
  outcomeOf,
  type Pending,
  submitPending,
} from '../policies/support.ts';
import { login } from '../sign-in/sessions-support.ts';

const SIGNING = "activity.action == 'SIGN'";
const API_KEY = { any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] };
const PASSKEY = { any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] };
const SESSION = { any: [{ type: 'AUTHENTICATION_TYPE_SESSION' }] };

describeEngines('MFA policies', (subject) => {
  const refused = { status: 403, code: 'POLICY_DENIED' };

  const mfaParams = (userId: string, steps: object[] = [API_KEY, PASSKEY], condition = SIGNING) => ({
    userId,
    mfaPolicyName: uniqueName('MFA'),
    condition,
    requiredAuthenticationMethods: steps,
    order: 0,
  });

  async function addPasskey(root: Caller, userId: string) {
    const passkey = new SoftwareAuthenticator();
    const params = { userId, authenticators: [passkeyParams(passkey)] };
    const { authenticatorIds } = await root.result('createAuthenticators', params);
    return { passkey, authenticatorId: authenticatorIds[0] as string };
  }

  /** An organization whose first root user, or first member, has a passkey and an MFA policy. */
  async function withMfa(who: 'root' | 'member', choice: object = {}, steps?: object[]) {
    const organization = await createOrganization(subject().service.root, { members: 2, ...choice });
    const { root } = organization;
    const person = who === 'root' ? (organization.roots[0] as Member) : memberAt(organization, 0);
    const { passkey, authenticatorId } = await addPasskey(root, person.userId);
    const { addresses } = await createWallet(root);
    const { mfaPolicyId } = await root.result('createMfaPolicy', mfaParams(person.userId, steps));
    return { organization, root, person, passkey, authenticatorId, mfaPolicyId, address: addresses[0] as string };
  }

  const approveWith = ({ caller }: Member, passkey: SoftwareAuthenticator, { fingerprint }: Pending): Promise<Answer> =>
    sendWithPasskey(caller, passkey, caller.submitPath('approveActivity'), caller.submitBody('approveActivity', { fingerprint }));

  test('A21: the approval of a sole root user counts once all methods are satisfied', async () => {
    const { person, passkey, address, mfaPolicyId } = await withMfa('root');
    const { caller, userId } = person;
    const waiting = await submitPending(caller, 'signRawPayload', signParams(address));
    expect(await detailsOf(caller, waiting.id)).toMatchObject({ canApprove: true, result: {} });
    const { mfaStatuses } = await caller.data('getMfaStatus', { activityId: waiting.id });
    expect(mfaStatuses).toEqual([
      { mfaPolicyId, userId, satisfied: false, satisfiedMethods: API_KEY.any, requiredMethods: [API_KEY, PASSKEY] },
    ]);
    const again = await approve(person, waiting);
    expect(errorOf(again)).toMatchObject(refused);
    expect(again.body.message).toContain('requires another method');
    expect(errorOf(await approve({ caller: await login(caller) }, waiting))).toMatchObject(refused);
    expect(outcomeOf(await approveWith(person, passkey, waiting))).toBe('200 COMPLETED');
    const after = await caller.data('getMfaStatus', { activityId: waiting.id, userId });
    expect(after.mfaStatuses[0]).toMatchObject({ satisfied: true, satisfiedMethods: [...API_KEY.any, ...PASSKEY.any] });
  });

  test('A21: the same body, stamped with the other credential, is the second approval', async () => {
    const { person, passkey, address } = await withMfa('root');
    const waiting = await submitPending(person.caller, 'signRawPayload', signParams(address));
    expect(outcomeOf(await person.caller.send(waiting.path, waiting.body))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await sendWithPasskey(person.caller, passkey, waiting.path, waiting.body))).toBe('200 COMPLETED');
    expect((await detailsOf(person.caller, waiting.id)).votes).toHaveLength(2);
  });

  test('A21: neither a policy nor another user can complete the activity instead', async () => {
    const { organization, root, person, passkey, address } = await withMfa('member');
    await createPolicy(root, 'ALLOW', { condition: SIGNING });
    const waiting = await submitPending(person.caller, 'signRawPayload', signParams(address));
    const other = memberAt(organization, 1);
    expect(errorOf(await approve(other, waiting))).toMatchObject(refused);
    expect((await detailsOf(root, waiting.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect(outcomeOf(await approveWith(person, passkey, waiting))).toBe('200 COMPLETED');
    await other.caller.result('signRawPayload', signParams(address));
  });

  test('A21: approvals of others do not replace the methods of the submitter', async () => {
    const { organization, root, person, passkey, address } = await withMfa('member');
    await createPolicy(root, 'ALLOW', { condition: SIGNING, consensus: 'approvers.count() >= 2' });
    const waiting = await submitPending(person.caller, 'signRawPayload', signParams(address));
    expect(outcomeOf(await approve(memberAt(organization, 1), waiting))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await approveWith(person, passkey, waiting))).toBe('200 COMPLETED');
  });

  test('A21: the vote of a second root user counts only with the methods of that user', async () => {
    const organization = await createOrganization(subject().service.root, { roots: 2 });
    const [first, second] = organization.roots as [Member, Member];
    const { passkey } = await addPasskey(first.caller, second.userId);
    await first.caller.result('createMfaPolicy', mfaParams(second.userId, [API_KEY, PASSKEY], 'true'));
    await first.caller.result('updateRootQuorum', { threshold: 2, userIds: [first.userId, second.userId] });
    const waiting = await submitPending(first.caller, 'createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    expect(outcomeOf(await approve(second, waiting))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await approveWith(second, passkey, waiting))).toBe('200 COMPLETED');
  });

  test('activities outside the policy need no second method, and a policy may ask for one credential only', async () => {
    const { person, root, address } = await withMfa('root', {}, [{ any: [...PASSKEY.any, ...API_KEY.any] }]);
    await root.result('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    await person.caller.result('signRawPayload', signParams(address));
    const session = await login(person.caller);
    expect(outcomeOf(await session.submit('signRawPayload', signParams(address)))).toBe('200 CONSENSUS_NEEDED');
  });

  test('A22: one factor alone can neither remove nor change the policy, nor register the other factor', async () => {
    const { person, passkey, mfaPolicyId } = await withMfa('root');
    const { caller, userId } = person;
    const weaker = { userId, mfaPolicyId, condition: 'false' };
    const attempts = [
      ['deleteMfaPolicy', { userId, mfaPolicyId }],
      ['updateMfaPolicy', weaker],
      ['createAuthenticators', { userId, authenticators: [passkeyParams()] }],
      ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
      ['updateUserEmail', { userId, userEmail: 'attacker@example.com' }],
    ] as const;
    const waiting: Pending[] = [];
    for (const [name, params] of attempts) waiting.push(await submitPending(caller, name, params));
    expect((await caller.data('getMfaPolicy', { userId, mfaPolicyId })).mfaPolicy.condition).toBe(SIGNING);
    expect(outcomeOf(await approveWith(person, passkey, waiting[0] as Pending))).toBe('200 COMPLETED');
    expect((await caller.data('getMfaPolicies', { userId })).mfaPolicies).toEqual([]);
  });

  test('A22: neither can a session of a user outside the root quorum, or a policy for another user', async () => {
    const { organization, root, person, mfaPolicyId } = await withMfa('member', {}, [API_KEY, SESSION]);
    const { userId, caller } = person;
    const session = await login(caller);
    expect(errorOf(await session.submit('deleteMfaPolicy', { userId, mfaPolicyId }))).toMatchObject(refused);
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'MFA_POLICY'" });
    const manager = memberAt(organization, 1).caller;
    for (const [name, params] of [
      ['deleteMfaPolicy', { userId, mfaPolicyId }],
      ['updateMfaPolicy', { userId, mfaPolicyId, condition: 'false' }],
    ] as const) {
      const answer = await manager.submit(name, params);
      expect(errorOf(answer)).toMatchObject(refused);
      expect(answer.body.message).toContain('takes away what another user has to show');
    }
    await manager.result('createMfaPolicy', mfaParams(userId, [SESSION]));
    await root.result('deleteMfaPolicy', { userId, mfaPolicyId });
  });

  test('A22: a policy for MFA policies does not apply to root quorum members', async () => {
    const { organization, root } = await withMfa('member');
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'MFA_POLICY'" });
    const params = mfaParams(organization.roots[0]?.userId as string, [SESSION]);
    expect(errorOf(await memberAt(organization, 1).caller.submit('createMfaPolicy', params))).toMatchObject(refused);
  });

  test('users create their own MFA policies with a credential as strong as the policy demands', async () => {
    const organization: Organization = await createOrganization(subject().service.root, { members: 1 });
    const person = memberAt(organization, 0);
    const { caller, userId } = person;
    const { passkey } = await addPasskey(organization.root, userId);
    expect(errorOf(await caller.submit('createMfaPolicy', mfaParams(userId)))).toMatchObject(refused);
    const session = await login(caller);
    expect(errorOf(await session.submit('createMfaPolicy', mfaParams(userId, [SESSION])))).toMatchObject(refused);
    const body = caller.submitBody('createMfaPolicy', mfaParams(userId));
    expect(outcomeOf(await sendWithPasskey(caller, passkey, caller.submitPath('createMfaPolicy'), body))).toBe('200 COMPLETED');
    const { user } = await caller.data('getUser', { userId });
    expect(user.mfaPolicies).toMatchObject([{ condition: SIGNING, requiredAuthenticationMethods: [API_KEY, PASSKEY], order: 0 }]);
  });

  test('A23: an unsatisfiable MFA policy is refused, and required credentials cannot be removed', async () => {
    const { organization, root, person, authenticatorId, mfaPolicyId, passkey } = await withMfa('root');
    const { userId } = person;
    const member = memberAt(organization, 0).userId;
    for (const steps of [[PASSKEY], [API_KEY, API_KEY], [{ any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }] }]]) {
      expect(errorOf(await root.submit('createMfaPolicy', mfaParams(member, steps)))).toMatchObject({
        code: 'PRECONDITION_FAILED',
        fields: ['requiredAuthenticationMethods'],
      });
    }
    const removal = await root.submit('deleteAuthenticators', { userId, authenticatorIds: [authenticatorId] });
    expect(errorOf(removal)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    const renamed = await submitPending(root, 'updateMfaPolicy', { userId, mfaPolicyId, mfaPolicyName: 'Both' });
    expect(outcomeOf(await approveWith(person, passkey, renamed))).toBe('200 COMPLETED');
    const { mfaPolicy } = await root.data('getMfaPolicy', { userId, mfaPolicyId });
    expect(mfaPolicy).toMatchObject({ mfaPolicyName: 'Both', condition: SIGNING });
  });

  test('errors name what is wrong with an MFA policy, and foreign objects are not found', async () => {
    const { organization, root, person, mfaPolicyId, authenticatorId } = await withMfa('member');
    const { userId } = person;
    const other = memberAt(organization, 1).userId;
    const named = (type: string, id: string) => [{ any: [{ type: `AUTHENTICATION_TYPE_${type}`, id }] }];
    const where = 'requiredAuthenticationMethods.0.any.0.id';
    const wrong = [
      [mfaParams(madeUpId()), 'NOT_FOUND', 'userId'],
      [mfaParams(userId, [API_KEY], "activity.action = 'SIGN'"), 'POLICY_INVALID', 'condition'],
      [mfaParams(userId, [API_KEY], "wallet.id == 'x'"), 'REQUEST_INVALID', 'condition'],
      [mfaParams(other, named('PASSKEY', authenticatorId)), 'NOT_FOUND', where],
      [mfaParams(userId, named('API_KEY', madeUpId())), 'NOT_FOUND', where],
      [mfaParams(userId, named('SESSION', madeUpId())), 'NOT_FOUND', where],
      [mfaParams(userId, named('OAUTH', madeUpId())), 'NOT_FOUND', where],
      [mfaParams(userId, named('EMAIL_OTP', madeUpId())), 'REQUEST_INVALID', where],
    ] as const;
    for (const [params, code, field] of wrong)
      expect(errorOf(await root.submit('createMfaPolicy', params))).toMatchObject({ code, fields: [field] });
    for (const name of ['deleteMfaPolicy', 'updateMfaPolicy'] as const)
      expect(errorOf(await root.submit(name, { userId: other, mfaPolicyId }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(errorOf(await root.query('getMfaPolicy', { userId: other, mfaPolicyId }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
