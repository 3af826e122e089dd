import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newApiKey } from '../../../../test/support/api-key.ts';
import { apiKeyParams, uniqueName } from '../../../../test/support/world.ts';
import { authenticateCaller, renewCaller } from '../../src/pipeline/authenticate/authenticate-request.ts';
import { SoftwareAuthenticator, sha256 } from '../auth/software-authenticator.ts';
import { openPipeline, type Person, type Pipeline, passed } from './open-pipeline.ts';

let pipeline: Pipeline;
/** Another process on the same database. */
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
const requestOf = (person: Person) => pipeline.request('createUserTag', tag(), person);
const authenticated = async (person: Person) =>
  passed(await authenticateCaller(pipeline.services, { request: requestOf(person) }));

describe('authentication', () => {
  test('finds the user of the key, on the current version', async () => {
    const { caller, target, home } = (await authenticated(pipeline.root)).authenticated;
    expect(caller.userId).toBe(pipeline.root.userId);
    expect(target).toBe(home);
    expect(await pipeline.services.organizations.snapshots.get(pipeline.organizationId)).toBe(target);
  });

  test('D01: rejects a stamp over another body', async () => {
    const request = requestOf(pipeline.root);
    const { stamped } = requestOf(pipeline.root);
    const forged = { ...request, stamped: { ...request.stamped, stamp: stamped.stamp } };
    await expect(authenticateCaller(pipeline.services, { request: forged })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('knows a key that another process has just registered', async () => {
    await authenticated(pipeline.root);
    const member = await other.member();
    expect((await authenticated(member)).authenticated.caller.userId).toBe(member.userId);
  });
});

describe('a caller before the next attempt', () => {
  test('is kept on the same version', async () => {
    const context = await authenticated(pipeline.root);
    expect(await renewCaller(pipeline.services, context)).toBe(context);
  });

  test('is authenticated again on another version', async () => {
    const context = await authenticated(pipeline.root);
    await pipeline.result('createUserTag', tag());
    const renewed = passed(await renewCaller(pipeline.services, context));
    expect(renewed.authenticated.target.version).toBe(context.authenticated.target.version + 1);
    expect(renewed.authenticated.caller).toMatchObject({ userId: pipeline.root.userId });
  });

  test('is rejected if the credential is gone', async () => {
    const member = await pipeline.member();
    const second = newApiKey();
    const { userId } = member;
    const { apiKeyIds } = await pipeline.result<{ apiKeyIds: [string] }>('createApiKeys', {
      userId,
      apiKeys: [apiKeyParams(second)],
    });
    const context = await authenticated({ userId, key: second });
    const neighbour = await authenticated(member);
    await pipeline.result('deleteApiKeys', { userId, apiKeyIds });
    await expect(renewCaller(pipeline.services, context)).rejects.toMatchObject({ code: 'PUBLIC_KEY_NOT_FOUND' });
    expect(passed(await renewCaller(pipeline.services, neighbour)).authenticated.caller.userId).toBe(userId);
  });
});

describe('the repeated stamp of a passkey that counts', () => {
  const challengeOf = (body: string) => Buffer.from(sha256(body).toString('hex')).toString('base64url');

  async function stampedRequest() {
    const authenticator = new SoftwareAuthenticator();
    const attestation = authenticator.create('AAAA');
    const authenticators = [{ authenticatorName: 'Passkey', challenge: 'AAAA', attestation }];
    await pipeline.result('createAuthenticators', { userId: pipeline.root.userId, authenticators });
    authenticator.counter++;
    const request = requestOf(pipeline.root);
    const stamp = authenticator.get(challengeOf(request.bodyText));
    return { ...request, stamped: { ...request.stamped, stamp } };
  }

  test('D06: gets its response within the hour of its timestamp, and no longer', async () => {
    const request = await stampedRequest();
    const { record } = await pipeline.submit(request);
    expect((await pipeline.submit(request)).record).toEqual(record);
    const later = pipeline.with({ clock: { nowMs: () => Date.now() + 3_700_000 } });
    await expect(later(request)).rejects.toMatchObject({ code: 'TIMESTAMP_INVALID' });
  });

  test('D164: counts against the rate of its credential', async () => {
    const request = await stampedRequest();
    await pipeline.submit(request);
    const counted = vi.spyOn(request.admitted, 'authenticated');
    await pipeline.submit(request);
    expect(counted).toHaveBeenCalledOnce();
  });
});
