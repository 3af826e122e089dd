import { ServiceError } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyParams } from '../../../../test/features/policies/support.ts';
import { uniqueName } from '../../../../test/support/world.ts';
import type { SubmitRequest } from '../../src/pipeline/request.ts';
import { openPipeline, type Person, type Pipeline } from './open-pipeline.ts';

let pipeline: Pipeline;
/** Two of three members may create tags together. */
let members: [Person, Person, Person];
let stranger: Person;
beforeAll(async () => {
  pipeline = await openPipeline();
  members = [await pipeline.member(), await pipeline.member(), await pipeline.member()];
  stranger = await pipeline.member();
  const ids = members.map(({ userId }) => `'${userId}'`).join(', ');
  const consensus = `approvers.filter(user, user.id in [${ids}]).count() >= 2`;
  await pipeline.result(
    'createPolicy',
    policyParams('ALLOW', { condition: "activity.type == 'ACTIVITY_TYPE_CREATE_USER_TAG'", consensus }),
  );
});
afterAll(() => pipeline.close());

/** A pending tag of the first member. */
async function pendingTag(name = uniqueName('Tag')): Promise<SubmitRequest> {
  const request = pipeline.request('createUserTag', { userTagName: name, userIds: [] }, members[0]);
  const { record } = await pipeline.submit(request);
  expect(record.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
  return request;
}

const approval = ({ fingerprint }: { fingerprint: string }, person: Person) =>
  pipeline.request('approveActivity', { fingerprint }, person);
const rejection = ({ fingerprint }: { fingerprint: string }, person: Person) =>
  pipeline.request('rejectActivity', { fingerprint }, person);

/** The status of the activity after a vote, or the code of the error. */
async function voted(request: SubmitRequest): Promise<string> {
  try {
    return (await pipeline.submit(request)).record.status;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const stored = (request: SubmitRequest) => pipeline.services.organizations.activities.byRequest(request.organizationId, request);
const tagNames = async () => {
  const snapshot = await pipeline.services.organizations.snapshots.get(pipeline.organizationId);
  return [...(snapshot?.records.userTag.values() ?? [])].map(({ tagName }) => tagName);
};

describe('a vote', () => {
  test('executes the activity if it is the last that was missing', async () => {
    const name = uniqueName('Tag');
    const request = await pendingTag(name);
    expect(await tagNames()).not.toContain(name);
    expect(await voted(approval(request, members[1]))).toBe('ACTIVITY_STATUS_COMPLETED');
    expect(await tagNames()).toContain(name);
    const record = await stored(request);
    expect(record?.votes.map(({ userId }) => userId)).toEqual([members[0].userId, members[1].userId]);
    expect(record?.decisions.map(({ outcome }) => outcome)).toEqual(['NEEDS_CONSENSUS', 'ALLOW']);
  });

  test('on an activity that has ended is rejected', async () => {
    const request = await pendingTag();
    await voted(approval(request, members[1]));
    expect(await voted(approval(request, members[2]))).toBe('PRECONDITION_FAILED');
    expect(await voted(rejection(request, members[2]))).toBe('PRECONDITION_FAILED');
  });

  test('that is sent again is answered with the activity', async () => {
    const request = await pendingTag();
    const vote = approval(request, members[1]);
    expect([await voted(vote), await voted(vote)]).toEqual(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_COMPLETED']);
    expect((await stored(request))?.votes).toHaveLength(2);
  });

  test('that nobody needs is rejected, and not stored', async () => {
    const request = await pendingTag();
    expect(await voted(approval(request, stranger))).toBe('POLICY_DENIED');
    expect(await voted(rejection(request, stranger))).toBe('POLICY_DENIED');
    expect(await voted(approval(request, members[0]))).toBe('POLICY_DENIED');
    expect((await stored(request))?.votes).toHaveLength(1);
    expect(await voted(approval(request, members[2]))).toBe('ACTIVITY_STATUS_COMPLETED');
  });

  test('on an unknown fingerprint is rejected', async () => {
    expect(await voted(approval({ fingerprint: `sha256:${'0'.repeat(64)}` }, members[1]))).toBe('NOT_FOUND');
  });

  test('that rejects ends the activity', async () => {
    const name = uniqueName('Tag');
    const request = await pendingTag(name);
    expect(await voted(rejection(request, members[1]))).toBe('ACTIVITY_STATUS_REJECTED');
    expect(await tagNames()).not.toContain(name);
    expect((await stored(request))?.decisions.at(-1)).toMatchObject({ outcome: 'DENY', by: 'REJECTION' });
  });

  test('ends an activity that can no longer be executed, with the reason', async () => {
    const name = uniqueName('Tag');
    const request = await pendingTag(name);
    await pipeline.result('createUserTag', { userTagName: name, userIds: [] });
    expect(await voted(approval(request, members[1]))).toBe('ACTIVITY_STATUS_FAILED');
    expect((await stored(request))?.failure?.message).toContain('another user tag of this organization has this name');
  });

  test('R2: of two concurrent votes that would each execute the activity, one does', async () => {
    const request = await pendingTag();
    const outcomes = await Promise.all([voted(approval(request, members[1])), voted(approval(request, members[2]))]);
    expect(outcomes.toSorted()).toEqual(['ACTIVITY_STATUS_COMPLETED', 'PRECONDITION_FAILED']);
    expect((await stored(request))?.votes).toHaveLength(2);
  });

  test('is authorized with the policies of its time', async () => {
    const request = await pendingTag();
    const { policyId } = await pipeline.result<{ policyId: string }>(
      'createPolicy',
      policyParams('DENY', { condition: "activity.type == 'ACTIVITY_TYPE_CREATE_USER_TAG'" }),
    );
    expect(await voted(approval(request, members[1]))).toBe('POLICY_DENIED');
    await pipeline.result('deletePolicy', { policyId });
    expect((await stored(request))?.status).toBe('ACTIVITY_STATUS_FAILED');
  });
});
