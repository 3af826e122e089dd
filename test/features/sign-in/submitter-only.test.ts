import { afterAll, describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../../packages/server/src/organizations/activities/activity-record.ts';
import { applyChanges } from '../../../packages/server/src/organizations/snapshot/apply-changes.ts';
import { commitActivity } from '../../../packages/server/src/pipeline/commit/commit-activity.ts';
import type { Executed } from '../../../packages/server/src/pipeline/context.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, type Member } from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  fingerprintOf,
  memberAt,
  outcomeOf,
  reject,
  someOf,
  userIs,
} from '../policies/support.ts';
import { mailSettings, newAddress } from './mail-support.ts';
import { askEncrypted, newestCode, verifyV2 } from './otp-support.ts';
import { keysOf } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const dialects = ['spec', 'turnkey'] as const;
const denied = (dialect: (typeof dialects)[number]) =>
  ({ status: 403, code: dialect === 'spec' ? 'POLICY_DENIED' : 'REQUEST_NOT_AUTHORIZED' }) as const;
const advice = /only in the response to this request.*cannot be pending.*policy/;

describeEngines(
  'activities whose result only the submitter sees',
  (subject) => {
    /** Two members who may verify codes together, but not alone. */
    async function twoOfTwo() {
      const organization = await createOrganization(subject().service.root, { members: 2 });
      const [a, b] = [memberAt(organization, 0), memberAt(organization, 1)];
      await createPolicy(organization.root, 'ALLOW', { condition: "activity.resource == 'OTP'", consensus: someOf(2, [a, b]) });
      return { organization, root: organization.root, a, b };
    }

    const activitiesOf = ({ organizationId }: Caller) =>
      subject().raw.all('SELECT id FROM activities WHERE organization_id = ? ORDER BY id', organizationId);

    async function codeFor(root: Caller) {
      const contact = newAddress();
      const { otpId } = await root.result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });
      return { otpId, otpCode: await newestCode(inbox, contact) };
    }

    describe.each(dialects)('in the dialect %s', (dialect) => {
      test('verify_otp does not wait for approvals: nothing is stored, and the code stays valid', async () => {
        const { root, a } = await twoOfTwo();
        const params = await codeFor(root);
        const before = await activitiesOf(root);
        const refused = await a.caller.with({ dialect }).submit('verifyOtp', params);
        expect(errorOf(refused)).toEqual(denied(dialect));
        expect(refused.body.message).toMatch(advice);
        expect(await activitiesOf(root)).toEqual(before);
        await createPolicy(root, 'ALLOW', { condition: "activity.action == 'VERIFY'", consensus: userIs(a) });
        const { verificationToken } = await a.caller.with({ dialect }).result('verifyOtp', params);
        expect(verificationToken.length).toBeGreaterThan(100);
      });

      test('create_read_only_session does not wait for the root quorum to overrule a policy', async () => {
        const { root, roots } = await createOrganization(subject().service.root, { roots: 2 });
        await createPolicy(root, 'DENY', { condition: "activity.resource == 'AUTH'" });
        await root.result('updateRootQuorum', { threshold: 2, userIds: roots.map(({ userId }) => userId) });
        const before = await activitiesOf(root);
        const refused = await root.with({ dialect }).submit('createReadOnlySession', {});
        expect(errorOf(refused)).toEqual(denied(dialect));
        expect(refused.body.message).toMatch(advice);
        expect(await activitiesOf(root)).toEqual(before);
      });

      test('simulate_activity gives the same result, however many would approve', async () => {
        const { root, a, b } = await twoOfTwo();
        const caller = a.caller.with({ dialect });
        const fields = { type: 'ACTIVITY_TYPE_VERIFY_OTP', parameters: await codeFor(root) };
        for (const approvers of [[a], [a, b]]) {
          const answer = await caller.query('simulateActivity', { ...fields, approverIds: approvers.map((each) => each.userId) });
          expect(errorOf(answer)).toEqual(denied(dialect));
          expect(answer.body.message).toMatch(advice);
        }
        await createPolicy(root, 'ALLOW', { condition: "activity.action == 'VERIFY'", consensus: userIs(a) });
        expect((await caller.data('simulateActivity', fields)).decision).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
      });
    });

    test('the same holds for an encrypted code', async () => {
      const { root, a } = await twoOfTwo();
      const { otpId, code, bundle } = await askEncrypted(root.with({ dialect: 'turnkey' }), inbox, newAddress());
      const params = { otpId, encryptedOtpBundle: bundle(code, newApiKey().publicKey) };
      expect(errorOf(await a.caller.with({ dialect: 'turnkey' }).submit('verifyOtp', params, verifyV2))).toEqual(
        denied('turnkey'),
      );
      expect((await root.with({ dialect: 'turnkey' }).submit('verifyOtp', params, verifyV2)).status).toBe(200);
    });

    test('a user without any permission is denied as usual, and that is stored', async () => {
      const { root } = await twoOfTwo();
      const organization = await createOrganization(subject().service.root, { members: 1 });
      const refused = await memberAt(organization, 0).caller.submit('verifyOtp', await codeFor(root));
      expect(refused.body).toMatchObject({ errorCode: 'POLICY_DENIED', details: [{ activityId: expect.any(String) }] });
    });

    /** A waiting activity, as releases before this rule left it. */
    async function waiting(root: Caller, a: Member, b: Member, params: object): Promise<ActivityRecord> {
      const { services } = subject().service;
      const target = await services.organizations.snapshots.current(root.organizationId);
      if (target === undefined) throw new Error('there is no such organization');
      const message = a.caller.submitBody('verifyOtp', params);
      const { apiKeyId: credentialId, credential } = (await keysOf(root, a.userId))[0];
      const times = { createdAtMs: Date.now(), updatedAtMs: Date.now() };
      const vote = { id: services.newId(), userId: a.userId, userName: 'A', credentialId, message, signature: '', scheme: '' };
      const decision = { outcome: 'NEEDS_CONSENSUS' as const, policyIds: [], mayApprove: [b.userId], evaluations: [] };
      const record: ActivityRecord = {
        id: services.newId(),
        organizationId: target.id,
        type: 'ACTIVITY_TYPE_VERIFY_OTP',
        status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
        fingerprint: fingerprintOf(message),
        timestampMs: JSON.parse(message).timestampMs,
        intent: params,
        result: null,
        failure: null,
        votes: [{ ...vote, selection: 'VOTE_SELECTION_APPROVED', publicKey: credential.publicKey, ...times }],
        decisions: [{ voteId: vote.id, ...decision, createdAtMs: times.createdAtMs }],
        ...times,
      };
      const execution = { record, applied: applyChanges(services.vault.integrity, target, []), forget: [] };
      const executed = { authenticated: { target, home: target }, stored: undefined, execution } as unknown as Executed;
      expect(await commitActivity(services, executed)).toMatchObject({ record: { id: record.id } });
      return record;
    }

    test.each([
      ['an approval', approve, '200 FAILED', { message: expect.stringMatching(advice) }],
      ['a rejection', reject, '200 REJECTED', null],
    ] as const)(
      'a pending activity of an older release ends with %s, and its code stays valid',
      async (_what, vote, outcome, failure) => {
        const { root, a, b } = await twoOfTwo();
        const params = await codeFor(root);
        const pending = await waiting(root, a, b, params);
        expect(await detailsOf(b.caller, pending.id)).toMatchObject({
          canApprove: true,
          intent: { verifyOtpIntent: { otpCode: '' } },
        });
        expect(outcomeOf(await vote(b, pending))).toBe(outcome);
        expect(await detailsOf(b.caller, pending.id)).toMatchObject({ failure, result: {} });
        expect((await root.submit('verifyOtp', params)).status).toBe(200);
      },
    );
  },
  { config: mailSettings(inbox) },
);
