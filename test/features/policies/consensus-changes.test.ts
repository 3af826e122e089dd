import { afterEach, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createPrivateKey,
  type Member,
  privateKeyParams,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  memberAt,
  outcomeOf,
  policyParams,
  reject,
  someOf,
  submitPending,
} from './support.ts';

const HOUR = 60 * 60 * 1000;

describeEngines(
  'changes while an activity is pending',
  (subject) => {
    afterEach(() => subject().service.setAheadMs(0));

    /** Moves the service's clock and returns the timestamp field of a request at that time. */
    function at(aheadMs: number) {
      subject().service.setAheadMs(aheadMs);
      return { timestampMs: String(Date.now() + aheadMs) };
    }

    /** `count` of the first four members have to approve a signature; a fifth member has no vote. */
    async function signers(count: number) {
      const organization = await createOrganization(subject().service.root, { members: 5 });
      const [a, b, c, d, outsider] = organization.members as [Member, Member, Member, Member, Member];
      const condition = "activity.action == 'SIGN'";
      const policyId = await createPolicy(organization.root, 'ALLOW', { condition, consensus: someOf(count, [a, b, c, d]) });
      const key = await createPrivateKey(organization.root);
      const pending = () => submitPending(a.caller, 'signRawPayload', signParams(key));
      return { organization, root: organization.root, a, b, c, d, outsider, policyId, key, pending };
    }

    const apiKeyIdsOf = async (member: Member, activityId: string): Promise<string[]> => {
      const { votes } = await detailsOf(member.caller, activityId);
      const { user } = votes.find((vote: { userId: string }) => vote.userId === member.userId);
      return user.apiKeys.map((key: { apiKeyId: string }) => key.apiKeyId);
    };

    describe('D12, D52: people', () => {
      test('an approval counts only while its credential exists, and does not return with it', async () => {
        const { root, b, c, d, pending } = await signers(3);
        const activity = await pending();
        expect(outcomeOf(await approve(b, activity))).toBe('200 CONSENSUS_NEEDED');
        const replaced = newApiKey();
        await root.result('createApiKeys', { userId: b.userId, apiKeys: [apiKeyParams(replaced)] });
        const [first] = await apiKeyIdsOf(b, activity.id);
        await root.result('deleteApiKeys', { userId: b.userId, apiKeyIds: [first] });
        await root.result('createApiKeys', { userId: b.userId, apiKeys: [apiKeyParams(b.caller.key)] });
        expect(outcomeOf(await approve(c, activity))).toBe('200 CONSENSUS_NEEDED');
        const { votes } = await detailsOf(root, activity.id);
        expect(votes.map((vote: { userId: string }) => vote.userId)).toContain(b.userId);
        expect(outcomeOf(await approve(d, activity))).toBe('200 COMPLETED');
      });

      test('a user whose approval ended with a credential approves again with another', async () => {
        const { root, b, c, pending } = await signers(3);
        const activity = await pending();
        await approve(b, activity);
        const other = newApiKey();
        await root.result('createApiKeys', { userId: b.userId, apiKeys: [apiKeyParams(other)] });
        const [first] = await apiKeyIdsOf(b, activity.id);
        await root.result('deleteApiKeys', { userId: b.userId, apiKeyIds: [first] });
        const renewed = { caller: b.caller.with({ key: other }) };
        expect(outcomeOf(await approve(renewed, activity))).toBe('200 CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(c, activity))).toBe('200 COMPLETED');
        // The record keeps everything that was stamped.
        const { votes } = await detailsOf(root, activity.id);
        expect(
          votes.map((vote: { publicKey: string }) => vote.publicKey).filter((key: string) => key === b.caller.key.publicKey),
        ).toHaveLength(1);
        expect(votes).toHaveLength(4);
      });

      test('the approval of an API key ends when the key expires', async () => {
        const { root, b, c, d, pending } = await signers(3);
        const brief = newApiKey();
        await root.result('createApiKeys', { userId: b.userId, apiKeys: [apiKeyParams(brief, { expirationSeconds: '3600' })] });
        const activity = await pending();
        expect(outcomeOf(await approve({ caller: b.caller.with({ key: brief }) }, activity))).toBe('200 CONSENSUS_NEEDED');
        const later = at(2 * HOUR);
        expect(outcomeOf(await approve(c, activity, later))).toBe('200 CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(d, activity, later))).toBe('200 COMPLETED');
      });

      test('a removed user no longer counts', async () => {
        const { root, b, c, d, pending } = await signers(3);
        const activity = await pending();
        await approve(b, activity);
        await root.result('deleteUsers', { userIds: [b.userId] });
        expect(outcomeOf(await approve(c, activity))).toBe('200 CONSENSUS_NEEDED');
        expect((await detailsOf(root, activity.id)).votes).toHaveLength(3);
        expect(outcomeOf(await approve(d, activity))).toBe('200 COMPLETED');
      });

      test('a user who lost the tag no longer counts, and may not approve', async () => {
        const organization = await createOrganization(subject().service.root, { members: 4 });
        const { root } = organization;
        const [a, b, c, d] = organization.members as [Member, Member, Member, Member];
        const userIds = organization.members.map(({ userId }) => userId);
        const { userTagId } = await root.result('createUserTag', { userTagName: 'Signers', userIds });
        const consensus = `approvers.filter(user, user.tags.contains('${userTagId}')).count() >= 3`;
        await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus });
        const activity = await submitPending(a.caller, 'signRawPayload', signParams(await createPrivateKey(root)));
        expect(outcomeOf(await approve(b, activity))).toBe('200 CONSENSUS_NEEDED');
        await root.result('updateUserTag', { userTagId, addUserIds: [], removeUserIds: [b.userId] });
        expect(outcomeOf(await approve(b, activity))).toBe('403 POLICY_DENIED');
        expect(outcomeOf(await approve(c, activity))).toBe('200 CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(d, activity))).toBe('200 COMPLETED');
      });
    });

    describe('time', () => {
      test('approvals expire after a day, the activity stays, and can be approved again', async () => {
        const { a, b, outsider, root, pending } = await signers(2);
        const activity = await pending();
        const later = at(24 * HOUR + 60_000);
        expect(outcomeOf(await approve(outsider, activity, later))).toBe('403 POLICY_DENIED');
        expect(outcomeOf(await reject(outsider, activity, later))).toBe('403 POLICY_DENIED');
        expect(outcomeOf(await approve(b, activity, later))).toBe('200 CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(b, activity, { timestampMs: String(Number(later.timestampMs) + 1) }))).toBe(
          '403 POLICY_DENIED',
        );
        expect(outcomeOf(await approve(a, activity, later))).toBe('200 COMPLETED');
        const { votes } = await detailsOf(root, activity.id);
        expect(votes.map((vote: { userId: string }) => vote.userId)).toEqual([a.userId, b.userId, a.userId]);
      });

      test('approvals count until the day is over', async () => {
        const { b, pending } = await signers(2);
        const activity = await pending();
        expect(outcomeOf(await approve(b, activity, at(24 * HOUR - 60_000)))).toBe('200 COMPLETED');
      });

      test('the root quorum starts again as well, and nobody else may end the activity in between', async () => {
        const organization = await createOrganization(subject().service.root, { roots: 3, threshold: 2 });
        const [a, b, c] = organization.roots as [Member, Member, Member];
        const userIds = [a, b, c].map(({ userId }) => userId);
        const key = newApiKey();
        await approve(b, await submitPending(a.caller, 'createUsers', { users: [userParams(key)] }));
        const outsider = { caller: a.caller.with({ key }) };
        const activity = await submitPending(a.caller, 'updateRootQuorum', { threshold: 3, userIds });
        const later = at(25 * HOUR);
        expect(outcomeOf(await approve(outsider, activity, later))).toBe('403 POLICY_DENIED');
        expect((await detailsOf(a.caller, activity.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(c, activity, later))).toBe('200 CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(b, activity, later))).toBe('200 COMPLETED');
        expect((await a.caller.data('getOrganizationConfigs')).configs.quorum.threshold).toBe(3);
      });
    });

    describe('D51: policies', () => {
      test('a stricter consensus applies to waiting activities', async () => {
        const { root, b, c, policyId, organization, pending } = await signers(2);
        const activity = await pending();
        await root.result('updatePolicy', { policyId, policyConsensus: someOf(3, organization.members.slice(0, 4)) });
        expect(outcomeOf(await approve(b, activity))).toBe('200 CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(c, activity))).toBe('200 COMPLETED');
      });

      test('without its policy an activity keeps waiting until somebody ends it or the policy returns', async () => {
        const { root, b, policyId, organization, pending } = await signers(2);
        const activity = await pending();
        await root.result('deletePolicy', { policyId });
        expect(outcomeOf(await approve(b, activity))).toBe('403 POLICY_DENIED');
        expect((await detailsOf(root, activity.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        await createPolicy(root, 'ALLOW', {
          condition: "activity.action == 'SIGN'",
          consensus: someOf(2, organization.members.slice(0, 4)),
        });
        expect(outcomeOf(await approve(b, activity))).toBe('200 COMPLETED');
      });

      test('a DENY that was created in the meantime ends it at the next counted vote', async () => {
        const { root, b, c, outsider, pending } = await signers(2);
        const activity = await pending();
        const denial = await createPolicy(root, 'DENY', { condition: "activity.action == 'SIGN'" });
        expect(outcomeOf(await approve(outsider, activity))).toBe('403 POLICY_DENIED');
        expect((await detailsOf(root, activity.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        const answer = await approve(b, activity);
        expect(outcomeOf(answer)).toBe('403 POLICY_DENIED');
        expect(answer.body.message).toContain(denial);
        expect(await detailsOf(root, activity.id)).toMatchObject({
          status: 'ACTIVITY_STATUS_FAILED',
          result: {},
          failure: { code: 7 },
        });
        await root.result('deletePolicy', { policyId: denial });
        expect(outcomeOf(await approve(c, activity))).toBe('400 PRECONDITION_FAILED');
      });

      test('when a policy change makes the approvals sufficient, it still runs only with a vote that counts', async () => {
        const { root, a, b, outsider, policyId, pending } = await signers(3);
        const [first, second] = [await pending(), await pending()];
        await root.result('updatePolicy', { policyId, policyConsensus: 'approvers.count() >= 1' });
        expect(outcomeOf(await approve(outsider, first))).toBe('403 POLICY_DENIED');
        expect((await detailsOf(root, first.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(b, first))).toBe('200 COMPLETED');
        expect(outcomeOf(await approve(a, second))).toBe('200 COMPLETED');
      });

      test('a DENY on an approver refuses that approver, and the activity stays open', async () => {
        const { root, b, c, pending } = await signers(2);
        const activity = await pending();
        await createPolicy(root, 'DENY', {
          condition: "activity.action == 'SIGN'",
          consensus: `approvers.any(user, user.id == '${b.userId}')`,
        });
        expect(outcomeOf(await approve(b, activity))).toBe('403 POLICY_DENIED');
        expect((await detailsOf(root, activity.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(c, activity))).toBe('200 COMPLETED');
      });
    });

    describe('what an activity depends on', () => {
      test('a deleted key makes it fail at the last approval, once', async () => {
        const { root, b, c, outsider, key, pending } = await signers(2);
        const activity = await pending();
        await root.result('deletePrivateKeys', { privateKeyIds: [key], deleteWithoutExport: true });
        for (const vote of [approve, reject]) expect(outcomeOf(await vote(outsider, activity))).toBe('403 POLICY_DENIED');
        expect((await detailsOf(root, activity.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        expect(outcomeOf(await approve(b, activity))).toBe('200 FAILED');
        const failed = await detailsOf(root, activity.id);
        expect(failed).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', result: {}, failure: { code: 5 } });
        expect(failed.failure.message).toContain('sign with');
        expect(failed.votes).toHaveLength(2);
        expect(outcomeOf(await approve(c, activity))).toBe('400 PRECONDITION_FAILED');
        expect(await detailsOf(root, activity.id)).toEqual(failed);
      });

      test('an activity that can no longer run can still be rejected', async () => {
        const { root, c, key, pending } = await signers(2);
        const activity = await pending();
        await root.result('deletePrivateKeys', { privateKeyIds: [key], deleteWithoutExport: true });
        expect(outcomeOf(await reject(c, activity))).toBe('200 REJECTED');
      });

      test('a name that came into use makes it fail, and the other object stays', async () => {
        const organization = await createOrganization(subject().service.root, { members: 2 });
        const [a, b] = [memberAt(organization, 0), memberAt(organization, 1)];
        const { root } = organization;
        await createPolicy(root, 'ALLOW', {
          condition: "activity.kind == 'CREATE_POLICY'",
          consensus: someOf(2, organization.members),
        });
        const name = uniqueName('Contested');
        const pending = await submitPending(a.caller, 'createPolicy', { ...policyParams('DENY'), policyName: name });
        await root.result('createPolicy', { ...policyParams('ALLOW', { condition: 'eth.tx.value < 1' }), policyName: name });
        expect(outcomeOf(await approve(b, pending))).toBe('200 FAILED');
        const named = (await root.data('listPolicies')).policies.filter(
          (policy: { policyName: string }) => policy.policyName === name,
        );
        expect(named).toMatchObject([{ effect: 'EFFECT_ALLOW' }]);
      });

      test('a limit reached in the meantime applies', async () => {
        const organization = await createOrganization(subject().service.root, { members: 2 });
        const [a, b] = [memberAt(organization, 0), memberAt(organization, 1)];
        await createPolicy(organization.root, 'ALLOW', {
          condition: "activity.action == 'CREATE'",
          consensus: someOf(2, organization.members),
        });
        const key = () => ({ privateKeys: [privateKeyParams('CURVE_P256')] });
        const pending = await submitPending(a.caller, 'createPrivateKeys', key());
        await organization.root.result('createPrivateKeys', key());
        await organization.root.result('createPrivateKeys', key());
        expect(outcomeOf(await approve(b, pending))).toBe('200 FAILED');
        expect((await organization.root.data('listPrivateKeys')).privateKeys).toHaveLength(2);
      });
    });
  },
  { config: { maxPrivateKeys: 2 } },
);
