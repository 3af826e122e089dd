import { z } from 'zod';
import {
  apiKey,
  apiKeyParams,
  apiKeyParamsV1,
  authenticator,
  authenticatorParams,
  oauthProvider,
  oauthProviderParams,
  oauthProviderParamsV2,
} from './credentials.ts';
import { email, id, label, phoneNumber, timestamp } from './primitives.ts';

export const accessTypes = ['ACCESS_TYPE_WEB', 'ACCESS_TYPE_API', 'ACCESS_TYPE_ALL'] as const;

export type AccessType = (typeof accessTypes)[number];

/** How many credentials of a kind one request may bring for a user; the configured limit may be lower. */
const credentialList = <T extends z.ZodType>(item: T) => z.array(item).max(100, 'must have at most 100 items');

const identity = { userName: label, userEmail: email.optional() };
const contact = { ...identity, userPhoneNumber: phoneNumber.optional() };
/** Tags of a user, by id. */
export const userTags = z.array(id).max(100, 'must have at most 100 items');

/** A user to create. */
export const userParams = z
  .strictObject({
    ...contact,
    apiKeys: credentialList(apiKeyParams),
    authenticators: credentialList(authenticatorParams),
    oauthProviders: credentialList(oauthProviderParams),
    userTags,
  })
  .meta({ id: 'UserParamsV3' });

export const userParamsV4 = z
  .strictObject({ ...userParams.shape, oauthProviders: credentialList(oauthProviderParamsV2) })
  .meta({ id: 'UserParamsV4' });

/** A user to create, in the form of any version. */
export type UserParams = z.output<typeof userParamsV4>;

export const userParamsV2 = z
  .strictObject({
    ...identity,
    apiKeys: credentialList(apiKeyParamsV1),
    authenticators: credentialList(authenticatorParams),
    userTags,
  })
  .meta({ id: 'UserParamsV2' });

/** A user to create who has API keys (P-256) and nothing else. */
export const apiOnlyUserParams = z
  .strictObject({ ...identity, userTags, apiKeys: credentialList(apiKeyParamsV1) })
  .meta({ id: 'ApiOnlyUserParams' });

/** A member of the root quorum of a new organization. Versions differ in what they can bring. */
export const rootUserParams = z
  .strictObject({
    ...contact,
    apiKeys: credentialList(apiKeyParams),
    authenticators: credentialList(authenticatorParams),
    oauthProviders: credentialList(oauthProviderParams),
  })
  .meta({ id: 'RootUserParamsV4' });

export const rootUserParamsV5 = z
  .strictObject({ ...rootUserParams.shape, oauthProviders: credentialList(oauthProviderParamsV2) })
  .meta({ id: 'RootUserParamsV5' });

export const rootUserParamsV1 = z
  .strictObject({ ...identity, apiKeys: credentialList(apiKeyParamsV1), authenticators: credentialList(authenticatorParams) })
  .meta({ id: 'RootUserParams' });

export const rootUserParamsV2 = z
  .strictObject({ ...rootUserParamsV1.shape, oauthProviders: credentialList(oauthProviderParams) })
  .meta({ id: 'RootUserParamsV2' });

export const rootUserParamsV3 = z
  .strictObject({ ...rootUserParamsV2.shape, apiKeys: credentialList(apiKeyParams) })
  .meta({ id: 'RootUserParamsV3' });

/** How far a contact is known to be the user's. One that is UNVERIFIED signs nobody in. */
const contactVerification = z
  .object({
    how: z
      .enum(['CREATED', 'QUORUM', 'CODE', 'UNVERIFIED'])
      .describe(
        'CREATED: the user was made with it; QUORUM: the root quorum entered it; CODE: the user showed a code that was sent there; UNVERIFIED: somebody else entered it',
      ),
    since: timestamp,
  })
  .meta({ id: 'ContactVerification' });

/** A user as queries and votes show it. */
export const user = z
  .object({
    userId: z.string(),
    userName: z.string(),
    userEmail: z.string().optional(),
    userPhoneNumber: z.string().optional(),
    userEmailVerification: contactVerification.optional(),
    userPhoneNumberVerification: contactVerification.optional(),
    authenticators: z.array(authenticator),
    apiKeys: z.array(apiKey),
    userTags: z.array(z.string()),
    oauthProviders: z.array(oauthProvider),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'User' });

export type UserShape = z.output<typeof user>;
