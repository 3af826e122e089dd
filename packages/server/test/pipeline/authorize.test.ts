import type { Activities } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyParams } from '../../../../test/features/policies/support.ts';
import { newApiKey } from '../../../../test/support/api-key.ts';
import { uniqueName, userParams } from '../../../../test/support/world.ts';
import { authorizeActivity, SHORT_REQUEST } from '../../src/pipeline/authorize/authorize.ts';
import { planActivity, proposeActivity } from '../../src/pipeline/plan/plan.ts';
import { stages } from '../../src/pipeline/stages.ts';
import { openPipeline, type Person, type Pipeline } from './open-pipeline.ts';

const authorize = stages(proposeActivity, planActivity, authorizeActivity);

let pipeline: Pipeline;
let member: Person;
beforeAll(async () => {
  pipeline = await openPipeline();
  member = await pipeline.member();
});
afterAll(() => pipeline.close());

const tag = () => ({ userTagName: uniqueName('Tag'), userIds: [] });
const only = ({ userId }: Person) => `approvers.any(user, user.id == '${userId}')`;

async function decisionOn(name: keyof Activities, parameters: object, person: Person) {
  const { authorization } = await pipeline.through(authorize, pipeline.request(name, parameters, person));
  return authorization;
}

/** Runs a test with a policy, and removes the policy. */
async function withPolicy(effect: 'ALLOW' | 'DENY', expressions: object, check: (policyId: string) => Promise<void>) {
  const { policyId } = await pipeline.result<{ policyId: string }>('createPolicy', policyParams(effect, expressions));
  await check(policyId);
  await pipeline.result('deletePolicy', { policyId });
}

describe('authorization', () => {
  test('the root quorum allows', async () => {
    const { decision } = await decisionOn('createUserTag', tag(), pipeline.root);
    expect(decision).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM' });
  });

  test('without a policy, a user outside of the root quorum is denied', async () => {
    const { decision } = await decisionOn('createUserTag', tag(), member);
    expect(decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
  });

  test('a policy allows', () =>
    withPolicy('ALLOW', { consensus: only(member) }, async (policyId) => {
      const { decision } = await decisionOn('createUserTag', tag(), member);
      expect(decision).toMatchObject({ outcome: 'ALLOW', by: 'POLICY', policyIds: [policyId] });
    }));

  test('a policy that needs another user makes the activity pending', () =>
    withPolicy('ALLOW', { consensus: `${only(member)} && ${only(pipeline.root)}` }, async () => {
      const { decision } = await decisionOn('createUserTag', tag(), member);
      expect(decision).toMatchObject({ outcome: 'NEEDS_CONSENSUS', mayApprove: [pipeline.root.userId] });
    }));

  test('a policy denies although another one allows', () =>
    withPolicy('ALLOW', { consensus: only(member) }, () =>
      withPolicy('DENY', { condition: "activity.action == 'CREATE'" }, async (policyId) => {
        const { decision } = await decisionOn('createUserTag', tag(), member);
        expect(decision).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyIds: [policyId] });
      }),
    ));

  test('an activity whose result is for the submitter alone is never pending', () =>
    withPolicy('ALLOW', { consensus: `${only(member)} && ${only(pipeline.root)}` }, async () => {
      const request = pipeline.request('createUserTag', tag(), member);
      const definition = { ...request.definition, submitterOnly: ['userTagId'] };
      await expect(pipeline.through(authorize, { ...request, definition })).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    }));

  test('an early denial is the decision: no policy is evaluated', async () => {
    const users = Array.from({ length: Math.ceil(SHORT_REQUEST / 100) }, () => userParams(newApiKey()));
    const { decision, judgement, reading } = await decisionOn('createUsers', { users }, member);
    expect(decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT', evaluations: [] });
    expect(judgement.params).toEqual({});
    expect(reading).toBeUndefined();
  });
});

test('the counters of spending limits are read only if the organization has a limit', async () => {
  expect((await decisionOn('createUserTag', tag(), pipeline.root)).reading).toBeUndefined();
  await pipeline.result('createVelocityControl', {
    name: uniqueName('Tags'),
    identifier: 'tags',
    dataSource: { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_USER_TAG' }] } } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '5',
      window: { infinite: {} },
      groupBy: { organization: {} },
    },
  });
  await withPolicy('ALLOW', { condition: 'controls.tags', consensus: only(member) }, async () => {
    const { decision, judgement, reading } = await decisionOn('createUserTag', tag(), member);
    expect(decision).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
    expect(reading).toBeDefined();
    expect(judgement.usage).toBe(reading?.usage);
  });
});
