import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import {
  createMember,
  createPrivateKey,
  createWallet,
  errorOf,
  type Member,
  signParams,
  subOrganizationParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  fingerprintOf,
  memberAt,
  type Organization,
  outcomeOf,
  policyParams,
  reject,
  someOf,
  submitPending,
  userIs,
} from './support.ts';
import { ethereumTransaction } from './transactions.ts';

const receiver = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stranger = `0x${'99'.repeat(20)}`;

describeEngines('backtest_policies', (subject) => {
  let organization: Organization;
  let root: Organization['root'];
  let a: Member;
  let b: Member;
  let address: string;
  let key: string;
  let spending: string;

  const transfer = (to: string, value: bigint) => ({
    signWith: address,
    unsignedTransaction: ethereumTransaction({ to, value }),
    type: 'TRANSACTION_TYPE_ETHEREUM',
  });
  const backtest = (fields: object = {}): Promise<Json> => root.data('backtestPolicies', fields);

  beforeAll(async () => {
    organization = await createOrganization(subject().service.root, { roots: 2, threshold: 2, members: 3 });
    const [first, second] = organization.roots as [Member, Member];
    // One root user alone sets things up; then it takes both, so that policies decide.
    root = first.caller;
    a = memberAt(organization, 0);
    b = memberAt(organization, 1);
    const c = memberAt(organization, 2);
    const together = async (name: Parameters<typeof submitPending>[1], parameters: unknown): Promise<void> => {
      const body = root.submitBody(name, parameters);
      const answer = await root.send(root.submitPath(name), body);
      const ended = answer.status === 200 && outcomeOf(answer) !== '200 CONSENSUS_NEEDED';
      expect(outcomeOf(ended ? answer : await approve(second, { fingerprint: fingerprintOf(body) }))).toBe('200 COMPLETED');
    };
    await together(
      'createPolicy',
      policyParams('ALLOW', { condition: "activity.resource == 'POLICY'", consensus: userIs(first) }),
    );
    await together(
      'createPolicy',
      policyParams('ALLOW', {
        condition: "activity.resource in ['PRIVATE_KEY', 'WALLET', 'USER'] && activity.action != 'SIGN'",
        consensus: userIs(first),
      }),
    );
    const tag = (await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] })).userTagId;
    key = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
    ({
      addresses: [address = ''],
    } = await createWallet(root));
    spending = await createPolicy(root, 'ALLOW', {
      condition: `eth.tx.to == '${receiver}' && eth.tx.value < 100`,
      consensus: userIs(a),
    });
    expect(outcomeOf(await a.caller.submit('signTransaction', transfer(receiver, 1n)))).toBe('200 COMPLETED');
    expect((await a.caller.submit('signTransaction', transfer(stranger, 1n))).status).toBe(403);
    expect((await b.caller.submit('signTransaction', transfer(receiver, 1n))).status).toBe(403);
    await root.result('updatePolicy', { policyId: spending, policyCondition: `eth.tx.to == '${receiver}' && eth.tx.value < 10` });
    expect(outcomeOf(await a.caller.submit('signTransaction', transfer(receiver, 9n)))).toBe('200 COMPLETED');
    expect(await a.caller.submit('signTransaction', transfer(receiver, 50n))).toMatchObject({ status: 403 });
    const shared = await createPolicy(root, 'ALLOW', {
      condition: `private_key.id == '${key}'`,
      consensus: someOf(2, [a, b, c]),
    });
    const waiting = await submitPending(a.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await approve(b, waiting))).toBe('200 COMPLETED');
    const rejected = await submitPending(b.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await reject(b, rejected))).toBe('200 REJECTED');
    await submitPending(c.caller, 'signRawPayload', signParams(key));
    const late = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const tagged = await createPolicy(root, 'ALLOW', {
      condition: `wallet_account.address == '${address}'`,
      consensus: `approvers.any(user, user.tags.contains('${tag}'))`,
    });
    expect((await b.caller.submit('signRawPayload', signParams(address))).status).toBe(403);
    await together('updateUserTag', { userTagId: tag, addUserIds: [b.userId], removeUserIds: [] });
    expect(outcomeOf(await b.caller.submit('signRawPayload', signParams(address)))).toBe('200 COMPLETED');
    await together('updateUserTag', { userTagId: tag, addUserIds: [], removeUserIds: [b.userId] });
    expect((await b.caller.submit('signRawPayload', signParams(address))).status).toBe(403);
    expect(outcomeOf(await approve(c, late))).toBe('200 COMPLETED');
    await root.result('deletePolicy', { policyId: tagged });
    await together('deleteUsers', { userIds: [c.userId] });
    await root.result('deletePolicy', { policyId: shared });
  });

  test('reproduces every past decision, and without a change no outcome differs', async () => {
    const report = await backtest();
    expect(report.unknown).toEqual([]);
    expect(report.flips).toEqual([]);
    expect(report.groups).toEqual([]);
    expect(report.judged).toBe(report.total);
    expect(report.read).toBe(report.total);
    expect(report.before).toEqual(report.after);
    expect(report).not.toHaveProperty('next');
    expect(report.summary).toBe(`would have denied 0 of the last ${report.total}, allowed 0 more`);
  });

  test('reports which outcomes a change flips, grouped by reason, with explanations', async () => {
    const stored = await countRows(subject().raw);
    const tight = { policyId: spending, policyCondition: `eth.tx.to == '${receiver}' && eth.tx.value < 5` };
    const report = await backtest({ policies: { update: [tight] } });
    expect(report.groups).toMatchObject([{ before: 'ALLOW', after: 'DENY', count: 1 }]);
    expect(report.groups[0].reason).toMatch(/^no longer allowed by policy "/);
    expect(report.flips).toMatchObject([{ decided: 'ALLOW', before: 'ALLOW', after: 'DENY', userId: a.userId }]);
    expect(report.flips[0].explanation).toContain('eth.tx.value < 5');
    expect(report.summary).toContain('would have denied 1 of the last');
    // Then it was denied; the policy in force denies it too, and the one before allowed it. Only the last two matter.
    const wide = { ...policyParams('ALLOW', { condition: 'eth.tx.value == 50', consensus: userIs(a) }), policyName: 'Fifty' };
    const more = await backtest({ policies: { add: [wide] } });
    expect(more.flips).toMatchObject([{ decided: 'DENY', before: 'DENY', after: 'ALLOW', reason: 'allowed by policy "Fifty"' }]);
    const none = await backtest({ policies: { remove: [spending] } });
    expect(none.flips.map(({ after }: Json) => after)).toEqual(['DENY', 'DENY']);
    const denying = { ...policyParams('DENY', { condition: "activity.action == 'SIGN'" }), policyName: 'Stop' };
    const stop = await backtest({ policies: { add: [denying] }, range: { types: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] } });
    expect(stop.groups).toEqual([{ before: 'ALLOW', after: 'DENY', reason: 'denied by policy "Stop"', count: 2 }]);
    expect(await countRows(subject().raw)).toEqual(stored);
  });

  test('parts add up to the whole, whatever their size', async () => {
    const policies = { remove: [spending] };
    const whole = await backtest({ policies });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), async (limit) => {
        const flips: string[] = [];
        let judged = 0;
        let cursor: string | undefined;
        do {
          const part = await backtest({ policies, limit, ...(cursor && { cursor }) });
          flips.push(...part.flips.map(({ activityId }: Json) => activityId));
          judged += part.judged;
          cursor = part.next;
        } while (cursor !== undefined);
        expect(judged).toBe(whole.judged);
        expect(flips).toEqual(whole.flips.map(({ activityId }: Json) => activityId));
      }),
      { numRuns: 3 },
    );
  });

  test('a range selects the newest, a time span, types or users', async () => {
    const { total } = await backtest();
    expect(await backtest({ range: { last: 3 } })).toMatchObject({ total: 3, read: 3, judged: 3 });
    expect(await backtest({ range: { last: 1000 } })).toMatchObject({ total, read: total });
    expect(await backtest({ range: { until: '1000' } })).toMatchObject({ total: 0, read: 0 });
    expect(await backtest({ range: { since: `${Date.now() + 60_000}` } })).toMatchObject({ total: 0, read: 0 });
    const types = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'];
    expect(await backtest({ range: { types } })).toMatchObject({ total: 5, judged: 5 });
    expect(await backtest({ range: { types, last: 2 } })).toMatchObject({ total: 2, judged: 2 });
    expect(await backtest({ range: { types, userIds: [b.userId] } })).toMatchObject({ total: 5, judged: 1 });
  });

  test('refuses an invalid change and an unknown cursor', async () => {
    const refused = async (fields: object) => errorOf(await root.query('backtestPolicies', fields));
    expect(await refused({ policies: { remove: ['nothing'] } })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused({ policies: { add: [policyParams('ALLOW', { condition: 'eth.tx.value <' })] } })).toMatchObject({
      code: 'POLICY_INVALID',
      fields: ['policies.add.0.condition'],
    });
    expect(await refused({ cursor: 'x' })).toMatchObject({ code: 'REQUEST_INVALID', fields: ['cursor'] });
    expect(await refused({ limit: 2001 })).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  test('D147: excludes other organizations, and shows only the number of activities that the parent authorized', async () => {
    const first = subject().service.root;
    const other = await createMember(first);
    const own = await other.caller.data('backtestPolicies', { policies: { add: [policyParams('DENY')] } });
    const ids = new Set((await root.data('listActivities', {})).activities.map(({ id }: Json) => id));
    expect(own.flips.some(({ activityId }: Json) => ids.has(activityId))).toBe(false);
    const key = newApiKey();
    const { userTags: _, ...rootUser } = userParams(key);
    const rootUsers = [{ ...rootUser, userEmail: 'somebody@example.com' }];
    const { subOrganizationId: organizationId } = await first.result(
      'createSubOrganization',
      subOrganizationParams(key, { rootUsers }),
    );
    const caller = first.with({ key, organizationId });
    const contact = { otpType: 'OTP_TYPE_EMAIL', contact: 'somebody@example.com' };
    expect(outcomeOf(await first.with({ organizationId }).submit('initOtpAuth', contact))).toBe('200 COMPLETED');
    const report = await caller.data('backtestPolicies', { policies: { add: [policyParams('DENY')] } });
    expect(report.flips).toEqual([]);
    expect(report.unknown).toMatchObject([{ reason: 'JUDGED_BY_PARENT', count: 1 }]);
    expect((await caller.data('listPastRequests', {})).requests).toEqual([]);
  });

  test('D148: approvers of a policy see the backtest result that the service computed', async () => {
    const [, second] = organization.roots as [Member, Member];
    const condition = `eth.tx.to == '${receiver}' && eth.tx.value < 5`;
    for (const dialect of ['spec', 'turnkey'] as const) {
      const caller = second.caller.with({ dialect });
      const plain = await submitPending(caller, 'createPolicy', policyParams('DENY', { condition }));
      expect((await detailsOf(root, plain.id)).warnings).toEqual([
        expect.stringMatching(
          /^BACKTEST: would have denied 1 of the last \d+, allowed 0 more.* \(a sample: \d+ of the newest activities,/,
        ),
      ]);
      const tried = await submitPending(caller, 'createPolicy', { ...policyParams('DENY', { condition }), backtest: true });
      const { total } = await backtest({ range: { last: 1000 } });
      const [note, ...others] = (await detailsOf(root, tried.id)).warnings;
      // The last activity of the range is the one that is submitted, and it is not part of its own past.
      expect(note).toBe(`BACKTEST: would have denied 1 of the last ${total - 1}, allowed 0 more`);
      expect(others).toEqual([]);
    }
    const update = { policyId: spending, policyCondition: `eth.tx.to == '${stranger}'`, backtest: true };
    const answer = await root.submit('updatePolicy', update);
    expect(outcomeOf(answer)).toBe('200 COMPLETED');
    const listed = (await root.data('listActivities', { filterByType: ['ACTIVITY_TYPE_UPDATE_POLICY_V2'] })).activities[0];
    expect(listed.warnings[0]).toMatch(/^BACKTEST: would have denied 2 of the last \d+, allowed 1 more$/);
  });
});
