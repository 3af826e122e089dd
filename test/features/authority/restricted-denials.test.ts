import type { Activities } from '@countersign/contract';
import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  createMember,
  createSubOrganization,
  createWallet,
  errorOf,
  madeUpId,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { createPolicy, recordedAttempt } from '../policies/support.ts';
import { newAddress } from '../sign-in/mail-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const restrict = (root: Caller) => root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
const denied = { status: 403, code: 'POLICY_DENIED' };
const V1_SESSION = 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION';

describeEngines('denials where reading is restricted', (subject) => {
  const top = () => subject().service.root;

  /** An organization with names, addresses and a policy that a user without rights does not know. */
  async function secretive() {
    const { caller: root } = await createSubOrganization(top());
    const { walletId, addresses } = await createWallet(root);
    const userEmail = newAddress();
    const named = { ...userParams(newApiKey()), userName: uniqueName('Hidden'), userEmail };
    const { userIds } = await root.result('createUsers', { users: [named] });
    const userTagName = uniqueName('hidden-tag');
    await root.result('createUserTag', { userTagName, userIds: [] });
    await restrict(root);
    const { caller, userId } = await createMember(root);
    return { root, caller, userId, named, walletId, address: addresses[0] as string, hiddenId: userIds[0], userTagName };
  }

  test('D373: a user without rights does not learn from denials which names, addresses and ids exist', async () => {
    const { root, caller, named, walletId, address, hiddenId, userTagName } = await secretive();
    const targetPublicKey = newTarget().hex;
    const pairs: readonly [keyof Activities, object, object, string?][] = [
      ['createUsers', { users: [{ ...named, apiKeys: [] }] }, { users: [{ ...userParams(), userName: uniqueName('Other') }] }],
      ['createUserTag', { userTagName, userIds: [] }, { userTagName: uniqueName('other-tag'), userIds: [] }],
      ['signRawPayload', signParams(address), signParams(`0x${'11'.repeat(20)}`)],
      ['exportWallet', { walletId, targetPublicKey }, { walletId: madeUpId(), targetPublicKey }],
      ['updateUser', { userId: hiddenId, userName: 'A' }, { userId: madeUpId(), userName: 'A' }],
      ['createReadWriteSession', { userId: hiddenId, targetPublicKey }, { userId: madeUpId(), targetPublicKey }],
      [
        'createReadWriteSession',
        { email: named.userEmail, targetPublicKey },
        { email: newAddress(), targetPublicKey },
        V1_SESSION,
      ],
    ];
    for (const [name, existing, unknown, type] of pairs) {
      const choice = type === undefined ? {} : { type };
      const answers = [await caller.submit(name, existing, choice), await caller.submit(name, unknown, choice)];
      expect([name, ...answers.map(errorOf)]).toEqual([name, denied, denied]);
      expect(answers[0]?.body.message).toBe(answers[1]?.body.message);
    }
    // The root quorum gets the errors that help it.
    expect(errorOf(await root.submit('createUserTag', { userTagName, userIds: [] }))).toMatchObject({ code: 'NAME_TAKEN' });
    expect((await verifyText(await exportAudit(root), await logKey(root.url))).ok).toBe(true);
  });

  test('D373: a user whom a policy lets act gets the errors of the request, and opens their own session by email address', async () => {
    const { root, caller, userId, userTagName } = await secretive();
    await createPolicy(root, 'ALLOW', {
      condition: "activity.kind == 'CREATE_USER_TAG'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    expect(errorOf(await caller.submit('createUserTag', { userTagName, userIds: [] }))).toMatchObject({ code: 'NAME_TAKEN' });
    expect((await caller.submit('createUserTag', { userTagName: uniqueName('tag'), userIds: [] })).status).toBe(200);
    const email = newAddress();
    await root.result('updateUserEmail', { userId, userEmail: email });
    const own = { email, targetPublicKey: newTarget().hex };
    expect((await caller.submit('createReadWriteSession', own, { type: V1_SESSION })).status).toBe(200);
  });

  test('D376: a denial tells a user who may not read policies neither which of them applied nor their outcomes', async () => {
    const { root, caller, userId, address } = await secretive();
    const condition = (payload: string) => `activity.action == 'SIGN' && activity.params.payload == '${payload}'`;
    await createPolicy(root, 'ALLOW', { condition: condition('mine'), consensus: `approvers.any(u, u.id == '${userId}')` });
    const { policyId: ofOthers } = await root.result('createPolicy', {
      policyName: uniqueName('Others'),
      effect: 'EFFECT_ALLOW',
      condition: condition('for others'),
      consensus: `approvers.any(u, u.id == '${madeUpId()}')`,
    });
    const { policyId: denying } = await root.result('createPolicy', {
      policyName: uniqueName('Deny'),
      effect: 'EFFECT_DENY',
      condition: condition('never'),
    });
    for (const dialect of ['spec', 'turnkey'] as const) {
      const speaks = caller.with({ dialect });
      for (const payload of ['never', 'for others', 'anything']) {
        const answer = await speaks.submit('signRawPayload', signParams(address, payload));
        expect(answer.status).toBe(403);
        const { activity } = await speaks.data('getActivity', { activityId: recordedAttempt(answer) });
        for (const shown of [answer.body, activity]) {
          expect(JSON.stringify(shown)).not.toContain(denying);
          expect(JSON.stringify(shown)).not.toContain(ofOthers);
        }
      }
      expect((await speaks.submit('signRawPayload', signParams(address, 'mine'))).status).toBe(200);
    }
    // A user who may read how activities were decided sees the policies, as before.
    await createPolicy(root, 'ALLOW', {
      condition: "activity.action == 'READ' && activity.resource in ['ACTIVITY', 'POLICY']",
      consensus: `approvers.any(u, u.id == '${userId}')`,
    });
    const answer = await caller.with({ dialect: 'turnkey' }).submit('signRawPayload', signParams(address, 'never'));
    const details = answer.body.denial.find(({ policyEvaluations }: Json) => policyEvaluations);
    expect(details.policyEvaluations).toEqual([{ policyId: denying, outcome: 'OUTCOME_DENY_EXPLICIT' }]);
    expect((await verifyText(await exportAudit(root), await logKey(root.url))).ok).toBe(true);
  });
});
