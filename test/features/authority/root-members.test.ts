import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, errorOf, uniqueName } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { approve, createOrganization, createPolicy, memberAt, outcomeOf, submitPending } from '../policies/support.ts';

describeEngines('members of the root quorum', (subject) => {
  const create = (choice: object) => createOrganization(subject().service.root, choice);

  /** What somebody who manages users might send about a user. */
  const changes = (userId: string, apiKeyId = '') =>
    [
      ['updateUser', { userId, userEmail: 'attacker@example.com' }],
      ['updateUserEmail', { userId, userEmail: 'attacker@example.com' }],
      ['updateUserPhoneNumber', { userId, userPhoneNumber: '+15550100' }],
      ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
      ['createAuthenticators', { userId, authenticators: [passkeyParams()] }],
      ['recoverUser', { userId, authenticator: passkeyParams() }],
      ['deleteApiKeys', { userId, apiKeyIds: [apiKeyId] }],
    ] as const;

  test('A03: a policy over users and credentials does not apply to root quorum members', async () => {
    const { root, roots, members } = await create({ roots: 2, members: 1 });
    await createPolicy(root, 'ALLOW', { condition: "activity.resource in ['USER', 'CREDENTIAL', 'RECOVERY']" });
    const [, second] = roots;
    const userId = second?.userId ?? '';
    const spare = { userId, apiKeys: [apiKeyParams(newApiKey())] };
    const { apiKeyIds } = await root.result('createApiKeys', spare);
    for (const [name, params] of changes(userId, apiKeyIds[0])) {
      const answer = await memberAt({ members }, 0).caller.submit(name, params);
      expect({ name, ...errorOf(answer) }).toMatchObject({ name, status: 403, code: 'POLICY_DENIED' });
      expect(answer.body.message).toContain('a member of the root quorum');
    }
    const { user } = await root.data('getUser', { userId });
    expect(user.userEmail).toBeUndefined();
  });

  test('A03: one member of a quorum of two cannot change the other member alone', async () => {
    const { root, roots } = await create({ roots: 2, threshold: 2 });
    const [first, second] = roots;
    if (first === undefined || second === undefined) throw new Error('two root users were made');
    const pending = await submitPending(root, 'updateUserEmail', { userId: second.userId, userEmail: 'new@example.com' });
    expect(outcomeOf(await approve(second, pending))).toBe('200 COMPLETED');
  });

  test('the same policy applies to all other users', async () => {
    const { root, members } = await create({ members: 2 });
    await createPolicy(root, 'ALLOW', { condition: "activity.resource in ['USER', 'CREDENTIAL']" });
    const [manager, other] = [memberAt({ members }, 0), memberAt({ members }, 1)];
    const { userId } = other;
    await manager.caller.result('updateUserEmail', { userId, userEmail: 'other@example.com' });
    await manager.caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
    await manager.caller.result('updateUserName', { userId, userName: uniqueName('Renamed') });
    await manager.caller.result('deleteUsers', { userIds: [userId] });
  });

  test('A04: user managers cannot assign a tag that a policy trusts', async () => {
    const { root, members } = await create({ members: 2 });
    const [manager, other] = [memberAt({ members }, 0), memberAt({ members }, 1)];
    const tag = async (name: string) => (await root.result('createUserTag', { userTagName: name, userIds: [] })).userTagId;
    const [trusted, plain] = [await tag(uniqueName('treasury')), await tag(uniqueName('remote'))];
    await createPolicy(root, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.tags.contains('${trusted}'))`,
    });
    await createPolicy(root, 'ALLOW', { condition: "activity.resource in ['USER', 'INVITATION']" });
    const { caller, userId: senderUserId } = manager;
    const user = { userName: uniqueName('Puppet'), apiKeys: [], authenticators: [], oauthProviders: [] };
    const invitation = {
      receiverUserName: uniqueName('Puppet'),
      receiverUserEmail: 'puppet@example.com',
      accessType: 'ACCESS_TYPE_WEB',
      senderUserId,
    };
    const attempts = (userTag: string) =>
      [
        ['createUsers', { users: [{ ...user, userTags: [userTag] }] }],
        ['createInvitations', { invitations: [{ ...invitation, receiverUserTags: [userTag] }] }],
        ['updateUser', { userId: other.userId, userTagIds: [userTag] }],
        ['updateUserTag', { userTagId: userTag, addUserIds: [senderUserId], removeUserIds: [] }],
      ] as const;
    for (const [name, params] of attempts(trusted)) {
      const answer = await caller.submit(name, params);
      expect({ name, ...errorOf(answer) }).toMatchObject({ name, status: 403, code: 'POLICY_DENIED' });
    }
    for (const [name, params] of attempts(plain))
      expect({ name, ...(await caller.submit(name, params)) }).toMatchObject({ name, status: 200 });
    // A policy that says what it gives out is taken at its word.
    await createPolicy(root, 'ALLOW', { condition: "activity.kind == 'UPDATE_USER_TAG'" });
    await caller.result('updateUserTag', { userTagId: trusted, addUserIds: [other.userId], removeUserIds: [] });
  });

  test('A04: nor a name that a policy trusts', async () => {
    const { root, members } = await create({ members: 1 });
    const name = uniqueName('Treasurer');
    await createPolicy(root, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.alias == '${name}')`,
    });
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'USER'" });
    const { caller, userId } = memberAt({ members }, 0);
    expect(errorOf(await caller.submit('updateUserName', { userId, userName: name }))).toMatchObject({ status: 403 });
    await caller.result('updateUserName', { userId, userName: uniqueName('Somebody') });
  });
});
