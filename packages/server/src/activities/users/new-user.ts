import type { UserParams } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { createSlices, mapInSlices } from '../../admission/index.ts';
import { requireVisible } from '../../organizations/names.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { providersByIdentity, type Taken, takenIn, usersByName } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { limitExceeded, nameTaken } from '../../wire/refuse.ts';
import { makeRoom, type NewApiKey, readApiKeys, toCount, touchedBySignInKey } from '../credentials/new-api-keys.ts';
import { type NewAuthenticator, readAuthenticators } from '../credentials/new-authenticators.ts';
import { type NewOauthProvider, readOauthProviders, tokensIn, withClaims } from '../credentials/new-oauth-providers.ts';
import { requireTags } from '../tags.ts';
import { touchedByNewUsers } from '../touches.ts';

/** A user to record, with verified credentials. */
export interface NewUser {
  readonly user: UserRecord;
  readonly apiKeys: readonly NewApiKey[];
  readonly authenticators: readonly NewAuthenticator[];
  readonly oauthProviders: readonly NewOauthProvider[];
}

/** Credentials that are already registered in the organization, and how new identities are proven. Reading users adds theirs. */
export interface TakenCredentials {
  readonly publicKeys: Taken;
  readonly credentialIds: Taken;
  /** OpenID Connect identities by `identityKey`. */
  readonly identities: Taken;
  /** Whether tokens for identities must be bound to the credential that stamps the request. */
  readonly isBound: boolean;
}

/** Returns the credentials of a new organization: none. */
export function noneTaken(): TakenCredentials {
  const none = new Map<string, never>();
  return { publicKeys: takenIn(none), credentialIds: takenIn(none), identities: takenIn(none), isBound: false };
}

type Params = Omit<UserParams, 'userTags'> & { readonly userTags?: readonly string[] };

/** Reads a user to create. `field` is the path of the user in the parameters. */
export async function readUser(context: PlanContext, params: Params, field: string, taken: TakenCredentials): Promise<NewUser> {
  const { organization, limits, nowMs } = context;
  const { userName, userEmail, userPhoneNumber, userTags = [] } = params;
  requireVisible(userName, `${field}.userName`);
  requireTags(organization, 'userTag', userTags, `${field}.userTags`);
  makeRoom(new Map(), toCount(params.apiKeys), limits.maxCredentials, nowMs);
  const apiKeys = readApiKeys(params.apiKeys, `${field}.apiKeys`, taken.publicKeys, nowMs);
  if (params.authenticators.length > limits.maxCredentials)
    throw limitExceeded('authenticators of a user', limits.maxCredentials, 'maxCredentials');
  const authenticators = await readAuthenticators(context, params.authenticators, `${field}.authenticators`, taken.credentialIds);
  if (params.oauthProviders.length > limits.maxCredentials)
    throw limitExceeded('OAuth providers of a user', limits.maxCredentials, 'maxCredentials');
  const oauthProviders = readOauthProviders(context, params.oauthProviders, `${field}.oauthProviders`, {
    taken: taken.identities,
    own: [],
    isBound: taken.isBound,
  });
  return {
    user: {
      userName,
      ...(userEmail !== undefined && { userEmail }),
      ...(userPhoneNumber !== undefined && { userPhoneNumber }),
      userTags,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    },
    apiKeys,
    authenticators,
    oauthProviders,
  };
}

/** Users to create, as their approvers are warned of them. */
export function newcomers(
  users: readonly Pick<Params, 'userName' | 'userEmail' | 'userTags'>[],
  nowMs: number,
): ReadonlyMap<string, UserRecord> {
  const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
  return new Map(
    users.map(({ userName, userEmail, userTags = [] }) => [
      `new:${userName}`,
      { userName, ...(userEmail && { userEmail }), userTags, ...dates },
    ]),
  );
}

/** Rejects names that users of the organization have, and duplicates. `field` returns the path of the name at an index. */
export function requireFreeUserNames({ users }: Snapshot, names: readonly string[], field: (index: number) => string): void {
  const taken = takenIn(usersByName(users));
  for (const [index, name] of names.entries()) {
    requireVisible(name, field(index));
    if (taken.has(name)) throw nameTaken('user', field(index));
    taken.add(name);
  }
}

/** Reads users to create in the organization of the request. `field` is the path of the list in the parameters. */
export async function readUsers(context: PlanContext, users: readonly Params[], field: string): Promise<NewUser[]> {
  const { organization, limits } = context;
  if (organization.users.size + users.length > limits.maxUsers) throw limitExceeded('users', limits.maxUsers, 'maxUsers');
  const names = users.map((user) => user.userName);
  requireFreeUserNames(organization, names, (index) => `${field}.${index}.userName`);
  const taken = {
    publicKeys: takenIn(organization.apiKeyByPublicKey),
    credentialIds: takenIn(organization.authenticatorByCredentialId),
    identities: takenIn(providersByIdentity(organization.records.oauthProvider)),
    isBound: true,
  };
  return readEachUser(context, users, field, taken);
}

/** Reads users to create, with pauses: each can have ten keys, and checking a key takes a fraction of a millisecond. */
export function readEachUser(
  context: PlanContext,
  users: readonly Params[],
  field: string,
  taken: TakenCredentials,
): Promise<NewUser[]> {
  const endSlice = createSlices(context.organization.id);
  return mapInSlices(users, endSlice, (user, index) => readUser(context, user, `${field}.${index}`, taken));
}

/** Touches of users to create in the organization of the request, with the credentials that were read. */
export function touchedByUsers(
  context: PlanContext,
  users: Parameters<typeof touchedByNewUsers>[1],
  read: readonly NewUser[],
): Touch[] {
  const keys = read.flatMap(({ apiKeys }) => apiKeys);
  return [...touchedByNewUsers(context.organization, users), ...touchedBySignInKey(context, keys)];
}

/** Returns the changes that record a user under a new id. */
export function recordUser(
  userId: string,
  { user, apiKeys, authenticators, oauthProviders }: NewUser,
  newId: () => string,
): LocalChange[] {
  return [
    { op: 'putRecord', kind: 'user', id: userId, body: user },
    ...apiKeys.map((key) => ({ op: 'putRecord' as const, kind: 'apiKey' as const, id: newId(), body: { ...key, userId } })),
    ...authenticators.map((key) => ({
      op: 'putRecord' as const,
      kind: 'authenticator' as const,
      id: newId(),
      body: { ...key, userId },
    })),
    ...oauthProviders.map((provider) => ({
      op: 'putRecord' as const,
      kind: 'oauthProvider' as const,
      id: newId(),
      body: { ...provider, userId },
    })),
  ];
}

/** Returns the OpenID Connect tokens of users to create. */
export function tokensOf(users: readonly Pick<UserParams, 'oauthProviders'>[]): string[] {
  return users.flatMap(({ oauthProviders }) => tokensIn(oauthProviders));
}

/** Users to create as policies see them: with the identities that their tokens prove. */
export function usersWithClaims(users: readonly Params[], read: readonly NewUser[]): readonly Params[] {
  return users.map((user, index) => ({
    ...user,
    oauthProviders: withClaims(user.oauthProviders, read[index]?.oauthProviders ?? []),
  }));
}

/** Returns the outcome of activities that create users. */
export function recordUsers(users: readonly NewUser[], newId: () => string) {
  const userIds = users.map(() => newId());
  return { result: { userIds }, changes: users.flatMap((user, index) => recordUser(userIds[index] as string, user, newId)) };
}
