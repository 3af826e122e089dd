import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { privateKeyParams, signParams, uniqueName } from '../../../../test/support/world.ts';
import { authorizeActivity } from '../../src/pipeline/authorize/authorize.ts';
import { commitActivity } from '../../src/pipeline/commit/commit-activity.ts';
import type { Executed } from '../../src/pipeline/context.ts';
import { executeActivity } from '../../src/pipeline/execute/execute.ts';
import { planActivity, proposeActivity } from '../../src/pipeline/plan/plan.ts';
import type { SubmitRequest } from '../../src/pipeline/request.ts';
import { Retry, stages } from '../../src/pipeline/stages.ts';
import { dayOf } from '../../src/store/counters.ts';
import { openPipeline, type Pipeline, passed } from './open-pipeline.ts';

const execute = stages(proposeActivity, planActivity, authorizeActivity, executeActivity);

let pipeline: Pipeline;
/** Another process on the same database. */
let other: Pipeline;
let privateKeyId: string;
beforeAll(async () => {
  pipeline = await openPipeline();
  other = await openPipeline(pipeline.installation);
  const { privateKeys } = await pipeline.result<{ privateKeys: [{ privateKeyId: string }] }>('createPrivateKeys', {
    privateKeys: [privateKeyParams('CURVE_SECP256K1')],
  });
  privateKeyId = privateKeys[0].privateKeyId;
});
afterAll(async () => {
  await other.close();
  await pipeline.close();
});

const change = () => pipeline.request('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
const signature = () => pipeline.request('signRawPayload', signParams(privateKeyId));
const executed = (request: SubmitRequest) => pipeline.through(execute, request);
const commit = (context: Executed) => commitActivity(pipeline.services, context);
const stored = (request: SubmitRequest) => pipeline.services.organizations.activities.byRequest(request.organizationId, request);
const reasonOf = (outcome: unknown) => (outcome instanceof Retry ? outcome.reason : 'committed');

describe('a commit', () => {
  test('makes the activity durable, and this process knows it and the new version', async () => {
    const request = change();
    const context = await executed(request);
    const { snapshots } = pipeline.services.organizations;
    const isReplay = () => pipeline.services.commits.replayCache.has(request.organizationId, request.fingerprint);
    expect(await stored(request)).toBeUndefined();
    expect(isReplay()).toBe(false);
    const { record } = passed(await commit(context));
    expect(await stored(request)).toEqual(record);
    expect(isReplay()).toBe(true);
    expect(await snapshots.get(request.organizationId)).toBe(context.execution.applied.next);
  });

  test.each([
    ['a change', change, 'CHANGE_CONFLICT'],
    ['a signature', signature, 'VERSION_MOVED'],
  ] as const)('of %s on an outdated version is retried and leaves nothing', async (_, make, reason) => {
    const request = make();
    const context = await executed(request);
    const before = await pipeline.services.organizations.snapshots.get(request.organizationId);
    await other.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    expect(reasonOf(await commit(context))).toBe(reason);
    expect(await stored(request)).toBeUndefined();
    expect(pipeline.services.commits.replayCache.has(request.organizationId, request.fingerprint)).toBe(false);
    expect(await pipeline.services.organizations.snapshots.get(request.organizationId)).toBe(before);
    await pipeline.services.organizations.snapshots.current(request.organizationId);
    expect(reasonOf(await commit(await executed(request)))).toBe('committed');
  });

  test('of a signature does not conflict with other signatures', async () => {
    const [first, second] = [await executed(signature()), await executed(signature())];
    expect([await commit(first), await commit(second)].map(reasonOf)).toEqual(['committed', 'committed']);
  });

  test('R2: of a body that is stored already finds the stored one', async () => {
    const request = signature();
    const [first, second] = [await executed(request), await executed(request)];
    const { record } = passed(await commit(first));
    expect(reasonOf(await commit(second))).toBe('FINGERPRINT_EXISTS');
    expect(await stored(request)).toEqual(record);
  });

  test('of an activity that has ended is a bug', async () => {
    const context = await executed(signature());
    const ended = { status: 'ACTIVITY_STATUS_COMPLETED', revision: 0 } as const;
    await expect(commit({ ...context, stored: ended })).rejects.toThrow();
  });

  test('gives the charges back if it is not taken', async () => {
    const { organizationId, services } = pipeline;
    const counter = { organizationId, name: 'test', day: dayOf(services.clock.nowMs()) };
    const charged = async (request: SubmitRequest) => {
      const context = await executed(request);
      return { ...context, execution: { ...context.execution, charges: [{ ...counter, amount: 3 }] } };
    };
    expect(reasonOf(await commit(await charged(signature())))).toBe('committed');
    expect(await services.store.counters.amount(counter)).toBe(3);
    const outdated = await charged(signature());
    await other.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    expect(reasonOf(await commit(outdated))).toBe('VERSION_MOVED');
    expect(await services.store.counters.amount(counter)).toBe(3);
  });
});
