import { type ActivityInput, rpcProofs } from '@countersign/contract';
import { isSession } from '../credential-strength.ts';
import type { MfaPolicyRecord } from '../records.ts';
import type { ComparedOrganization, Proposed } from './change.ts';
import { type CompareOf, changed, created, deleted, type Impossible } from './operation.ts';
import { reference } from './references.ts';

export const createApiKeys: CompareOf<'createApiKeys'> = function* ({ params: { userId, apiKeys } }) {
  for (const { apiKeyName, publicKey, curveType: curve, expirationSeconds } of apiKeys)
    yield created('apiKey', {
      userId,
      apiKeyName,
      publicKey,
      curve,
      ...(expirationSeconds !== undefined && { expirationSeconds }),
    });
};

export const deleteApiKeys: CompareOf<'deleteApiKeys'> = (request) => deleted(request, 'apiKey', request.params.apiKeyIds);

type NewPasskey = ActivityInput<'createAuthenticators'>['authenticators'][number];

function newPasskey(userId: string, { authenticatorName, attestation }: NewPasskey): Proposed {
  return created('authenticator', { userId, authenticatorName, credentialId: attestation.credentialId });
}

export const createAuthenticators: CompareOf<'createAuthenticators'> = function* ({ params: { userId, authenticators } }) {
  for (const each of authenticators) yield newPasskey(userId, each);
};

export const deleteAuthenticators: CompareOf<'deleteAuthenticators'> = (request) =>
  deleted(request, 'authenticator', request.params.authenticatorIds);

export const recoverUser: CompareOf<'recoverUser'> = ({ params }) => [newPasskey(params.userId, params.authenticator)];

export const acceptInvitation: CompareOf<'acceptInvitation'> = ({ params }) => [newPasskey(params.userId, params.authenticator)];

export const createOauthProviders: CompareOf<'createOauthProviders'> = function* ({ params, resolved }) {
  const known = resolved?.oauthProviders as (typeof params)['oauthProviders'] | undefined;
  for (const [index, given] of params.oauthProviders.entries()) {
    const { providerName, oidcClaims } = known?.[index] ?? given;
    const claims = oidcClaims && { issuer: oidcClaims.iss, audience: oidcClaims.aud, subject: oidcClaims.sub };
    yield created('oauthProvider', { userId: params.userId, providerName, ...claims });
  }
};

export const deleteOauthProviders: CompareOf<'deleteOauthProviders'> = (request) =>
  deleted(request, 'oauthProvider', request.params.providerIds);

export const createSetupKey: CompareOf<'createSetupKey'> = ({ params: { userId, publicKey, expirationSeconds } }) => [
  created('apiKey', {
    userId,
    publicKey,
    restrictedTo: { activity: 'registering one passkey', subjectId: userId },
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  }),
];

export const exchangeOneTimeKey: CompareOf<'exchangeOneTimeKey'> = ({ params: { userId, publicKey } }) => [
  created('apiKey', {
    userId,
    publicKey,
    restrictedTo: { activity: 'what the key that it replaces was valid for', subjectId: userId },
  }),
];

export const createRpcKeys: CompareOf<'createRpcKeys'> = function* ({ params: { userId, rpcKeys } }) {
  for (const { apiKeyName, proof, identifier: presents, expirationSeconds } of rpcKeys)
    yield created('apiKey', { userId, apiKeyName, type: rpcProofs[proof], presents, expirationSeconds });
};

type Steps = MfaPolicyRecord['requiredAuthenticationMethods'];

export const createMfaPolicy: CompareOf<'createMfaPolicy'> = ({
  params: { notes, requiredAuthenticationMethods, ...policy },
}) => [
  created('mfaPolicy', {
    ...policy,
    requiredAuthenticationMethods: requiredAuthenticationMethods as Steps,
    ...(notes !== undefined && { notes }),
  }),
];

export const updateMfaPolicy: CompareOf<'updateMfaPolicy'> = (request) => {
  const { mfaPolicyId, userId: _, ...change } = request.params;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return changed(request, 'mfaPolicy', mfaPolicyId, (before) => ({ ...before, ...given }));
};

export const deleteMfaPolicy: CompareOf<'deleteMfaPolicy'> = (request) =>
  deleted(request, 'mfaPolicy', [request.params.mfaPolicyId]);

export const createPushSubscription: CompareOf<'createPushSubscription'> = ({ params: { name }, submitterId: userId }) => [
  created('pushSubscription', { userId, name }),
];

export const deletePushSubscription: CompareOf<'deletePushSubscription'> = (request) =>
  deleted(request, 'pushSubscription', [request.params.pushSubscriptionId]);

export const createSessionProfile: CompareOf<'createSessionProfile'> = ({ params }) => {
  const { sessionProfileName, scope, expirationSeconds, notes } = params;
  return [
    created('sessionProfile', {
      sessionProfileName,
      scope,
      ...(expirationSeconds !== undefined && { expirationSeconds }),
      ...(notes !== undefined && { notes }),
    }),
  ];
};

export const createReadWriteSession: CompareOf<'createReadWriteSession'> = ({ params, resolved, submitterId }) => {
  const { expirationSeconds, apiKeyName, invalidateExisting } = params;
  const userId =
    params.userId ?? (resolved?.userId as string | undefined) ?? (params.email === undefined ? submitterId : undefined);
  const also = {
    'key that can open it': params.targetPublicKey,
    ...(params.email !== undefined && userId === undefined && { 'user with the email address': { written: params.email } }),
    ...(invalidateExisting === true && { 'other sessions of this kind': 'end' }),
  };
  return [
    created(
      'apiKey',
      {
        type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
        ...(userId !== undefined && { userId }),
        ...(apiKeyName !== undefined && { apiKeyName }),
        ...(expirationSeconds !== undefined && { expirationSeconds }),
      },
      { also: { after: also } },
    ),
  ];
};

export const endSessions: CompareOf<'endSessions'> = (request) => {
  const { organization, params, submitterId } = request;
  if (params.apiKeyId !== undefined) return deleted(request, 'apiKey', [params.apiKeyId]);
  if (params.all === true) return [endedFor(organization, () => true)];
  const userId = params.userId ?? submitterId;
  if (!organization.records.user.has(userId)) return missingUser(userId);
  return [endedFor(organization, (holder) => holder === userId, reference(organization, 'user', userId))];
};

function missingUser(id: string): readonly Impossible[] {
  return [{ kind: 'user', id, problem: 'does not exist, so the request fails' }];
}

/** The number of sessions that end. A session that was opened with one of them ends too. */
function endedFor({ id, profile, records }: ComparedOrganization, isHolder: (userId: string) => boolean, who?: string): Proposed {
  let sessions = 0;
  for (const key of records.apiKey.values()) if (isSession(key) && isHolder(key.userId)) sessions++;
  for (const { userId } of records.readOnlySession.values()) if (isHolder(userId)) sessions++;
  const field = who === undefined ? 'sessions of all users' : `sessions of ${who}`;
  const also = { before: { [field]: String(sessions) }, after: { [field]: 'all end, with those that they opened' } };
  return { kind: 'organization', id, before: profile, after: profile, also };
}

export const createOauth2Credential: CompareOf<'createOauth2Credential'> = ({ params: { provider, clientId } }) => [
  created('oauth2Credential', { provider, clientId }),
];

export const updateOauth2Credential: CompareOf<'updateOauth2Credential'> = (request) => {
  const { oauth2CredentialId, provider, clientId } = request.params;
  const also = { before: { 'client secret': 'as it is' }, after: { 'client secret': 'another one' } };
  return changed(
    request,
    'oauth2Credential',
    oauth2CredentialId,
    (before) => ({ ...before, provider, clientId }),
    () => ({ also }),
  );
};

export const deleteOauth2Credential: CompareOf<'deleteOauth2Credential'> = (request) =>
  deleted(request, 'oauth2Credential', [request.params.oauth2CredentialId]);
