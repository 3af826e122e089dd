import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { apiKeyParamsV1, authenticatorEcho, shortAttestation, withCurve } from '../../shapes/credentials.ts';
import { email, id, label } from '../../shapes/primitives.ts';
import { accessTypes, userParams, userParamsV2, userParamsV4 } from '../../shapes/users.ts';

const users = <T extends z.ZodType>(item: T) => z.array(item).min(1, 'must not be empty').max(100, 'must have at most 100 items');
const accessType = z.enum(accessTypes);

const userParamsV1 = z
  .strictObject({
    userName: label,
    userEmail: email.optional(),
    accessType,
    apiKeys: z.array(apiKeyParamsV1).max(100),
    authenticators: z.array(authenticatorEcho).max(100),
    userTags: z.array(id).max(100),
  })
  .meta({ id: 'UserParams' });

/** A user as an intent of the specification shows it. */
const userEcho = z.object({
  userName: z.string(),
  userEmail: z.string().describe('Empty for a user without one'),
  accessType,
  apiKeys: z.array(
    z.object({
      apiKeyName: z.string(),
      publicKey: z.string(),
      expirationSeconds: z.string().describe('Empty for a key that does not expire'),
    }),
  ),
  authenticators: z.array(authenticatorEcho),
  userTags: z.array(z.string()),
});

const params = z.strictObject({ users: users(userParams) });
const paramsV4 = z.strictObject({ users: users(userParamsV4) });

type UserParams = z.output<typeof userParamsV4>;

export const createUsers = defineActivity({
  name: 'createUsers',
  path: 'create_users',
  subject: 'users',
  summary: 'Create users',
  policy: { resource: 'USER', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
  spec: 'endpoint',
  params,
  input: paramsV4,
  intent: z.object({ users: z.array(userEcho) }),
  result: z.object({ userIds: z.array(z.string()) }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_USERS',
      params: z.strictObject({ users: users(userParamsV1) }),
      upgrade: (old) => ({
        users: old.users.map(
          ({ accessType: _, ...user }): UserParams => ({
            ...user,
            apiKeys: user.apiKeys.map(withCurve),
            authenticators: user.authenticators.map(shortAttestation),
            oauthProviders: [],
          }),
        ),
      }),
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_USERS_V2',
      params: z.strictObject({ users: users(userParamsV2) }),
      upgrade: (old) => ({
        users: old.users.map((user): UserParams => ({ ...user, apiKeys: user.apiKeys.map(withCurve), oauthProviders: [] })),
      }),
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_USERS_V4',
      params: paramsV4,
      upgrade: (newer) => newer,
    }),
  ],
});
