import { newApiKey } from '../../../support/api-key.ts';
import { createMember, madeUpId, uniqueName, userParams } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';
import { longPasskeyParams } from '../support/passkeys.ts';

const oldKeys = () => [{ apiKeyName: uniqueName('Key'), publicKey: newApiKey().publicKey }];

const users = (...list: object[]) => ({ params: { users: list } });

const userV1 = () => ({
  userName: uniqueName('User'),
  accessType: 'ACCESS_TYPE_ALL',
  apiKeys: oldKeys(),
  authenticators: [longPasskeyParams(madeUpId())],
  userTags: [],
});

const userV2 = () => ({ userName: uniqueName('User'), apiKeys: oldKeys(), authenticators: [], userTags: [] });

const apiOnlyUser = () => ({ userName: uniqueName('User'), userTags: [], apiKeys: oldKeys() });

/** A new user tag, on a new user. */
async function newTag({ root }: Stage) {
  const { userId } = await createMember(root);
  const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [userId] });
  return { userId, userTagId };
}

export const userCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_USERS: {
    succeeds: () => users(userV1()),
    refused: () => ({ ...users({ ...userV1(), userTags: [madeUpId()] }), code: 'NOT_FOUND', fields: ['users.0.userTags.0'] }),
  },
  ACTIVITY_TYPE_CREATE_USERS_V2: {
    succeeds: () => users(userV2(), userV2()),
    refused() {
      const user = userV2();
      return { ...users(user, { ...userV2(), userName: user.userName }), code: 'NAME_TAKEN', fields: ['users.1.userName'] };
    },
  },
  ACTIVITY_TYPE_CREATE_USERS_V3: {
    succeeds: () => users(userParams(newApiKey())),
    refused: ({ root }) => ({
      ...users(userParams(root.key)),
      code: 'CREDENTIAL_TAKEN',
      fields: ['users.0.apiKeys.0.publicKey'],
    }),
  },
  ACTIVITY_TYPE_CREATE_API_ONLY_USERS: {
    succeeds: () => ({ params: { apiOnlyUsers: [apiOnlyUser(), apiOnlyUser()] } }),
    refused: () => ({
      params: { apiOnlyUsers: [{ ...apiOnlyUser(), userTags: [madeUpId()] }] },
      code: 'NOT_FOUND',
      fields: ['apiOnlyUsers.0.userTags.0'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_USER: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userId, userName: uniqueName('Renamed'), userEmail: 'renamed@example.com' } };
    },
    refused: () => ({ params: { userId: madeUpId() }, code: 'NOT_FOUND', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_UPDATE_USER_NAME: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userId, userName: uniqueName('Renamed') } };
    },
    async refused({ root, rootUserId }) {
      const { user } = await root.data('getUser', { userId: rootUserId });
      const { userId } = await createMember(root);
      return { params: { userId, userName: user.userName }, code: 'NAME_TAKEN', fields: ['userName'] };
    },
  },
  ACTIVITY_TYPE_UPDATE_USER_EMAIL: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userId, userEmail: 'moved@example.com' } };
    },
    refused: () => ({ params: { userId: madeUpId(), userEmail: '' }, code: 'NOT_FOUND', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userId, userPhoneNumber: '+15555550142' } };
    },
    refused: () => ({ params: { userId: madeUpId(), userPhoneNumber: '' }, code: 'NOT_FOUND', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_DELETE_USERS: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userIds: [userId] } };
    },
    refused: ({ rootUserId }) => ({
      params: { userIds: [rootUserId] },
      code: 'PRECONDITION_FAILED',
      fields: ['userIds.0'],
    }),
  },
  ACTIVITY_TYPE_CREATE_USER_TAG: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userTagName: uniqueName('Tag'), userIds: [userId] } };
    },
    refused: () => ({
      params: { userTagName: uniqueName('Tag'), userIds: [madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['userIds.0'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_USER_TAG: {
    async succeeds(stage) {
      const { userId, userTagId } = await newTag(stage);
      const params = { userTagId, newUserTagName: uniqueName('Tag'), addUserIds: [stage.rootUserId], removeUserIds: [userId] };
      return { params };
    },
    async refused(stage) {
      const { userId, userTagId } = await newTag(stage);
      const params = { userTagId, addUserIds: [userId], removeUserIds: [userId] };
      return { params, code: 'REQUEST_INVALID', fields: ['addUserIds.0'] };
    },
  },
  ACTIVITY_TYPE_DELETE_USER_TAGS: {
    async succeeds(stage) {
      const { userTagId } = await newTag(stage);
      return { params: { userTagIds: [userTagId] } };
    },
    refused: () => ({ params: { userTagIds: [madeUpId()] }, code: 'NOT_FOUND', fields: ['userTagIds.0'] }),
  },
};
