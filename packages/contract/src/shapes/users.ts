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
import { mfaPolicy } from './mfa.ts';
import { email, id, label, phoneNumber, shortened, timestamp } from './primitives.ts';

/** The kinds of access that a user can have. */
export const accessTypes = ['ACCESS_TYPE_WEB', 'ACCESS_TYPE_API', 'ACCESS_TYPE_ALL'] as const;

/** The kind of access that a user has. */
export type AccessType = (typeof accessTypes)[number];

/** A list of credentials of one kind for one user. The configured limit may be lower. */
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

/** A user to create, with identities by token or by claims. */
export const userParamsV4 = z
  .strictObject({ ...userParams.shape, oauthProviders: credentialList(oauthProviderParamsV2) })
  .meta({ id: 'UserParamsV4' });

/** A user to create. Every version of the request fits. */
export type UserParams = z.output<typeof userParamsV4>;

/** A user to create, as version 2 has it. */
export const userParamsV2 = z
  .strictObject({
    ...identity,
    apiKeys: credentialList(apiKeyParamsV1),
    authenticators: credentialList(authenticatorParams),
    userTags,
  })
  .meta({ id: 'UserParamsV2' });

/** A user to create who has only API keys (P-256). */
export const apiOnlyUserParams = z
  .strictObject({ ...identity, userTags, apiKeys: credentialList(apiKeyParamsV1) })
  .meta({ id: 'ApiOnlyUserParams' });

/** A member of the root quorum of a new organization. Versions differ in the credentials that they take. */
export const rootUserParams = z
  .strictObject({
    ...contact,
    apiKeys: credentialList(apiKeyParams),
    authenticators: credentialList(authenticatorParams),
    oauthProviders: credentialList(oauthProviderParams),
  })
  .meta({ id: 'RootUserParamsV4' });

/** A root user with identities by token or by claims. */
export const rootUserParamsV5 = z
  .strictObject({ ...rootUserParams.shape, oauthProviders: credentialList(oauthProviderParamsV2) })
  .meta({ id: 'RootUserParamsV5' });

/** A root user with API keys and passkeys. */
export const rootUserParamsV1 = z
  .strictObject({ ...identity, apiKeys: credentialList(apiKeyParamsV1), authenticators: credentialList(authenticatorParams) })
  .meta({ id: 'RootUserParams' });

/** A root user with API keys (P-256), passkeys and identities. */
export const rootUserParamsV2 = z
  .strictObject({ ...rootUserParamsV1.shape, oauthProviders: credentialList(oauthProviderParams) })
  .meta({ id: 'RootUserParamsV2' });

/** A root user with API keys, passkeys and identities, without a phone number. */
export const rootUserParamsV3 = z
  .strictObject({ ...rootUserParamsV2.shape, apiKeys: credentialList(apiKeyParams) })
  .meta({ id: 'RootUserParamsV3' });

/** How the service knows that a contact is the user's. An UNVERIFIED contact cannot be used to sign in. */
const contactVerification = z
  .object({
    how: z
      .enum(['CREATED', 'QUORUM', 'CODE', 'UNVERIFIED'])
      .describe(
        'CREATED: it came with the new user. QUORUM: the root quorum entered it. CODE: the user proved it with a code. UNVERIFIED: another user entered it',
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
    mfaPolicies: z.array(mfaPolicy).optional().describe('On the specification’s path only if the user has any'),
    createdAt: timestamp,
    updatedAt: timestamp,
    frozen: z.literal(true).optional().describe('Present on a frozen user, on the compatible path'),
    shortened,
  })
  .meta({ id: 'User' });

/** A user as queries and votes show it. */
export type UserShape = z.output<typeof user>;
