import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, madeUpId } from '../../support/world.ts';
import { Checker } from './support/checker.ts';
import { type Attempt, History } from './support/history.ts';
import { checkLog } from './support/log-check.ts';
import { placeOf } from './support/serving.ts';
import { Workload } from './support/workload.ts';

/** The fault tests are only as good as their checker. */
describe('the checker of the fault tests', () => {
  let installation: Installation;
  let service: TestService;
  let history: History;
  let checker: Checker;

  beforeEach(async () => {
    installation = await engines.sqlite();
    service = await startService(installation);
    history = new History();
    const workload = await Workload.create(service.root);
    checker = await Checker.create(history, placeOf(installation));
    for (let count = 0; count < 20; count++) {
      const attempt = history.add(workload.draw());
      await history.send(attempt, service.url);
      const approval = workload.approvalOf(attempt);
      if (approval !== undefined) await history.send(history.add(approval), service.url);
    }
  });
  afterEach(async () => {
    await service?.close();
    await installation?.remove();
  });

  const check = async () => {
    await checker.check(service.url);
    const { lostAcks, doubleExecutions, illegalTransitions, others } = history.violations;
    return [lostAcks, doubleExecutions, illegalTransitions, others].map((cases) => cases.length > 0);
  };
  const signed = ({ name, status }: Attempt) => name === 'signRawPayload' && status === 'ACTIVITY_STATUS_COMPLETED';
  const first = () => history.attempts.find(signed)?.activityId as string;

  test('finds nothing in a sound history, also the second time', async () => {
    expect(await check()).toEqual([false, false, false, false]);
    expect(await check()).toEqual([false, false, false, false]);
  });

  test('notices a lost acknowledged activity', async () => {
    const raw = await installation.raw();
    await raw.dropGuards();
    await raw.run('DELETE FROM activities WHERE id = ?', first());
    const [lostAcks] = await check();
    expect(lostAcks).toBe(true);
  });

  test('notices an activity that another one stands in place of', async () => {
    const acknowledged = history.attempts.find(signed) as Attempt;
    acknowledged.activityId = madeUpId();
    const [, doubleExecutions] = await check();
    expect(doubleExecutions).toBe(true);
  });

  test('notices an acknowledged activity without a leaf', async () => {
    const raw = await installation.raw();
    const look = async () => (await checkLog(service.url, service.root, raw, history.attempts)).unlogged;
    expect(await look()).toEqual([]);
    await raw.dropGuards();
    await raw.run('DELETE FROM activities WHERE id = ?', first());
    await raw.run('UPDATE log_leaves SET activity_id = ? WHERE activity_id = ?', madeUpId(), first());
    expect(await look()).toEqual([expect.stringContaining('signRawPayload')]);
  });

  test('notices an ended activity that changed', async () => {
    await check();
    const raw = await installation.raw();
    await raw.dropGuards();
    await raw.run(
      "UPDATE activities SET status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED', revision = revision + 1 WHERE id = ?",
      first(),
    );
    const [, , illegalTransitions] = await check();
    expect(illegalTransitions).toBe(true);
  });

  test('notices an object that no activity of the history created', async () => {
    await createPrivateKey(service.root);
    const [, doubleExecutions, , others] = await check();
    expect([doubleExecutions, others]).toEqual([true, true]);
  });

  test('notices an unanswered request that cannot be repeated', async () => {
    const attempt = history.add({
      ...(history.attempts[0] as never as Parameters<History['add']>[0]),
      parameters: { nothing: true },
    });
    attempt.outcome = 'unknown';
    const [, , , others] = await check();
    expect(others).toBe(true);
  });
});
