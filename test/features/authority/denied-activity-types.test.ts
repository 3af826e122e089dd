import { activities } from '@countersign/contract';
import { expect, test } from 'vitest';
import { activityCases, buildWorld } from '../../support/activity-cases.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';

const { createWallet, createContacts, freeze, signRawPayload, stampLogin } = activities;
/** Everything that belongs to one subject, in words that no response about denied types may contain. */
const secrets = ['Secret policy', 'Secret person', 'secret-tag'];

/** The denied types of a caller, by type. */
async function deniedTo(caller: Caller): Promise<Readonly<Record<string, string>>> {
  const { denials } = await caller.data('getDeniedActivityTypes');
  return Object.fromEntries(denials.flatMap(({ by, types }: Json) => types.map((type: string) => [type, by])));
}

const allow = (condition: string, consensus = 'true') => ({
  ...{ policyName: uniqueName('Secret policy'), effect: 'EFFECT_ALLOW', condition, consensus, notes: '' },
});

describeEngines('the activity types that are denied to a caller', (subject) => {
  const create = async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    return { root, member: await createMember(root) };
  };

  test('D997: every request of these types is denied, and each is one of the contract', { timeout: 120_000 }, async () => {
    const { root, member } = await create();
    const world = await buildWorld(root);
    await root.result('createPolicy', allow("activity.resource == 'CONTACT'"));
    expect(await deniedTo(root)).toEqual({});
    const denied = await deniedTo(member.caller);
    expect(denied).toMatchObject({ [createWallet.type]: 'IMPLICIT', [activities.updateRootQuorum.type]: 'ROOT_QUORUM_ONLY' });
    expect(denied).not.toHaveProperty(createContacts.type);
    expect(denied).not.toHaveProperty(stampLogin.type);
    const sent: string[] = [];
    for (const [name, { params }] of Object.entries(activityCases)) {
      const { type } = activities[name as keyof typeof activities];
      // In a sub-organization, nobody may create one.
      if (denied[type] === undefined || name === 'createSubOrganization') continue;
      const answer = await member.caller.submit(name as never, params(world));
      expect([name, errorOf(answer)]).toEqual([name, { status: 403, code: 'POLICY_DENIED' }]);
      sent.push(name);
    }
    expect(sent.length).toBeGreaterThan(25);
    expect((await member.caller.submit('createContacts', activityCases.createContacts?.params(world) ?? {})).status).toBe(200);
  });

  test('D1008: the answer follows every change of policies, tags and freezes', async () => {
    const { root, member } = await create();
    expect(await deniedTo(member.caller)).toHaveProperty(createWallet.type, 'IMPLICIT');
    const consensus = (tag: string) => `approvers.any(user, user.tags.contains('${tag}'))`;
    const { userTagId } = await root.result('createUserTag', { userTagName: 'secret-tag', userIds: [] });
    await root.result('createPolicy', allow("activity.resource == 'WALLET'", consensus(userTagId)));
    expect(await deniedTo(member.caller)).toHaveProperty(createWallet.type, 'IMPLICIT');
    await root.result('updateUserTag', { userTagId, addUserIds: [member.userId], removeUserIds: [] });
    expect(await deniedTo(member.caller)).not.toHaveProperty(createWallet.type);
    const deny = { ...allow("activity.action == 'CREATE'", consensus(userTagId)), effect: 'EFFECT_DENY' };
    const { policyId } = await root.result('createPolicy', deny);
    expect(await deniedTo(member.caller)).toHaveProperty(createWallet.type, 'POLICY');
    await root.result('deletePolicy', { policyId });
    expect(await deniedTo(member.caller)).not.toHaveProperty(createWallet.type);
    await root.result('freeze', { wholeOrganization: true, reason: 'stolen' });
    expect(await deniedTo(member.caller)).toMatchObject({ [createWallet.type]: 'FROZEN', [signRawPayload.type]: 'FROZEN' });
    expect(await deniedTo(root)).not.toHaveProperty(activities.unfreeze.type);
    expect(await deniedTo(root)).not.toHaveProperty(freeze.type);
  });

  test('D998: it is about the caller alone, and names no policy, user or tag', async () => {
    const { root, member } = await create();
    const { root: foreignRoot } = await create();
    const key = newApiKey();
    const { userIds } = await root.result('createUsers', {
      users: [
        {
          userName: 'Secret person',
          apiKeys: [{ apiKeyName: 'Key', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          ...{ authenticators: [], oauthProviders: [], userTags: [] },
        },
      ],
    });
    await root.result('createPolicy', allow("activity.resource == 'WALLET'", `approvers.any(user, user.id == '${userIds[0]}')`));
    await root.result('createPolicy', { ...allow("activity.resource == 'CREDENTIAL'"), effect: 'EFFECT_DENY' });
    for (const restricted of [false, true]) {
      if (restricted) await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
      const { status, body } = await member.caller.query('getDeniedActivityTypes');
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      for (const secret of [...secrets, ...userIds]) expect(text).not.toContain(secret);
      expect(await deniedTo(member.caller)).toMatchObject({
        [createWallet.type]: 'IMPLICIT',
        [activities.createApiKeys.type]: 'POLICY',
      });
      expect(await deniedTo(root.with({ key }))).not.toHaveProperty(createWallet.type);
    }
    const others = await member.caller.query('getDeniedActivityTypes', { userId: userIds[0] });
    expect(errorOf(others)).toMatchObject({ status: 400 });
    const stranger = foreignRoot.with({ organizationId: root.organizationId });
    expect((await stranger.query('getDeniedActivityTypes')).status).toBe(401);
  });

  test('D1142: what is denied about other users is listed apart, and every such request is denied', async () => {
    const { root, member } = await create();
    const other = await createMember(root);
    const aboutOthers = async () =>
      ((await member.caller.data('getDeniedActivityTypes')).denialsAboutOthers as Json[]).flatMap(({ types }) => types);
    const found = await aboutOthers();
    expect(await deniedTo(member.caller)).not.toHaveProperty(activities.endSessions.type);
    const key = newApiKey();
    const apiKeys = [{ apiKeyName: 'Key', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }];
    const requests = [
      ['createApiKeys', (userId: string) => ({ userId, apiKeys })],
      ['endSessions', (userId: string) => ({ userId })],
    ] as const;
    for (const [name, params] of requests) {
      expect(found).toContain(activities[name].type);
      expect(errorOf(await member.caller.submit(name, params(other.userId)))).toEqual({ status: 403, code: 'POLICY_DENIED' });
      expect((await member.caller.submit(name, params(member.userId))).status).toBe(200);
    }
    await root.result('createPolicy', allow("activity.resource == 'AUTH'"));
    expect(await aboutOthers()).not.toContain(activities.endSessions.type);
    expect((await root.data('getDeniedActivityTypes')).denialsAboutOthers).toEqual([]);
  });

  test('D998: a user of the parent learns what the policies of the parent deny, and nothing of the sub-organization', async () => {
    const { root } = await create();
    const { caller: parent } = await createMember(subject().service.root);
    const inside = parent.with({ organizationId: root.organizationId });
    await root.result('createPolicy', allow('true'));
    expect(await deniedTo(inside)).toEqual(await deniedTo(parent));
    expect(await deniedTo(inside)).toHaveProperty(createWallet.type, 'IMPLICIT');
  });
});
