import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyParams } from '../../../../test/features/policies/support.ts';
import { newApiKey } from '../../../../test/support/api-key.ts';
import { userParams } from '../../../../test/support/world.ts';
import { renewCaller } from '../../src/pipeline/authenticate/authenticate-request.ts';
import { SHORT_REQUEST } from '../../src/pipeline/authorize/authorize.ts';
import { planActivity, proposeActivity } from '../../src/pipeline/plan/plan.ts';
import { openPipeline, type Pipeline, passed } from './open-pipeline.ts';

let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await openPipeline();
});
afterAll(() => pipeline.close());

const users = (count: number) => ({ users: Array.from({ length: count }, () => userParams(newApiKey())) });
const MANY = Math.ceil(SHORT_REQUEST / 100);

describe('a proposal', () => {
  test('has the vote of its submitter, and a new record', async () => {
    const request = pipeline.request('createUsers', users(1));
    const { proposal, record, stored, earlyDenial } = await proposeActivity(pipeline.services, await pipeline.prepared(request));
    expect(proposal.votes).toMatchObject([{ userId: pipeline.root.userId, message: request.bodyText }]);
    expect(proposal.params).toMatchObject({ users: [{}] });
    expect(record).toMatchObject({
      status: 'ACTIVITY_STATUS_CREATED',
      fingerprint: request.fingerprint,
      votes: [],
      decisions: [],
    });
    expect([stored, earlyDenial]).toEqual([undefined, undefined]);
  });

  test('D160: is denied early, unread, until the user has a right; then it is read', async () => {
    const member = await pipeline.member();
    const request = pipeline.request('createUsers', users(MANY), member);
    const unread = { ...(await pipeline.prepared(request)), params: undefined, identities: undefined };
    const denied = await proposeActivity(pipeline.services, unread);
    expect(denied.earlyDenial).toMatchObject({ outcome: 'DENY' });
    expect(denied.proposal.params).toBeUndefined();
    expect(await planActivity(pipeline.services, denied)).toMatchObject({ plan: { intent: null }, planContext: undefined });

    const consensus = `approvers.any(user, user.id == '${member.userId}')`;
    await pipeline.result('createPolicy', policyParams('ALLOW', { consensus }));
    const allowed = await proposeActivity(pipeline.services, passed(await renewCaller(pipeline.services, unread)));
    expect(allowed.earlyDenial).toBeUndefined();
    expect((allowed.proposal.params as ReturnType<typeof users>).users).toHaveLength(MANY);
    expect(await planActivity(pipeline.services, allowed)).toMatchObject({ plan: { intent: { users: expect.any(Array) } } });
  });
});
