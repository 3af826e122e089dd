import type { ActivityInput, UserParams } from '@countersign/contract';
import { isSession } from '../credential-strength.ts';
import { credentialsOfUser } from '../credentials.ts';
import type { UserRecord } from '../records.ts';
import type { ComparedOrganization, ComparedRequest, Fields, Proposed } from './change.ts';
import { type CompareOf, changed, created, deleted } from './operation.ts';
import { reference, shownId } from './references.ts';
import { quoteText } from './shown-text.ts';

type NewUser = Partial<Omit<UserParams, 'userName'>> & Pick<UserParams, 'userName'>;
type Claims = NonNullable<UserParams['oauthProviders'][number]['oidcClaims']>;

/** The credentials that a user is created with, one line each. */
export function credentialFields({ apiKeys = [], authenticators = [], oauthProviders = [] }: NewUser): Fields {
  return {
    'API key': apiKeys.map(({ apiKeyName, publicKey, expirationSeconds }) =>
      [
        quoteText(apiKeyName),
        publicKey,
        ...(expirationSeconds === undefined ? [] : [`ends after ${expirationSeconds} seconds`]),
      ].join(', '),
    ),
    passkey: authenticators.map(
      ({ authenticatorName, attestation }) =>
        `${quoteText(authenticatorName)}, credential id ${quoteText(attestation.credentialId)}`,
    ),
    'sign-in identity': oauthProviders.map(({ providerName, oidcClaims }) =>
      [quoteText(providerName), ...(oidcClaims === undefined ? [] : [claimWords(oidcClaims)])].join(', '),
    ),
  };
}

function claimWords({ iss, aud, sub }: Claims): string {
  return `account ${quoteText(sub)} at ${quoteText(iss)} for ${quoteText(aud)}`;
}

function newUser(user: NewUser): Proposed {
  const { userName, userEmail, userPhoneNumber, userTags = [] } = user;
  const after = {
    userName,
    userTags,
    ...(userEmail !== undefined && { userEmail }),
    ...(userPhoneNumber !== undefined && { userPhoneNumber }),
  };
  return created('user', after, { also: { after: credentialFields(user) } });
}

export const createUsers: CompareOf<'createUsers'> = function* ({ params, resolved }) {
  const known = resolved?.users as ActivityInput<'createUsers'>['users'] | undefined;
  for (const [index, user] of params.users.entries()) yield newUser(known?.[index] ?? user);
};

export const createApiOnlyUsers: CompareOf<'createApiOnlyUsers'> = function* ({ params }) {
  for (const { apiKeys, ...user } of params.apiOnlyUsers) {
    const keys = apiKeys.map((key) => ({ ...key, curveType: 'API_KEY_CURVE_P256' as const }));
    yield newUser({ ...user, apiKeys: keys });
  }
};

function updated(request: Pick<ComparedRequest, 'organization'>, userId: string, change: Partial<UserRecord>) {
  return changed(request, 'user', userId, (before) => withoutEmpty({ ...before, ...change }));
}

/** An empty contact removes the current one. */
function withoutEmpty({ userEmail, userPhoneNumber, ...rest }: UserRecord): Partial<UserRecord> {
  return { ...rest, ...(userEmail && { userEmail }), ...(userPhoneNumber && { userPhoneNumber }) };
}

export const updateUser: CompareOf<'updateUser'> = (request) => {
  const { userId, userName, userEmail, userPhoneNumber, userTagIds } = request.params;
  return updated(request, userId, {
    ...(userName !== undefined && { userName }),
    ...(userEmail !== undefined && { userEmail }),
    ...(userPhoneNumber !== undefined && { userPhoneNumber }),
    ...(userTagIds !== undefined && { userTags: userTagIds }),
  });
};

export const updateUserName: CompareOf<'updateUserName'> = (request) =>
  updated(request, request.params.userId, { userName: request.params.userName });

export const updateUserEmail: CompareOf<'updateUserEmail'> = (request) =>
  updated(request, request.params.userId, { userEmail: request.params.userEmail });

export const updateUserPhoneNumber: CompareOf<'updateUserPhoneNumber'> = (request) =>
  updated(request, request.params.userId, { userPhoneNumber: request.params.userPhoneNumber });

export const deleteUsers: CompareOf<'deleteUsers'> = (request) =>
  deleted(request, 'user', request.params.userIds, (_, id) => ({
    also: { before: { 'ends with the user': heldWords(request.organization, id) } },
  }));

/** What a user has that is deleted with the user. */
function heldWords({ records }: ComparedOrganization, userId: string): string {
  const keys = [...credentialsOfUser(records.apiKey, userId).values()];
  const sessions = keys.filter(isSession).length;
  const counts = [
    [keys.length - sessions, 'API keys'],
    [credentialsOfUser(records.authenticator, userId).size, 'passkeys'],
    [credentialsOfUser(records.oauthProvider, userId).size, 'sign-in identities'],
    [credentialsOfUser(records.mfaPolicy, userId).size, 'MFA policies'],
    [sessions, 'sessions'],
  ] as const;
  return counts.map(([count, what]) => `${what}: ${count}`).join(', ');
}

export const createUserTag: CompareOf<'createUserTag'> = ({ organization, params: { userTagName, userIds } }) => [
  created(
    'userTag',
    { tagName: userTagName },
    { also: { after: { user: userIds.map((id) => reference(organization, 'user', id)) } } },
  ),
];

export const updateUserTag: CompareOf<'updateUserTag'> = (request) => {
  const { organization, params } = request;
  const { userTagId, newUserTagName, addUserIds, removeUserIds } = params;
  const has = (id: string) => organization.records.user.get(id)?.userTags.includes(userTagId) === true;
  const shown = (ids: readonly string[]) => ids.map((id) => reference(organization, 'user', id));
  return changed(
    request,
    'userTag',
    userTagId,
    ({ tagName }) => ({ tagName: newUserTagName ?? tagName }),
    () => ({
      also: { before: { user: shown(removeUserIds.filter(has)) }, after: { user: shown(addUserIds.filter((id) => !has(id))) } },
    }),
  );
};

export const deleteUserTags: CompareOf<'deleteUserTags'> = (request) =>
  deleted(request, 'userTag', request.params.userTagIds, (_, id) => {
    let holders = 0;
    for (const { userTags } of request.organization.records.user.values()) if (userTags.includes(id)) holders++;
    return { also: { before: { 'users who have it': String(holders) } } };
  });

const keyWords = (ids: readonly string[]) => ids.map((id) => `private key ${shownId(id)}`);

export const createPrivateKeyTag: CompareOf<'createPrivateKeyTag'> = ({ params: { privateKeyTagName, privateKeyIds } }) => [
  created('privateKeyTag', { tagName: privateKeyTagName }, { also: { after: { 'private key': keyWords(privateKeyIds) } } }),
];

export const updatePrivateKeyTag: CompareOf<'updatePrivateKeyTag'> = (request) => {
  const { privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds } = request.params;
  return changed(
    request,
    'privateKeyTag',
    privateKeyTagId,
    ({ tagName }) => ({ tagName: newPrivateKeyTagName ?? tagName }),
    () => ({
      also: { before: { 'private key': keyWords(removePrivateKeyIds) }, after: { 'private key': keyWords(addPrivateKeyIds) } },
    }),
  );
};

export const deletePrivateKeyTags: CompareOf<'deletePrivateKeyTags'> = (request) =>
  deleted(request, 'privateKeyTag', request.params.privateKeyTagIds);

export const createInvitations: CompareOf<'createInvitations'> = function* ({ params }) {
  for (const { receiverUserEmail, ...invitation } of params.invitations)
    yield created('invitation', { ...invitation, receiverEmail: receiverUserEmail });
};

export const deleteInvitation: CompareOf<'deleteInvitation'> = (request) =>
  deleted(request, 'invitation', [request.params.invitationId]);
