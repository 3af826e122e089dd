import { expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  errorOf,
  madeUpId,
  privateKeyParams,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';

const tagsOfUser = async (root: Caller, userId: string) => (await root.data('getUser', { userId })).user.userTags;
const tagsOfKey = async (root: Caller, privateKeyId: string) =>
  (await root.data('getPrivateKey', { privateKeyId })).privateKey.privateKeyTags;

/** Both kinds of tag, with the names of their operations and fields. */
const kinds = [
  {
    kind: 'user tag',
    tagType: 'TAG_TYPE_USER',
    create: 'createUserTag',
    update: 'updateUserTag',
    remove: 'deleteUserTags',
    list: 'listUserTags',
    listKey: 'userTags',
    field: { id: 'userTagId', ids: 'userTagIds', name: 'userTagName', newName: 'newUserTagName' },
    tagged: { ids: 'userIds', add: 'addUserIds', remove: 'removeUserIds' },
    make: async (root: Caller) => (await createMember(root)).userId,
    tagsOf: tagsOfUser,
  },
  {
    kind: 'private key tag',
    tagType: 'TAG_TYPE_PRIVATE_KEY',
    create: 'createPrivateKeyTag',
    update: 'updatePrivateKeyTag',
    remove: 'deletePrivateKeyTags',
    list: 'listPrivateKeyTags',
    listKey: 'privateKeyTags',
    field: { id: 'privateKeyTagId', ids: 'privateKeyTagIds', name: 'privateKeyTagName', newName: 'newPrivateKeyTagName' },
    tagged: { ids: 'privateKeyIds', add: 'addPrivateKeyIds', remove: 'removePrivateKeyIds' },
    make: (root: Caller) => createPrivateKey(root),
    tagsOf: tagsOfKey,
  },
] as const;

const longName = 'x'.repeat(257);

describeEngines('tags', (subject) => {
  test.each(kinds)('a $kind is created, moved, renamed and removed', async (tag) => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const [first, second] = [await tag.make(root), await tag.make(root)];
    const tagName = uniqueName('Tag');
    const made = await root.result(tag.create, { [tag.field.name]: tagName, [tag.tagged.ids]: [first] });
    const tagId = made[tag.field.id];
    expect(made).toEqual({ [tag.field.id]: expect.any(String), [tag.tagged.ids]: [first] });
    expect(await tag.tagsOf(root, first)).toEqual([tagId]);
    const [shown] = (await root.data(tag.list))[tag.listKey];
    expect(shown).toEqual({ tagId, tagName, tagType: tag.tagType, createdAt: shown.createdAt, updatedAt: shown.createdAt });

    const renamed = uniqueName('Renamed');
    const moved = { [tag.field.id]: tagId, [tag.tagged.add]: [second], [tag.tagged.remove]: [first] };
    expect(await root.result(tag.update, { ...moved, [tag.field.newName]: renamed })).toEqual({ [tag.field.id]: tagId });
    expect([await tag.tagsOf(root, first), await tag.tagsOf(root, second)]).toEqual([[], [tagId]]);
    expect((await root.data(tag.list))[tag.listKey]).toMatchObject([{ tagId, tagName: renamed }]);

    // Repeating a change does nothing, and without a name the name stays.
    await root.result(tag.update, moved);
    expect(await tag.tagsOf(root, second)).toEqual([tagId]);
    expect((await root.data(tag.list))[tag.listKey]).toMatchObject([{ tagId, tagName: renamed }]);

    const other = (await root.result(tag.create, { [tag.field.name]: tagName, [tag.tagged.ids]: [first, second] }))[tag.field.id];
    const removed = await root.result(tag.remove, { [tag.field.ids]: [tagId, other] });
    expect(removed[tag.field.ids]).toEqual([tagId, other]);
    expect(removed[tag.tagged.ids].sort()).toEqual([first, second].sort());
    expect([await tag.tagsOf(root, first), await tag.tagsOf(root, second)]).toEqual([[], []]);
    expect((await root.data(tag.list))[tag.listKey]).toEqual([]);
    await expectSound(subject().service, root);
  });

  test.each(kinds)('a $kind has a unique name among its kind, and lists have no unknown or repeated ids', async (tag) => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const tagName = uniqueName('Tag');
    for (const each of kinds) await root.result(each.create, { [each.field.name]: tagName, [each.tagged.ids]: [] });
    const [{ tagId }] = (await root.data(tag.list))[tag.listKey];
    const made = await root.result(tag.create, { [tag.field.name]: uniqueName('Tag'), [tag.tagged.ids]: [] });
    const otherId = made[tag.field.id];
    const id = await tag.make(root);
    const refused = async (operation: Parameters<Caller['submit']>[0], params: object) =>
      errorOf(await root.submit(operation, params));
    const none = { [tag.tagged.add]: [], [tag.tagged.remove]: [] };

    const taken = { status: 400, code: 'NAME_TAKEN' };
    expect(await refused(tag.create, { [tag.field.name]: tagName, [tag.tagged.ids]: [] })).toEqual({
      ...taken,
      fields: [tag.field.name],
    });
    expect(await refused(tag.update, { [tag.field.id]: otherId, [tag.field.newName]: tagName, ...none })).toEqual({
      ...taken,
      fields: [tag.field.newName],
    });
    // It may be given its own name again.
    await root.result(tag.update, { [tag.field.id]: tagId, [tag.field.newName]: tagName, ...none });

    const invalid = (field: string) => ({ status: 400, code: 'REQUEST_INVALID', fields: [field] });
    expect(await refused(tag.create, { [tag.field.name]: uniqueName('Tag'), [tag.tagged.ids]: [id, id] })).toEqual(
      invalid(`${tag.tagged.ids}.1`),
    );
    expect(await refused(tag.create, { [tag.field.name]: longName, [tag.tagged.ids]: [] })).toEqual(invalid(tag.field.name));
    const both = { [tag.field.id]: tagId, [tag.tagged.add]: [id], [tag.tagged.remove]: [id] };
    expect(await refused(tag.update, both)).toEqual(invalid(`${tag.tagged.add}.0`));
    expect(await refused(tag.remove, { [tag.field.ids]: [tagId, tagId] })).toEqual(invalid(`${tag.field.ids}.1`));
    expect(await refused(tag.remove, { [tag.field.ids]: [] })).toEqual(invalid(tag.field.ids));

    const missing = (field: string) => ({ status: 404, code: 'NOT_FOUND', fields: [field] });
    for (const field of [tag.tagged.add, tag.tagged.remove]) {
      expect(await refused(tag.update, { [tag.field.id]: tagId, ...none, [field]: [id, madeUpId()] })).toEqual(
        missing(`${field}.1`),
      );
    }
    expect(await refused(tag.update, { [tag.field.id]: madeUpId(), ...none })).toEqual(missing(tag.field.id));
    expect(await refused(tag.remove, { [tag.field.ids]: [tagId, madeUpId()] })).toEqual(missing(`${tag.field.ids}.1`));
    expect((await root.data(tag.list))[tag.listKey]).toHaveLength(2);
  });

  test('D57: a tag of another organization, or of the other kind, is unknown', async () => {
    const { root: first } = subject().service;
    const { caller: root } = await createSubOrganization(first);
    const { userTagId: foreign } = await first.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    const { userTagId: own } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    const answers = [];
    for (const id of [foreign, madeUpId()]) answers.push(await root.submit('deleteUserTags', { userTagIds: [id] }));
    expect(answers.map(errorOf)).toEqual(Array(2).fill({ status: 404, code: 'NOT_FOUND', fields: ['userTagIds.0'] }));
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(errorOf(await root.submit('deletePrivateKeyTags', { privateKeyTagIds: [own] }))).toMatchObject({ status: 404 });
    await first.result('deleteUserTags', { userTagIds: [foreign] });
  });

  test('a private key is created with its tags, and policies see them when it signs', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const { privateKeyTagId } = await root.result('createPrivateKeyTag', { privateKeyTagName: 'Hot', privateKeyIds: [] });
    const params = { ...privateKeyParams('CURVE_P256'), privateKeyTags: [privateKeyTagId] };
    const { privateKeys } = await root.result('createPrivateKeys', { privateKeys: [params] });
    const [{ privateKeyId }] = privateKeys;
    expect(await tagsOfKey(root, privateKeyId)).toEqual([privateKeyTagId]);
    await root.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: `private_key.tags.contains('${privateKeyTagId}')`,
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    const untagged = await createPrivateKey(root, 'CURVE_P256');
    await caller.result('signRawPayload', signParams(privateKeyId));
    expect(errorOf(await caller.submit('signRawPayload', signParams(untagged)))).toMatchObject({ status: 403 });
    await root.result('deletePrivateKeyTags', { privateKeyTagIds: [privateKeyTagId] });
    expect(errorOf(await caller.submit('signRawPayload', signParams(privateKeyId)))).toMatchObject({ status: 403 });
  });

  test('a policy on a user tag applies as soon as the tag is set, until it is removed', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const { userTagId } = await root.result('createUserTag', { userTagName: 'Signer', userIds: [] });
    await root.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.tags.contains('${userTagId}'))`,
    });
    const privateKeyId = await createPrivateKey(root);
    const attempt = async () => (await caller.submit('signRawPayload', signParams(privateKeyId))).status;
    const change = (addUserIds: string[], removeUserIds: string[]) =>
      root.result('updateUserTag', { userTagId, addUserIds, removeUserIds });
    expect(await attempt()).toBe(403);
    await change([userId], []);
    expect(await attempt()).toBe(200);
    await change([], [userId]);
    expect(await attempt()).toBe(403);
  });

  test('the tags of a deleted user stay', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [userId] });
    await root.result('deleteUsers', { userIds: [userId] });
    expect((await root.data('listUserTags')).userTags.map((each: Json) => each.tagId)).toEqual([userTagId]);
    expect(await root.result('deleteUserTags', { userTagIds: [userTagId] })).toEqual({ userTagIds: [userTagId], userIds: [] });
  });
});

describeEngines(
  'the limit on tags',
  (subject) => {
    test('counts both kinds, and the answer names the limit', async () => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      await root.result('createUserTag', { userTagName: 'One', userIds: [] });
      await root.result('createPrivateKeyTag', { privateKeyTagName: 'Two', privateKeyIds: [] });
      for (const answer of [
        await root.submit('createUserTag', { userTagName: 'Three', userIds: [] }),
        await root.submit('createPrivateKeyTag', { privateKeyTagName: 'Three', privateKeyIds: [] }),
      ]) {
        expect(errorOf(answer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
        expect(answer.body.message).toContain('2 tags (maxTags)');
      }
    });
  },
  { config: { maxTags: 2 } },
);
