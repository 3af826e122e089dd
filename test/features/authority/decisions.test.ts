import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, uniqueName } from '../../support/world.ts';
import { createPolicy } from '../policies/support.ts';

describeEngines('decisions of a parent in its sub-organization', (subject) => {
  test('A33: its users see the outcome, but not the parent’s policies and users', async () => {
    const { root } = subject().service;
    const { caller: backend, userId } = await createMember(root);
    const secret = uniqueName('parents only');
    const condition = `activity.resource == 'AUTH'`;
    const policyId = await createPolicy(root, 'ALLOW', {
      condition,
      consensus: `approvers.any(user, user.alias == '${secret}' || user.id == '${userId}')`,
    });
    const { caller: own, userId: ownerId } = await createSubOrganization(root);
    await own.result('updateUserEmail', { userId: ownerId, userEmail: 'owner@example.com' });
    const request = { otpType: 'OTP_TYPE_EMAIL', contact: 'owner@example.com' };
    const answer = await backend.with({ organizationId: own.organizationId }).submit('initOtpAuth', request);
    const activityId = answer.body.activity.id;
    for (const name of ['explainActivity', 'getPolicyEvaluations', 'getActivity'] as const) {
      const text = JSON.stringify(await own.data(name, { activityId }));
      expect(text, name).not.toContain(secret);
      expect(text, name).not.toContain(policyId);
    }
    expect(await own.data('explainActivity', { activityId })).toMatchObject({ decisions: [{ outcome: 'ALLOW' }] });
    const parents = await root.with({ organizationId: own.organizationId }).data('explainActivity', { activityId });
    expect(JSON.stringify(parents)).toContain(policyId);
  });

  test('A33: a stored denial does not name the parent’s policies', async () => {
    const { root } = subject().service;
    const { caller: backend, userId } = await createMember(root);
    const policyId = await createPolicy(root, 'DENY', {
      condition: "activity.resource == 'AUTH'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    const { caller: own } = await createSubOrganization(root);
    const request = { otpType: 'OTP_TYPE_EMAIL', contact: 'owner@example.com' };
    const answer = await backend.with({ organizationId: own.organizationId }).submit('initOtpAuth', request);
    expect([answer.status, answer.body.message.includes(policyId)]).toEqual([403, false]);
    expect(JSON.stringify(await own.data('listActivities'))).not.toContain(policyId);
  });

  test('decisions of the organization itself are fully visible to its users', async () => {
    const { caller: own } = await createSubOrganization(subject().service.root);
    const { caller: member } = await createMember(own);
    const policyId = await createPolicy(own, 'ALLOW', { condition: "activity.resource == 'WALLET'" });
    const { body } = await member.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    expect(JSON.stringify(await member.data('explainActivity', { activityId: body.activity.id }))).toContain(policyId);
  });
});
