import { ServiceError } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyParams } from '../../../../test/features/policies/support.ts';
import type { ApiKey } from '../../../../test/support/api-key.ts';
import { uniqueName } from '../../../../test/support/world.ts';
import { answerReplay } from '../../src/pipeline/commit/replay.ts';
import type { SubmitRequest } from '../../src/pipeline/request.ts';
import { openPipeline, type Person, type Pipeline } from './open-pipeline.ts';

let pipeline: Pipeline;
let member: Person;
beforeAll(async () => {
  pipeline = await openPipeline();
  member = await pipeline.member();
  const both = [member, pipeline.root].map(({ userId }) => `approvers.any(user, user.id == '${userId}')`).join(' && ');
  const condition = "activity.type == 'ACTIVITY_TYPE_CREATE_USER_TAG'";
  await pipeline.result('createPolicy', policyParams('ALLOW', { condition, consensus: both }));
});
afterAll(() => pipeline.close());

const tag = () => ({ userTagName: uniqueName('Tag'), userIds: [] });
const tagBy = (person: Person) => pipeline.request('createUserTag', tag(), person);

/** The same body, stamped by another key. */
function again({ definition, parameters, timestampMs }: SubmitRequest, key: ApiKey): SubmitRequest {
  return pipeline.request(definition.name as 'createUserTag', parameters as object, { key, timestampMs });
}

const activityCount = async () => {
  const raw = await pipeline.installation.raw();
  return Number((await raw.all('SELECT count(*) AS count FROM activities'))[0]?.count);
};

const errorOf = (submitted: Promise<unknown>) =>
  submitted.then(
    () => undefined,
    (error: unknown) => (error instanceof ServiceError ? error : Promise.reject(error)),
  );

describe('a replay', () => {
  test('is answered with the stored activity, and nothing is stored', async () => {
    const request = tagBy(pipeline.root);
    const first = await pipeline.submit(request);
    const before = await activityCount();
    const second = await pipeline.submit(again(request, pipeline.root.key));
    expect(second.record).toEqual(first.record);
    expect(await activityCount()).toBe(before);
  });

  test('is answered by a process that did not execute it', async () => {
    const request = tagBy(pipeline.root);
    const other = await openPipeline(pipeline.installation);
    const first = await other.submit(request);
    await other.close();
    expect((await pipeline.submit(request)).record).toEqual(first.record);
  });

  test('of a denied activity is the same denial', async () => {
    const name = { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '' };
    const request = pipeline.request('createPolicy', { ...name, condition: 'true' }, member);
    const [first, second] = [await errorOf(pipeline.submit(request)), await errorOf(pipeline.submit(request))];
    expect(first).toMatchObject({ code: 'POLICY_DENIED', activityId: expect.any(String) });
    expect(second).toMatchObject({ code: 'POLICY_DENIED', message: first?.message, activityId: first?.activityId });
  });

  test('of a pending activity by its submitter changes nothing, by another user it is an approval', async () => {
    const request = tagBy(member);
    const { record } = await pipeline.submit(request);
    expect(record).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', votes: [{ userId: member.userId }] });
    expect((await pipeline.submit(again(request, member.key))).record).toEqual(record);
    const approved = await pipeline.submit(again(request, pipeline.root.key));
    expect(approved.record).toMatchObject({ id: record.id, status: 'ACTIVITY_STATUS_COMPLETED' });
    expect(approved.record.votes.map(({ userId }) => userId)).toEqual([member.userId, pipeline.root.userId]);
  });

  test('of a completed activity by another user shows the activity, which gets no vote', async () => {
    const request = tagBy(pipeline.root);
    const { record } = await pipeline.submit(request);
    expect((await pipeline.submit(again(request, member.key))).record).toEqual(record);
  });

  test('is undefined for a new body', async () => {
    expect(await answerReplay(pipeline.services, await pipeline.prepared(tagBy(pipeline.root)))).toBeUndefined();
  });

  test('D94: of an activity whose row is gone is not executed', async () => {
    const request = tagBy(pipeline.root);
    await pipeline.submit(request);
    const raw = await pipeline.installation.raw();
    await raw.dropGuards();
    await raw.run('DELETE FROM activities WHERE fingerprint = ?', request.fingerprint);
    expect(await errorOf(pipeline.submit(request))).toMatchObject({ code: 'STATE_TAMPERED' });
  });
});

describe('after an accepted loss', () => {
  /** The pipeline of an installation whose operator accepted a loss now. */
  function afterLoss() {
    const acceptedAtMs = Date.now();
    const { log } = pipeline.services;
    const installation: typeof log.installation = Object.create(log.installation, {
      lossAcceptedAtMs: { value: () => acceptedAtMs },
    });
    return { submit: pipeline.with({ log: { ...log, installation } }), acceptedAtMs };
  }

  test('a body from before is not executed, and a newer one is', async () => {
    const { submit, acceptedAtMs } = afterLoss();
    const at = (timestampMs: number) => pipeline.request('createUserTag', tag(), { timestampMs: String(timestampMs) });
    expect(await errorOf(submit(at(acceptedAtMs)))).toMatchObject({ code: 'TIMESTAMP_INVALID' });
    expect((await submit(at(acceptedAtMs + 1))).record.status).toBe('ACTIVITY_STATUS_COMPLETED');
  });

  test('a body from before whose activity is stored is answered, to its own user only', async () => {
    const request = tagBy(pipeline.root);
    const { record } = await pipeline.submit(request);
    const { submit } = afterLoss();
    expect((await submit(request)).record).toEqual(record);
    expect(await errorOf(submit(again(request, member.key)))).toMatchObject({ code: 'TIMESTAMP_INVALID' });
  });
});
