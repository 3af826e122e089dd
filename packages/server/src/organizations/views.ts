import type {
  FreezeShape,
  InvitationShape,
  IpAllowlistShape,
  MfaPolicyShape,
  Oauth2CredentialShape,
  PolicyShape,
  PrivateKeyShape,
  SessionProfileShape,
  SmartContractInterfaceShape,
  TagShape,
  UserShape,
  WalletAccountShape,
  WalletShape,
} from '@countersign/contract';
import { credentialsOfUser, POLICY_LANGUAGE } from '@countersign/judgement';
import { contactState } from './contacts.ts';
import type {
  ApiKeyRecord,
  AuthenticatorRecord,
  ContactState,
  FreezeRecord,
  InvitationRecord,
  IpAllowlistRecord,
  MfaPolicyRecord,
  Oauth2CredentialRecord,
  OauthProviderRecord,
  PolicyRecord,
  Resource,
  SessionProfileRecord,
  SmartContractInterfaceRecord,
  TagRecord,
} from './records.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** A point in time in its wire form. */
export function toTimestamp(ms: number): { seconds: string; nanos: string } {
  return { seconds: String(Math.floor(ms / 1000)), nanos: '0' };
}

export const dates = ({ createdAtMs, updatedAtMs }: { createdAtMs: number; updatedAtMs: number }) => ({
  createdAt: toTimestamp(createdAtMs),
  updatedAt: toTimestamp(updatedAtMs),
});

/** A freeze as queries show it. */
export function showFreeze(targetId: string, { target, reason, frozenBy, createdAtMs }: FreezeRecord): FreezeShape {
  return { target, targetId, reason, frozenBy, frozenAt: toTimestamp(createdAtMs) };
}

/** `frozenIn` is for the dialect that extends the specification, which has no such field: the organization, whose freezes are shown. */
export function showWallet({ id, body }: Resource<'wallet'>, frozenIn?: Snapshot): WalletShape {
  const { walletName, exported, imported } = body;
  return { walletId: id, walletName, ...dates(body), exported, imported, ...frozenMark(frozenIn, id) };
}

/** Marks a frozen object. */
function frozenMark(organization: Snapshot | undefined, id: string): { readonly frozen?: true } {
  return organization?.records.freeze.has(id) === true ? { frozen: true } : {};
}

/** `beyondSpec` is for the dialect that extends the specification: the organization, whose freezes and disabled keys are shown. */
export function showPrivateKey({ id, body }: Resource<'privateKey'>, beyondSpec: Snapshot | undefined): PrivateKeyShape {
  const { publicKey, privateKeyName, curve, addresses, privateKeyTags, exported, imported } = body;
  return {
    privateKeyId: id,
    publicKey,
    privateKeyName,
    curve,
    addresses: addresses as PrivateKeyShape['addresses'],
    privateKeyTags: [...privateKeyTags],
    ...dates(body),
    exported,
    imported,
    ...(beyondSpec !== undefined && body.disabled === true && { disabled: true }),
    ...frozenMark(beyondSpec, id),
  };
}

export function showWalletAccount(
  organizationId: string,
  { id, body }: Resource<'walletAccount'>,
  wallet?: Resource<'wallet'>,
): WalletAccountShape {
  const { walletId, curve, path, addressFormat, address, publicKey, name } = body;
  return {
    walletAccountId: id,
    organizationId,
    walletId,
    curve,
    pathFormat: 'PATH_FORMAT_BIP32',
    path,
    addressFormat: addressFormat as WalletAccountShape['addressFormat'],
    address,
    ...dates(body),
    publicKey,
    ...(name !== undefined && { name }),
    ...(wallet && { walletDetails: showWallet(wallet) }),
  };
}

/** An API key as queries show it. */
export function showApiKey(id: string, key: ApiKeyRecord): UserShape['apiKeys'][number] {
  const { publicKey, type, apiKeyName, expirationSeconds, limitedTo } = key;
  const profile = limitedTo && { sessionProfileId: limitedTo.sessionProfileId };
  return {
    credential: { publicKey, type, ...profile },
    apiKeyId: id,
    apiKeyName,
    ...dates(key),
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  };
}

/** How a session was opened and last used, as queries show it. */
export interface ShownUses {
  readonly openedFrom?: { readonly device?: string; readonly address?: string };
  readonly lastUsed?: { readonly atMs: number; readonly device?: string; readonly address?: string };
}

/** An API key with how it is used, if it is a session. */
export function showUsedKey<K extends UserShape['apiKeys'][number]>(key: K, { openedFrom, lastUsed }: ShownUses = {}): K {
  const { atMs, ...client } = lastUsed ?? { atMs: 0 };
  return {
    ...key,
    ...(openedFrom && { openedFrom }),
    ...(lastUsed && { lastUsed: { at: toTimestamp(atMs), ...client } }),
  };
}

/** A passkey as queries show it. */
export function showAuthenticator(id: string, authenticator: AuthenticatorRecord): UserShape['authenticators'][number] {
  const { transports, attestationType, aaguid, credentialId, model, publicKey, authenticatorName } = authenticator;
  return {
    transports: [...transports],
    attestationType,
    aaguid,
    credentialId,
    model,
    credential: { publicKey, type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' },
    authenticatorId: id,
    authenticatorName,
    ...dates(authenticator),
  };
}

/** A link to an identity as queries show it. */
export function showOauthProvider(id: string, provider: OauthProviderRecord): UserShape['oauthProviders'][number] {
  const { providerName, issuer, audience, subject } = provider;
  return { providerId: id, providerName, issuer, audience, subject, ...dates(provider) };
}

/** A session profile as queries show it. */
export function showSessionProfile(sessionProfileId: string, profile: SessionProfileRecord): SessionProfileShape {
  const { sessionProfileName, scope, expirationSeconds, notes } = profile;
  return {
    sessionProfileId,
    sessionProfileName,
    scope,
    ...(expirationSeconds !== undefined && { expirationSeconds }),
    ...(notes !== undefined && { notes }),
    ...dates(profile),
  };
}

/** An OAuth 2 credential as queries show it, without its secret. */
export function showOauth2Credential(
  organizationId: string,
  oauth2CredentialId: string,
  credential: Oauth2CredentialRecord,
): Oauth2CredentialShape {
  const { provider, clientId } = credential;
  return { oauth2CredentialId, organizationId, provider, clientId, encryptedClientSecret: '', ...dates(credential) };
}

/** The MFA policies of a user as queries show them, in their order. */
export function showMfaPolicies({ records }: Snapshot, userId: string): MfaPolicyShape[] {
  return [...credentialsOfUser(records.mfaPolicy, userId)]
    .sort(([, a], [, b]) => a.order - b.order)
    .map(([id, policy]) => showMfaPolicy(id, policy));
}

export function showMfaPolicy(mfaPolicyId: string, policy: MfaPolicyRecord): MfaPolicyShape {
  const { mfaPolicyName, condition, requiredAuthenticationMethods, order, notes } = policy;
  return {
    mfaPolicyId,
    mfaPolicyName,
    condition,
    requiredAuthenticationMethods: requiredAuthenticationMethods.map(({ any }) => ({ any: [...any] })),
    order,
    ...(notes !== undefined && { notes }),
    ...dates(policy),
  };
}

/** A tag as queries show it. */
export function showTag(tagId: string, tag: TagRecord, tagType: TagShape['tagType']): TagShape {
  return { tagId, tagName: tag.tagName, tagType, ...dates(tag) };
}

/** An invitation as queries show it. */
export function showInvitation(invitationId: string, invitation: InvitationRecord): InvitationShape {
  const { receiverUserName, receiverEmail, receiverUserTags, accessType, status, senderUserId } = invitation;
  return {
    invitationId,
    receiverUserName,
    receiverEmail,
    receiverUserTags: [...receiverUserTags],
    accessType,
    status,
    ...dates(invitation),
    senderUserId,
  };
}

/** A user with all credentials. Undefined if the organization no longer has this user. */
export function showUser(organization: Snapshot, userId: string, beyondSpec: boolean): UserShape | undefined {
  const user = organization.users.get(userId);
  if (user === undefined) return undefined;
  const own = <T extends { readonly userId: string }>(map: ReadonlyMap<string, T>) => [...credentialsOfUser(map, userId)];
  const mfaPolicies = showMfaPolicies(organization, userId);
  return {
    userId,
    userName: user.userName,
    ...(user.userEmail !== undefined && { userEmail: user.userEmail }),
    ...(user.userPhoneNumber !== undefined && { userPhoneNumber: user.userPhoneNumber }),
    ...showVerification('userEmailVerification', contactState(user, 'OTP_TYPE_EMAIL')),
    ...showVerification('userPhoneNumberVerification', contactState(user, 'OTP_TYPE_SMS')),
    authenticators: own(organization.authenticators).map(([id, item]) => showAuthenticator(id, item)),
    apiKeys: own(organization.apiKeys).map(([id, item]) => showApiKey(id, item)),
    userTags: [...user.userTags],
    oauthProviders: own(organization.records.oauthProvider).map(([id, item]) => showOauthProvider(id, item)),
    ...((beyondSpec || mfaPolicies.length > 0) && { mfaPolicies }),
    ...dates(user),
    ...frozenMark(beyondSpec ? organization : undefined, userId),
  };
}

function showVerification(name: 'userEmailVerification' | 'userPhoneNumberVerification', state: ContactState | undefined) {
  return state && { [name]: { how: state.how, since: toTimestamp(state.atMs) } };
}

export function showSmartContractInterface(
  organizationId: string,
  id: string,
  record: SmartContractInterfaceRecord,
): SmartContractInterfaceShape {
  const { label, smartContractAddress, smartContractInterface, type, notes } = record;
  return {
    organizationId,
    smartContractInterfaceId: id,
    smartContractAddress,
    smartContractInterface,
    type,
    label,
    notes,
    ...dates(record),
  };
}

/**
 * Absent expressions are shown as empty strings, which existing clients expect. An earlier language is always shown, because the same text
 * means something else in it. `showEmptyTime`: the dialect has a `time` field on every policy. The specification has none, but a non-empty time is always shown.
 */
export function showPolicy(policyId: string, policy: PolicyRecord, showEmptyTime: boolean): PolicyShape {
  const { policyName, effect, condition = '', consensus = '', notes, time = '', language = 1 } = policy;
  return {
    policyId,
    policyName,
    effect,
    condition,
    consensus,
    notes,
    ...((showEmptyTime || time !== '') && { time }),
    ...(language < POLICY_LANGUAGE && { language: language as 1 | 2 }),
    ...dates(policy),
  };
}

/** `id` is the organization, or the API key that the list governs. */
export function showIpAllowlist(organization: Snapshot, id: string, list: IpAllowlistRecord): IpAllowlistShape {
  const publicKey = organization.apiKeys.get(id)?.publicKey;
  const { enabled, onEvaluationError } = list;
  return {
    organizationId: organization.id,
    rules: list.rules.map(({ cidr, label, createdAtMs }) => ({
      cidr,
      ...(label !== undefined && { label }),
      createdAt: String(createdAtMs),
    })),
    ...(publicKey !== undefined && { publicKey }),
    ...(enabled !== undefined && { enabled }),
    onEvaluationError,
  };
}
