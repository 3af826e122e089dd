import { expect, test } from 'vitest';
import { countNext } from '../../../packages/server/src/statistics/count-activities.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, errorOf, signParams, subOrganizationParams, uniqueName } from '../../support/world.ts';
import { submitPending } from '../policies/support.ts';

const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const DAY_MS = 86_400_000;

describeEngines('activity counts', (subject) => {
  const root = () => subject().service.root;
  const store = () => subject().service.services.store;

  /** The counts of the last hours, as `type status` and the sum. */
  async function countsOf(caller: Caller, interval: 'HOUR' | 'DAY' = 'HOUR'): Promise<Record<string, number>> {
    // The log has taken in what is committed.
    await caller.data('listLogEntries', { limit: '1' });
    const { counts, isComplete } = await caller.data('getActivityCounts', { interval, since: String(Date.now() - DAY_MS) });
    expect(isComplete).toBe(true);
    const sums: Record<string, number> = {};
    for (const { type, status, count } of counts as Json[]) {
      const name = `${type} ${status.replace('ACTIVITY_STATUS_', '')}`;
      sums[name] = (sums[name] ?? 0) + Number(count);
    }
    return sums;
  }

  const createTag = (own: Caller) => own.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });

  async function newOrganization(): Promise<Caller> {
    const key = newApiKey();
    const { subOrganizationId } = await root().result('createSubOrganization', subOrganizationParams(key));
    return root().with({ key, organizationId: subOrganizationId });
  }

  test('include activities before and after they are aggregated', async () => {
    const own = await newOrganization();
    const key = await createPrivateKey(own);
    for (let count = 0; count < 3; count++) await own.result('signRawPayload', signParams(key));
    const expected = { 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2 COMPLETED': 1, [`${SIGN} COMPLETED`]: 3 };
    expect(await countsOf(own)).toEqual(expected);
    while (await countNext(store(), 3));
    expect(await countsOf(own)).toEqual(expected);
    expect(await countsOf(own, 'DAY')).toEqual(expected);
    await own.result('signRawPayload', signParams(key));
    expect(await countsOf(own)).toEqual({ ...expected, [`${SIGN} COMPLETED`]: 4 });
  });

  test('an activity counts when it becomes pending and when it ends; votes do not count', async () => {
    const own = await newOrganization();
    const members = [await createMember(own), await createMember(own), await createMember(own)] as const;
    const key = await createPrivateKey(own);
    await own.result('createPolicy', {
      policyName: 'Three',
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'SIGN'",
      consensus: 'approvers.count() >= 3',
    });
    const before = await countsOf(own);
    const [first, second, third] = members;
    const { fingerprint } = await submitPending(first.caller, 'signRawPayload', signParams(key));
    const waiting = { ...before, [`${SIGN} CONSENSUS_NEEDED`]: 1 };
    expect(await countsOf(own)).toEqual(waiting);
    await second.caller.submit('approveActivity', { fingerprint });
    const oneVote = await countsOf(own);
    expect(oneVote[`${SIGN} CONSENSUS_NEEDED`]).toBe(1);
    expect(oneVote[`${SIGN} COMPLETED`]).toBeUndefined();
    await third.caller.result('approveActivity', { fingerprint });
    const ended = await countsOf(own);
    expect([ended[`${SIGN} CONSENSUS_NEEDED`], ended[`${SIGN} COMPLETED`]]).toEqual([1, 1]);
    const failed = await first.caller.submit('createPolicy', {
      policyName: 'No',
      effect: 'EFFECT_ALLOW',
      condition: 'true',
      consensus: 'true',
    });
    expect(failed.status).toBe(403);
    expect((await countsOf(own))['ACTIVITY_TYPE_CREATE_POLICY_V3 FAILED']).toBe(1);
  });

  test('an existing database is counted from its first activity, by concurrent nodes, each activity once', async () => {
    const own = await newOrganization();
    await createTag(own);
    const expected = await countsOf(own);
    await subject().raw.run('DELETE FROM activity_counts');
    await subject().raw.run('DELETE FROM activity_count_state');
    expect(await countsOf(own)).toEqual(expected);
    const work = async () => {
      while (await countNext(store(), 2));
    };
    await Promise.all([work(), work(), work()]);
    expect(await countsOf(own)).toEqual(expected);
    const state = await store().log.state();
    expect(await store().counts.counted()).toBe(state?.size);
  });

  test('an altered leaf is not counted, and does not stop counting', async () => {
    const own = await newOrganization();
    await createTag(own);
    await countsOf(own);
    const size = (await store().log.state())?.size ?? 0;
    const [leaf] = await subject().raw.all(`SELECT opening, packed FROM log_leaves WHERE leaf_index = ${size - 1}`);
    await subject().raw.run(`UPDATE log_leaves SET opening = 'x', packed = ? WHERE leaf_index = ${size - 1}`, new Uint8Array());
    await subject().raw.run(`UPDATE activity_count_state SET leaves = ${size - 1}`);
    expect(await countNext(store())).toBe(false);
    expect(await store().counts.counted()).toBe(size);
    const restored = `UPDATE log_leaves SET opening = ?, packed = ? WHERE leaf_index = ${size - 1}`;
    await subject().raw.run(restored, leaf?.opening as string, leaf?.packed as Uint8Array);
  });

  test.each([
    [{ interval: 'MINUTE', since: '0' }, 'interval'],
    [{ interval: 'HOUR' }, 'since'],
    [{ interval: 'HOUR', since: String(Date.now() - 40 * DAY_MS) }, 'since'],
    [{ interval: 'DAY', since: '0' }, 'since'],
    [{ interval: 'DAY', since: String(Date.now()), until: '1' }, 'until'],
  ])('%o is refused', async (fields, field) => {
    expect(errorOf(await root().query('getActivityCounts', fields))).toMatchObject({ status: 400, fields: [field] });
  });

  test('counts of another organization are not available', async () => {
    const [own, other] = [await newOrganization(), await newOrganization()];
    const asked = await own.with({ organizationId: other.organizationId }).query('getActivityCounts', {
      interval: 'DAY',
      since: String(Date.now()),
    });
    expect(asked.status).toBe(401);
  });
});
