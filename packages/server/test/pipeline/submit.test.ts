import { type Activities, ServiceError } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyParams } from '../../../../test/features/policies/support.ts';
import { newApiKey } from '../../../../test/support/api-key.ts';
import { privateKeyParams, uniqueName, userParams } from '../../../../test/support/world.ts';
import { SHORT_REQUEST } from '../../src/pipeline/authorize/authorize.ts';
import type { SubmitRequest } from '../../src/pipeline/request.ts';
import { executorOf, type PipelineServices } from '../../src/pipeline/services.ts';
import { openPipeline, type Person, type Pipeline } from './open-pipeline.ts';

let pipeline: Pipeline;
/** Another process on the same database: the organization lock of a process does not bind it. */
let other: Pipeline;
beforeAll(async () => {
  pipeline = await openPipeline();
  other = await openPipeline(pipeline.installation);
});
afterAll(async () => {
  await other.close();
  await pipeline.close();
});

const tag = () => ({ userTagName: uniqueName('Tag'), userIds: [] });

/** The executors, with the calls that they get. */
function watchedExecutors() {
  const calls: string[] = [];
  const watch = (name: keyof Activities) => {
    const executor = executorOf(pipeline.services, { name } as never);
    return {
      ...executor,
      plan: (...given: Parameters<typeof executor.plan>) => {
        calls.push('plan');
        return executor.plan(...given);
      },
      run: (...given: Parameters<typeof executor.run>) => {
        calls.push('run');
        return executor.run(...given);
      },
    };
  };
  const { executors } = pipeline.services;
  const watched = { ...executors, createUserTag: watch('createUserTag'), createUsers: watch('createUsers') };
  return { calls, executors: watched as unknown as PipelineServices['executors'] };
}

/** Commits after something else has happened, which happens once. */
function commitAfter(before: () => Promise<unknown>): PipelineServices['commits'] {
  const { commits } = pipeline.services;
  let isFirst = true;
  return {
    ...commits,
    committer: {
      ...commits.committer,
      async commit(entry) {
        if (isFirst) {
          isFirst = false;
          await before();
        }
        return commits.committer.commit(entry);
      },
    },
  };
}

const stored = (request: SubmitRequest) => pipeline.services.organizations.activities.byRequest(request.organizationId, request);
const codeOf = (submitted: Promise<unknown>) =>
  submitted.then(
    () => 'executed',
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );

describe('submit', () => {
  test('executes an activity and returns it as stored', async () => {
    const request = pipeline.request('createUserTag', tag());
    const { record, organization, caller } = await pipeline.submit(request);
    expect(record).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', fingerprint: request.fingerprint });
    expect(await stored(request)).toEqual(record);
    expect(caller.userId).toBe(pipeline.root.userId);
    expect(await pipeline.services.organizations.snapshots.get(pipeline.organizationId)).toBe(organization);
  });

  test('R3: nothing leaves before the commit is durable', async () => {
    let commit = () => {};
    const gate = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const request = pipeline.request('createUserTag', tag());
    let isAnswered = false;
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const commits = commitAfter(() => {
      reached();
      return gate;
    });
    const answer = pipeline
      .with({ commits })(request)
      .finally(() => {
        isAnswered = true;
      });
    await isReached;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    expect(await stored(request)).toBeUndefined();
    commit();
    const { record } = await answer;
    expect(await stored(request)).toEqual(record);
  });

  test('an activity whose commit fails leaves nothing, and its request may be sent again', async () => {
    const request = pipeline.request('createUserTag', tag());
    const commits = commitAfter(() => Promise.reject(new Error('the disk is full')));
    await expect(pipeline.with({ commits })(request)).rejects.toThrow('the disk is full');
    expect(await stored(request)).toBeUndefined();
    expect((await pipeline.submit(request)).record.status).toBe('ACTIVITY_STATUS_COMPLETED');
  });

  test('concurrent copies of a request execute once, and get the same activity', async () => {
    const { calls, executors } = watchedExecutors();
    const submit = pipeline.with({ executors });
    const request = pipeline.request('createUserTag', tag());
    const copies = await Promise.all([request, request, request].map(submit));
    expect(calls).toEqual(['plan', 'run']);
    expect(new Set(copies.map(({ record }) => record.id)).size).toBe(1);
  });

  test('authorizes and executes again if the organization changes before the commit', async () => {
    const { calls, executors } = watchedExecutors();
    const earlier = other.request('createUserTag', tag());
    const commits = commitAfter(() => other.submit(earlier));
    const request = pipeline.request('createUserTag', tag());
    const { record, organization } = await pipeline.with({ executors, commits })(request);
    expect(calls).toEqual(['plan', 'run', 'plan', 'run']);
    expect(await stored(request)).toEqual(record);
    const tags = [...organization.records.userTag.values()].map(({ tagName }) => tagName);
    for (const { parameters } of [earlier, request])
      expect(tags).toContain((parameters as { readonly userTagName: string }).userTagName);
  });

  test('a copy that another process executed first gets its activity, also if executing it again fails', async () => {
    const request = pipeline.request('createUserTag', tag());
    const commits = commitAfter(() => other.submit(request));
    // The tag's name is taken on the second attempt.
    const { record } = await pipeline.with({ commits })(request);
    expect(await stored(request)).toEqual(record);
    expect(record.status).toBe('ACTIVITY_STATUS_COMPLETED');
  });

  test('an error on an outdated version is not returned: the request is authorized again', async () => {
    const taken = tag();
    const { userTagId } = await pipeline.result<{ userTagId: string }>('createUserTag', taken);
    await other.result('deleteUserTags', { userTagIds: [userTagId] });
    expect(await codeOf(pipeline.submit(pipeline.request('createUserTag', taken)))).toBe('executed');
    expect(await codeOf(pipeline.submit(pipeline.request('createUserTag', taken)))).not.toBe('executed');
  });
});

describe('admission', () => {
  test('D06: rejects an old timestamp before it reads the parameters', async () => {
    const old = String(Date.now() - 3_700_000);
    expect(await codeOf(pipeline.submit(pipeline.request('createUserTag', {}, { timestampMs: old })))).toBe('TIMESTAMP_INVALID');
    expect(await codeOf(pipeline.submit(pipeline.request('createUserTag', {})))).toBe('REQUEST_INVALID');
  });

  test('rejects an unknown credential before anything else', async () => {
    const old = String(Date.now() - 3_700_000);
    const request = pipeline.request('createUserTag', {}, { key: newApiKey(), timestampMs: old });
    expect(await codeOf(pipeline.submit(request))).toBe('PUBLIC_KEY_NOT_FOUND');
  });
});

describe('early denial', () => {
  const many = () => Array.from({ length: Math.ceil(SHORT_REQUEST / 100) }, () => userParams(newApiKey()));
  const long = (person: Person) => pipeline.request('createUsers', { users: many() }, person);
  const allow = ({ userId }: Person) => policyParams('ALLOW', { consensus: `approvers.any(user, user.id == '${userId}')` });

  test('D160: denies a long request of a user without rights without reading its parameters', async () => {
    const member = await pipeline.member();
    const { calls, executors } = watchedExecutors();
    const request = long(member);
    const reader = {
      ...request.reader,
      read() {
        throw new Error('the parameters are read');
      },
    };
    expect(await codeOf(pipeline.with({ executors })({ ...request, reader }))).toBe('POLICY_DENIED');
    expect(calls).toEqual([]);
    expect(await stored(request)).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', intent: null });
  });

  test('D160: is checked in every attempt: a user who gets the right before the commit is served', async () => {
    const member = await pipeline.member();
    const { calls, executors } = watchedExecutors();
    const commits = commitAfter(() => other.result('createPolicy', allow(member)));
    const { record } = await pipeline.with({ executors, commits })(long(member));
    expect(record.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect(calls).toEqual(['plan', 'run']);
  });

  test('D160: is checked in every attempt: a user who loses the right before the commit is denied', async () => {
    const member = await pipeline.member();
    const { policyId } = await pipeline.result<{ policyId: string }>('createPolicy', allow(member));
    const { calls, executors } = watchedExecutors();
    const commits = commitAfter(() => other.result('deletePolicy', { policyId }));
    const request = long(member);
    expect(await codeOf(pipeline.with({ executors, commits })(request))).toBe('POLICY_DENIED');
    expect(calls).toEqual(['plan', 'run']);
    expect(await stored(request)).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', intent: null });
  });
});

test('D161: denials are stored up to a quota per user', async () => {
  const [member, neighbour] = [await pipeline.member(), await pipeline.member()];
  const limited = await openPipeline(pipeline.installation, { maxKeptRefusals: 2 });
  const denied = async (person: Person) => {
    const request = pipeline.request('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] }, person);
    expect(await codeOf(limited.submit(request))).toBe('POLICY_DENIED');
    return (await stored(request)) !== undefined;
  };
  expect([await denied(member), await denied(member), await denied(member)]).toEqual([true, true, false]);
  expect(await denied(neighbour)).toBe(true);
  await limited.close();
});
