import type { Activities } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyParams } from '../../../../test/features/policies/support.ts';
import { uniqueName } from '../../../../test/support/world.ts';
import { authorizeActivity } from '../../src/pipeline/authorize/authorize.ts';
import { executeActivity } from '../../src/pipeline/execute/execute.ts';
import { planActivity, proposeActivity } from '../../src/pipeline/plan/plan.ts';
import { executorOf, type PipelineServices } from '../../src/pipeline/services.ts';
import { stages } from '../../src/pipeline/stages.ts';
import { openPipeline, type Person, type Pipeline, passed } from './open-pipeline.ts';

const execute = stages(proposeActivity, planActivity, authorizeActivity, executeActivity);

let pipeline: Pipeline;
let member: Person;
beforeAll(async () => {
  pipeline = await openPipeline();
  member = await pipeline.member();
});
afterAll(() => pipeline.close());

const tag = () => ({ userTagName: uniqueName('Tag'), userIds: [] });
const current = () => pipeline.services.organizations.snapshots.get(pipeline.organizationId);

/** The execution of a tag, and how often its executor ran. */
async function executed(person: Person) {
  let runs = 0;
  const executor = executorOf(pipeline.services, { name: 'createUserTag' } as never);
  const createUserTag = {
    ...executor,
    run: (...given: Parameters<typeof executor.run>) => {
      runs++;
      return executor.run(...given);
    },
  };
  const executors = { ...pipeline.services.executors, createUserTag } as unknown as PipelineServices['executors'];
  const request = pipeline.request('createUserTag', tag(), person);
  const services = { ...pipeline.services, executors };
  const { execution } = passed(await execute(services, await pipeline.prepared(request, services)));
  return { execution, runs };
}

describe('an execution', () => {
  test('of an allowed activity has its result and its changes, which are not visible yet', async () => {
    const before = await current();
    const { execution, runs } = await executed(pipeline.root);
    const { record, applied } = execution;
    expect(runs).toBe(1);
    expect(record).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', result: { userTagId: expect.any(String) } });
    expect(record.decisions).toMatchObject([{ outcome: 'ALLOW' }]);
    const { userTagId } = record.result as { userTagId: string };
    expect(applied.next?.records.userTag.get(userTagId)).toBeDefined();
    expect(applied.next?.version).toBe((before?.version ?? 0) + 1);
    expect(await current()).toBe(before);
  });

  test('of a denied activity is a failure without changes: the executor does not run', async () => {
    const { execution, runs } = await executed(member);
    const { record, applied } = execution;
    expect(runs).toBe(0);
    expect(record).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', result: null, failure: { errorCode: 'POLICY_DENIED' } });
    expect(applied.head).toBeUndefined();
    expect(applied.writes).toEqual([]);
  });

  test('of an activity that needs approvals is pending: the executor does not run', async () => {
    const both = [member, pipeline.root].map(({ userId }) => `approvers.any(user, user.id == '${userId}')`).join(' && ');
    const { policyId } = await pipeline.result<{ policyId: string }>('createPolicy', policyParams('ALLOW', { consensus: both }));
    const { execution, runs } = await executed(member);
    expect(runs).toBe(0);
    expect(execution.record).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', result: null, failure: null });
    await pipeline.result('deletePolicy', { policyId });
  });

  test('discloses a token to the submitter only, and does not store it', async () => {
    const name: keyof Activities = 'createReadOnlySession';
    const { execution } = await pipeline.through(execute, pipeline.request(name, {}));
    const { session } = execution.disclosed as { session: string };
    expect(session).not.toBe('');
    expect(execution.record.result).toMatchObject({ session: '' });
    expect(JSON.stringify(execution.record)).not.toContain(session);
  });
});
