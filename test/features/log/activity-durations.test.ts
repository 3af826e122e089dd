import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization, errorOf, signParams } from '../../support/world.ts';

const DAY_MS = 86_400_000;

describeEngines('activity durations', (subject) => {
  const root = () => subject().service.root;
  const services = () => subject().service.services;
  const durationsOf = (caller: Caller, interval = 'HOUR'): Promise<Json> =>
    caller.data('getActivityDurations', { interval, since: String(Date.now() - DAY_MS) });

  test('include every accepted request, before and after they are written', async () => {
    const { caller: own } = await createSubOrganization(root());
    expect(await durationsOf(own)).toEqual({ intervals: [], overall: { count: '0' } });
    const key = await createPrivateKey(own);
    for (let count = 0; count < 3; count++) await own.result('signRawPayload', signParams(key));
    // A query, and what is refused, do not count.
    await own.data('whoami');
    expect((await own.submit('deleteWallets', { walletIds: [] })).status).toBe(400);
    // The service writes every ten seconds by itself: for that moment they are neither here nor there.
    await expect.poll(async () => (await durationsOf(own)).overall.count, { timeout: 30_000 }).toBe('4');
    await services().statistics.latencies.write(services().store);
    for (const interval of ['HOUR', 'DAY']) {
      await expect.poll(async () => (await durationsOf(own, interval)).overall.count, { timeout: 30_000 }).toBe('4');
      const { intervals, overall } = await durationsOf(own, interval);
      expect(overall).toEqual({ count: '4', medianMs: expect.stringMatching(/^\d+$/), p99Ms: expect.stringMatching(/^\d+$/) });
      expect(intervals.reduce((sum: number, { count }: Json) => sum + Number(count), 0)).toBe(4);
      expect(Number(overall.medianMs)).toBeLessThanOrEqual(Number(overall.p99Ms));
    }
    await own.result('signRawPayload', signParams(key));
    await expect.poll(async () => (await durationsOf(own)).overall.count, { timeout: 30_000 }).toBe('5');
  });

  test('do not appear in the activity counts', async () => {
    const { caller: own } = await createSubOrganization(root());
    await createPrivateKey(own);
    await services().statistics.latencies.write(services().store);
    const { counts } = await own.data('getActivityCounts', { interval: 'DAY', since: String(Date.now() - DAY_MS) });
    for (const { type } of counts as Json[]) expect(type).toMatch(/^ACTIVITY_TYPE_/);
  });

  test('requests without a valid credential are not recorded', async () => {
    const { caller: own } = await createSubOrganization(root());
    const stranger = own.with({ key: newApiKey() });
    expect((await stranger.submit('createPrivateKeys', { privateKeys: [] })).status).toBe(401);
    expect((await durationsOf(own)).overall).toEqual({ count: '0' });
    expect((await stranger.query('getActivityDurations', { interval: 'DAY', since: '0' })).status).toBe(401);
  });

  test.each([
    [{ interval: 'MINUTE', since: '0' }, 'interval'],
    [{ interval: 'HOUR', since: '0' }, 'since'],
    [{ interval: 'DAY', since: String(Date.now()), until: '1' }, 'until'],
  ])('%o is refused', async (fields, field) => {
    expect(errorOf(await root().query('getActivityDurations', fields))).toMatchObject({ status: 400, fields: [field] });
  });
});
