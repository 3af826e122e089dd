import { activities } from '@countersign/contract';
import { comparedOperations } from '@countersign/judgement';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { activityCases, buildWorld } from '../../support/activity-cases.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, type Member } from '../../support/world.ts';
import {
  approve,
  createOrganization,
  detailsOf,
  type Organization,
  outcomeOf,
  policyParams,
  reject,
  someOf,
  submitPending,
} from './support.ts';
import { ethereumTransaction } from './transactions.ts';

type Name = keyof typeof activities;

const textsOf = ({ comparison }: Json): string[] => comparison.changes.map(({ text }: Json) => text);

describeEngines('what approvers see', (subject) => {
  let organization: Organization;
  let first: Member;
  let second: Member;

  beforeEach(async () => {
    organization = await createOrganization(subject().service.root, { roots: 2, threshold: 2, members: 2 });
    [first, second] = organization.roots as [Member, Member];
  });

  /** Submits with one root user and approves with the other. */
  const both = async (name: Name, params: object): Promise<Json> => {
    const pending = await submitPending(first.caller, name, params);
    await approve(second, pending);
    return detailsOf(second.caller, pending.id);
  };

  describe('a change of a policy', () => {
    let policyId: string;

    beforeEach(async () => {
      const { result } = await both(
        'createPolicy',
        policyParams('ALLOW', { condition: 'true', consensus: 'approvers.count() >= 2' }),
      );
      policyId = result.createPolicyResult.policyId;
    });

    test('D499: is compared with the current state while it is pending, and kept as it was when it was decided', async () => {
      const pending = await submitPending(first.caller, 'updatePolicy', { policyId, policyConsensus: 'approvers.count() >= 1' });
      const consensus = async () =>
        (await detailsOf(second.caller, pending.id)).comparison.changes.map(({ field, before, after }: Json) => [
          field,
          before,
          after,
        ]);
      expect(await consensus()).toEqual([['consensus', '"approvers.count() >= 2"', '"approvers.count() >= 1"']]);
      // The policy becomes stricter before the approval.
      await both('updatePolicy', { policyId, policyConsensus: 'approvers.count() >= 3' });
      expect(await consensus()).toEqual([['consensus', '"approvers.count() >= 3"', '"approvers.count() >= 1"']]);
      await approve(second, pending);
      await both('updatePolicy', { policyId, policyConsensus: 'approvers.count() >= 4' });
      expect(await consensus()).toEqual([['consensus', '"approvers.count() >= 3"', '"approvers.count() >= 1"']]);
    });

    test('a rejected change keeps what it would have changed', async () => {
      const pending = await submitPending(first.caller, 'deletePolicy', { policyId });
      await reject(second, pending);
      await both('deletePolicy', { policyId });
      const details = await detailsOf(second.caller, pending.id);
      expect(details.status).toBe('ACTIVITY_STATUS_REJECTED');
      expect(textsOf(details)[0]).toMatch(/^Deletes policy ".*" \([0-9a-f-]{36}\): effect: allows$/);
      expect(details.authorization.decided).toMatchObject({ outcome: 'DENY', text: 'Rejected by a vote' });
    });

    test('an approver reads why an approved change failed', async () => {
      const { policyName } = (await first.caller.data('getPolicy', { policyId })).policy;
      const pending = await submitPending(first.caller, 'createPolicy', policyParams('ALLOW', { condition: 'true' }));
      const again = await submitPending(first.caller, 'updatePolicy', {
        policyId,
        policyName: JSON.parse(pending.body).parameters.policyName,
      });
      await approve(second, pending);
      expect(outcomeOf(await approve(second, again))).toBe('200 FAILED');
      const details = await detailsOf(second.caller, again.id);
      expect(details).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', failure: { message: expect.stringContaining('name') } });
      expect(textsOf(details)).toEqual([expect.stringContaining(`${JSON.stringify(policyName)} → `)]);
    });

    test('a list shows it, unless it is long', async () => {
      const short = await submitPending(first.caller, 'updatePolicy', { policyId, policyNotes: 'short' });
      const long = await submitPending(first.caller, 'updatePolicy', {
        policyId,
        policyNotes: 'x'.repeat(8_000),
        policyCondition: `'${'y'.repeat(3_000)}' == ''`,
      });
      const { activities: listed } = await second.caller.data('listActivities', {
        filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
      });
      const byId = (id: string) => listed.find((activity: Json) => activity.id === id);
      expect(textsOf(byId(short.id))).toHaveLength(1);
      expect(byId(long.id).comparison).toBeUndefined();
      expect(byId(long.id).shortened.fields).toContain('comparison');
      expect(textsOf(await detailsOf(second.caller, long.id))).toHaveLength(2);
    });
  });

  test('D496: in an organization that restricts reading, an approver sees the comparison only with the right to read it', async () => {
    const [a, b] = organization.members as [Member, Member];
    const condition = "activity.resource == 'CONTACT' && activity.action != 'READ'";
    await both('createPolicy', policyParams('ALLOW', { condition, consensus: someOf(2, [a, b]) }));
    await both('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
    const contact = { label: 'Acme', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', contactTags: ['vendors'] };
    const created = await submitPending(a.caller, 'createContacts', { contacts: [contact] });
    await approve(b, created);
    const [contactId] = (await detailsOf(first.caller, created.id)).result.createContactsResult.contactIds;
    const pending = await submitPending(a.caller, 'updateContact', { contactId, contactTags: [] });
    const seen = (await detailsOf(b.caller, pending.id)).comparison;
    expect(seen).toEqual({ changes: [], withheld: true });
    const expected = [`Contact "Acme" (${contactId}): tag removed: "vendors"`];
    expect(textsOf(await detailsOf(second.caller, pending.id))).toEqual(expected);
    expect((await detailsOf(b.caller, pending.id)).authorization).toBeUndefined();
    // That nothing would change says as much about the current state.
    const same = await submitPending(a.caller, 'updateContact', { contactId, contactTags: ['vendors'] });
    expect((await detailsOf(b.caller, same.id)).comparison).toEqual({ changes: [], withheld: true });
    expect((await detailsOf(second.caller, same.id)).comparison).toEqual({ changes: [] });
    const read = "activity.action == 'READ' && activity.resource == 'CONTACT'";
    await both('createPolicy', policyParams('ALLOW', { condition: read, consensus: someOf(1, [b]) }));
    expect(textsOf(await detailsOf(b.caller, pending.id))).toEqual(expected);
    expect((await detailsOf(a.caller, pending.id)).comparison).toEqual({ changes: [], withheld: true });
  });

  test('who demanded approvals and who granted them is shown, also after completion and after the policy is gone', async () => {
    const [a, b] = organization.members as [Member, Member];
    const made = await both('createPolicy', {
      ...policyParams('ALLOW', { condition: "activity.action == 'SIGN'", consensus: someOf(2, [a, b]) }),
      policyName: 'Pay "x"',
    });
    const { policyId } = made.result.createPolicyResult;
    expect(made.authorization).toMatchObject({
      demanded: { deciders: [{ by: 'ROOT_QUORUM' }], text: 'The root quorum must approve it' },
      decided: { outcome: 'ALLOW', deciders: [{ by: 'ROOT_QUORUM' }], text: 'Allowed by the root quorum' },
    });
    const wallet = await both('createPrivateKeys', {
      privateKeys: [
        { privateKeyName: 'Key', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
      ],
    });
    const [{ privateKeyId: signWith }] = wallet.result.createPrivateKeysResult.privateKeys;
    const unsignedTransaction = ethereumTransaction({ to: `0x${'99'.repeat(20)}` });
    const pending = await submitPending(a.caller, 'signTransaction', {
      signWith,
      unsignedTransaction,
      type: 'TRANSACTION_TYPE_ETHEREUM',
    });
    const policy = { by: 'POLICY', policyId, policyName: 'Pay "x"' };
    const demanded = {
      outcome: 'NEEDS_CONSENSUS',
      deciders: [policy],
      text: String.raw`Approvals are demanded by policy "Pay \"x\"" (${policyId})`,
    };
    const waiting = await detailsOf(b.caller, pending.id);
    expect(waiting.authorization).toEqual({ demanded });
    expect(waiting.transactionHash).toBeUndefined();
    await approve(b, pending);
    const decided = { outcome: 'ALLOW', deciders: [policy], text: String.raw`Allowed by policy "Pay \"x\"" (${policyId})` };
    const details = await detailsOf(b.caller, pending.id);
    expect(details.authorization).toEqual({ demanded, decided });
    const { policyEvaluations } = await b.caller.data('getPolicyEvaluations', { activityId: pending.id });
    expect(policyEvaluations.map((each: Json) => each.decidedBy)).toEqual([demanded, decided]);

    const { signedTransaction } = details.result.signTransactionResult;
    const hash = Buffer.from(keccak_256(Buffer.from(signedTransaction, 'hex'))).toString('hex');
    expect(details.transactionHash).toBe(`0x${hash}`);
    expect(Object.keys(details.result.signTransactionResult)).toEqual(['signedTransaction']);

    await both('deletePolicy', { policyId });
    expect((await detailsOf(b.caller, pending.id)).authorization.decided).toEqual({
      outcome: 'ALLOW',
      deciders: [{ by: 'POLICY', policyId }],
      text: `Allowed by policy ${policyId}`,
    });
  });
});

describeEngines('the comparison of every operation', (subject) => {
  const isCompared = (name: string) => !('nothing' in comparedOperations[name as Name]);
  const named = Object.keys(activityCases).filter(isCompared);
  /** Requests that state a result. The others add, remove or count. */
  const repeatable = named.filter((name) => activities[name as Name].policy.action === 'UPDATE' && !/^(reset|raise)/.test(name));

  test('is in words, and empty if the same request has nothing left to change', async () => {
    const { root } = subject().service;
    const world = await buildWorld(root);
    for (const name of named) {
      const params = activityCases[name]?.params(world) as object;
      const answer = await root.submit(name as Name, params);
      expect([name, answer.status, answer.body.activity?.status]).toEqual([name, 200, 'ACTIVITY_STATUS_COMPLETED']);
      const texts = textsOf(await read(root, answer.body.activity.id));
      for (const text of texts)
        expect([name, text]).toEqual([name, expect.not.stringMatching(/undefined|\[object|not found|NaN/)]);
      if (!repeatable.includes(name)) {
        expect([name, texts.length > 0]).toEqual([name, true]);
        continue;
      }
      // What the words promise is what was stored: the same request changes nothing more.
      const again = await root.submit(name as Name, params);
      expect([name, textsOf(await read(root, again.body.activity.id))]).toEqual([name, []]);
    }
  });

  const read = async (root: Caller, activityId: string): Promise<Json> =>
    (await root.data('getActivity', { activityId })).activity;

  test('names users and tags with their ids', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const { userTagId } = await root.result('createUserTag', { userTagName: 'Treasury', userIds: [] });
    const answer = await root.submit('updateUser', { userId, userTagIds: [userTagId] });
    const [text, ...others] = textsOf(await read(root, answer.body.activity.id));
    expect(others).toEqual([]);
    expect(text).toMatch(new RegExp(`^User ".*" \\(${userId}\\): tag added: user tag "Treasury" \\(${userTagId}\\)$`));
  });
});
