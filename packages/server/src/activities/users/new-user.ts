import { ServiceError, type UserParams } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { PlanContext } from '../../pipeline/executor.ts';
import { makeRoom, type NewApiKey, readApiKeys } from '../credentials/new-api-keys.ts';
import { type NewAuthenticator, readAuthenticators } from '../credentials/new-authenticators.ts';
import { limitExceeded, notFound } from '../refuse.ts';

/** A user as it will be recorded, with credentials that were checked. */
export interface NewUser {
  readonly user: UserRecord;
  readonly apiKeys: readonly NewApiKey[];
  readonly authenticators: readonly NewAuthenticator[];
}

/** Credentials that the organization knows already; reading users adds theirs. */
export interface TakenCredentials {
  readonly publicKeys: Set<string>;
  readonly credentialIds: Set<string>;
}

type Params = Omit<UserParams, 'userTags'> & { readonly userTags?: readonly string[] };

/** Reads a user to create. `field` is the path of the user in the parameters. */
export async function readUser(context: PlanContext, params: Params, field: string, taken: TakenCredentials): Promise<NewUser> {
  const { limits, nowMs } = context;
  const { userName, userEmail, userPhoneNumber, userTags = [] } = params;
  if (params.oauthProviders.length > 0) {
    throw new ServiceError(
      'NOT_OFFERED',
      'This server trusts no OpenID Connect issuer, so it cannot register OAuth providers. Send an empty oauthProviders list.',
      {
        violations: [{ field: `${field}.oauthProviders`, description: 'No issuer is configured.' }],
      },
    );
  }
  // No tag exists before one is created, and none can be created yet: any id is unknown.
  if (userTags.length > 0) throw notFound('user tag', `${field}.userTags.0`);
  const apiKeys = readApiKeys(params.apiKeys, `${field}.apiKeys`, taken.publicKeys, nowMs);
  makeRoom(new Map(), apiKeys, limits.maxCredentials, nowMs);
  if (params.authenticators.length > limits.maxCredentials)
    throw limitExceeded('authenticators of a user', limits.maxCredentials, 'maxCredentials');
  const authenticators = await readAuthenticators(context, params.authenticators, `${field}.authenticators`, taken.credentialIds);
  return {
    user: {
      userName,
      ...(userEmail !== undefined && { userEmail }),
      ...(userPhoneNumber !== undefined && { userPhoneNumber }),
      userTags: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    },
    apiKeys,
    authenticators,
  };
}

/** The changes that record a user under a new id. */
export function recordUser(userId: string, { user, apiKeys, authenticators }: NewUser, newId: () => string): LocalChange[] {
  return [
    { op: 'putRecord', kind: 'user', id: userId, body: user },
    ...apiKeys.map((key) => ({ op: 'putRecord' as const, kind: 'apiKey' as const, id: newId(), body: { ...key, userId } })),
    ...authenticators.map((key) => ({
      op: 'putRecord' as const,
      kind: 'authenticator' as const,
      id: newId(),
      body: { ...key, userId },
    })),
  ];
}
