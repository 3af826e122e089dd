import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, errorOf, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { createPolicy } from '../policies/support.ts';
import { newAddress, newPhoneNumber } from '../sign-in/mail-support.ts';

/** Someone without any credential. */
const bare = (more: object = {}) => ({
  userName: uniqueName('User'),
  apiKeys: [],
  authenticators: [],
  oauthProviders: [],
  ...more,
});

describeEngines('handing a sub-organization over to its user', (subject) => {
  const unreachable = { status: 400, code: 'PRECONDITION_FAILED' };

  /** A sub-organization of an end user and a backend that sets it up. The backend calls. */
  async function setUp(endUser: object) {
    const { root } = subject().service;
    const key = newApiKey();
    const { userTags: _, ...backend } = userParams(key);
    const params = subOrganizationParams(key, { rootUsers: [bare(endUser), backend], rootQuorumThreshold: 1 });
    const { subOrganizationId: organizationId, rootUserIds } = await root.result('createSubOrganization', params);
    const [endUserId = '', backendId = ''] = rootUserIds as string[];
    return { caller: root.with({ key, organizationId }), endUserId, backendId };
  }

  test('a user with only an e-mail address can become the root quorum, as at sign-up', async () => {
    const { caller, endUserId } = await setUp({ userEmail: newAddress() });
    expect((await caller.submit('updateRootQuorum', { threshold: 1, userIds: [endUserId] })).status).toBe(200);
    // The backend has handed it over: what it may do from here on, policies say.
    const { configs } = await caller.data('getOrganizationConfigs');
    expect(configs.quorum).toEqual({ threshold: 1, userIds: [endUserId] });
    expect(errorOf(await caller.submit('updateUserName', { userId: endUserId, userName: 'Taken' }))).toMatchObject({
      status: 403,
      code: 'POLICY_DENIED',
    });
  });

  test('D55: a phone number, an unverified address or a shared address is not enough', async () => {
    const { caller, endUserId, backendId } = await setUp({ userPhoneNumber: newPhoneNumber() });
    const handOver = async (threshold = 1, userIds = [endUserId]) =>
      errorOf(await caller.submit('updateRootQuorum', { threshold, userIds }));
    expect(await handOver()).toEqual(unreachable);
    const member = await createMember(caller);
    const { userIds } = await caller.result('createUsers', { users: [{ ...bare(), userTags: [] }] });
    await createPolicy(caller, 'ALLOW', { condition: "activity.resource == 'USER'" });
    // A policy lets a member enter an address, which does not sign in anybody.
    await member.caller.result('updateUserEmail', { userId: userIds[0], userEmail: newAddress() });
    expect(await handOver(1, userIds)).toEqual(unreachable);
    const shared = newAddress();
    for (const userId of [endUserId, userIds[0]]) await caller.result('updateUserEmail', { userId, userEmail: shared });
    expect(await handOver(1, userIds)).toEqual(unreachable);
    expect(await handOver(2, [endUserId, userIds[0]])).toEqual(unreachable);
    await caller.result('updateUserEmail', { userId: userIds[0], userEmail: newAddress() });
    expect(await handOver(2, [endUserId, backendId])).toMatchObject({ status: 200 });
  });

  test('D55: an e-mail address is not enough in a top-level organization, which has no parent to sign the user in', async () => {
    const { root } = subject().service;
    const { userIds } = await root.result('createUsers', { users: [{ ...bare({ userEmail: newAddress() }), userTags: [] }] });
    expect(errorOf(await root.submit('updateRootQuorum', { threshold: 1, userIds }))).toEqual(unreachable);
  });

  test('D55: the address of a user without other credentials cannot be removed', async () => {
    const { caller, endUserId, backendId } = await setUp({ userEmail: newAddress() });
    await caller.result('updateRootQuorum', { threshold: 2, userIds: [endUserId, backendId] });
    expect(errorOf(await caller.submit('updateUserEmail', { userId: endUserId, userEmail: '' }))).toEqual(unreachable);
  });

  test('D55: the last key can be deleted only if an e-mail address remains', async () => {
    const { caller, backendId: userId } = await setUp({});
    const { apiKeys } = await caller.data('getApiKeys', { userId });
    const remove = () => caller.submit('deleteApiKeys', { userId, apiKeyIds: [apiKeys[0].apiKeyId] });
    expect(errorOf(await remove())).toEqual(unreachable);
    await caller.result('updateUserEmail', { userId, userEmail: newAddress() });
    expect((await remove()).status).toBe(200);
  });

  test('D55: the only key of a root user cannot be deleted, even if it expires', async () => {
    const { root } = subject().service;
    const key = newApiKey();
    const { userTags: _, ...user } = userParams(key);
    const apiKeys = [{ ...user.apiKeys[0], expirationSeconds: '86400' }];
    const params = subOrganizationParams(key, { rootUsers: [{ ...user, apiKeys }] });
    const { subOrganizationId: organizationId, rootUserIds } = await root.result('createSubOrganization', params);
    const own = root.with({ key, organizationId });
    const userId = rootUserIds[0];
    const [{ apiKeyId }] = (await own.data('getApiKeys', { userId })).apiKeys;
    expect(errorOf(await own.submit('deleteApiKeys', { userId, apiKeyIds: [apiKeyId] }))).toEqual(unreachable);
  });
});
