import { activities, defaults, rpcProofs } from '@countersign/contract';
import { type ApiKeyRecord, inheritedSeconds, isSession, type SessionScope } from '@countersign/judgement';
import { concatBytes } from '@noble/hashes/utils.js';
import { fromBase64Url, sameJson } from '../text.ts';
import { type Change, type Done, has, hasEnded, isNew, isSessionOfEnded, nothing, type Rules } from './rule.ts';

interface ApiKeyParams {
  readonly apiKeyName: string;
  readonly publicKey: string;
  readonly curveType: string;
  readonly expirationSeconds?: string | undefined;
}

interface AuthenticatorParams {
  readonly authenticatorName: string;
  readonly attestation: { readonly attestationObject: string };
}

/** The type of keys that register one passkey. */
const RECOVERY = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';

const typeOfCurve: Readonly<Record<string, ApiKeyRecord['type']>> = {
  API_KEY_CURVE_P256: 'CREDENTIAL_TYPE_API_KEY_P256',
  API_KEY_CURVE_SECP256K1: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  API_KEY_CURVE_ED25519: 'CREDENTIAL_TYPE_API_KEY_ED25519',
};

/** Whether a new API key is the one that parameters name, for this user. */
export function isNamedApiKey(
  change: Change,
  keys: readonly ApiKeyParams[],
  userId: string | undefined,
  limitedTo?: SessionScope,
): boolean {
  if (!isNew(change, 'apiKey')) return false;
  return keys.some(({ apiKeyName, publicKey, curveType: curve, expirationSeconds }) =>
    has(change.after, {
      userId,
      apiKeyName,
      publicKey: publicKey.toLowerCase(),
      curve,
      type: typeOfCurve[curve],
      expirationSeconds,
      restrictedTo: undefined,
      origin: undefined,
      presents: undefined,
      limitedTo,
    }),
  );
}

/**
 * Whether a new passkey is one that an attestation in the parameters made, for this user.
 * WebAuthn section 6.5.1: the attested credential is the length of the id, the id, and the public key, one after the other.
 */
export function isAttestedPasskey(change: Change, given: readonly AuthenticatorParams[], userId: string | undefined): boolean {
  if (!isNew(change, 'authenticator') || change.after.userId !== userId) return false;
  const { credentialId, publicKey } = change.after;
  const id = fromBase64Url(credentialId, 'the id of a passkey');
  const attested = concatBytes(Uint8Array.of(id.length >> 8, id.length & 0xff), id, fromBase64Url(publicKey, 'a passkey'));
  return given.some(({ attestation }) =>
    contains(fromBase64Url(attestation.attestationObject.replace(/=+$/, ''), 'an attestation'), attested),
  );
}

function contains(bytes: Uint8Array, part: Uint8Array): boolean {
  for (let start = 0; start + part.length <= bytes.length; start++)
    if (part.every((byte, at) => bytes[start + at] === byte)) return true;
  return false;
}

/** Whether an expiring key of this user made room, or a session ended with one that did. */
export function madeRoom(change: Change, done: Done, userId: string | undefined): boolean {
  if (isSessionOfEnded(change, done)) return true;
  return hasEnded(change, 'apiKey') && change.before.userId === userId && change.before.expirationSeconds !== undefined;
}

/** Whether one of these credentials of a user ended, or a session that rests on one. */
function endedByName(kind: 'apiKey' | 'authenticator' | 'oauthProvider', ids: readonly string[], userId: string) {
  return (change: Change, done: Done) =>
    isSessionOfEnded(change, done) || (hasEnded(change, kind) && ids.includes(change.id) && change.before.userId === userId);
}

/** The record of a key that was sent by mail, after its first use. */
function withoutMessage({ messageId: _, endsOthers: __, ...opened }: ApiKeyRecord): ApiKeyRecord {
  return opened;
}

export const credentialRules: Rules<
  | 'createApiKeys'
  | 'createRpcKeys'
  | 'deleteApiKeys'
  | 'createAuthenticators'
  | 'createSetupKey'
  | 'exchangeOneTimeKey'
  | 'deleteAuthenticators'
  | 'createOauthProviders'
  | 'deleteOauthProviders'
  | 'createMfaPolicy'
  | 'updateMfaPolicy'
  | 'deleteMfaPolicy'
  | 'createPushSubscription'
  | 'deletePushSubscription'
> = {
  createApiKeys(change, done) {
    const { params, result, atMs } = done;
    if (madeRoom(change, done, params.userId)) return true;
    // SECURITY: D282: a key with fewer limits than the credential that created it is refused.
    const limits = done.inheritedBy?.(params.userId) ?? { listsOf: [] };
    const keys = params.apiKeys.map((key) => ({
      ...key,
      expirationSeconds: inheritedSeconds(key.expirationSeconds, limits, atMs),
    }));
    return result.apiKeyIds.includes(change.id) && isNamedApiKey(change, keys, params.userId, limits.limitedTo);
  },
  createRpcKeys(change, done) {
    const { params, result, atMs } = done;
    if (madeRoom(change, done, params.userId)) return true;
    const index = result.rpcKeys.findIndex(({ apiKeyId }) => apiKeyId === change.id);
    const key = params.rpcKeys[index];
    const made = result.rpcKeys[index];
    if (!isNew(change, 'apiKey') || key === undefined || made === undefined) return false;
    const limits = done.inheritedBy?.(params.userId) ?? { listsOf: [] };
    return has(change.after, {
      userId: params.userId,
      apiKeyName: key.apiKeyName,
      publicKey: made.publicKey,
      curve: 'API_KEY_CURVE_P256',
      type: rpcProofs[key.proof],
      presents: key.identifier,
      expirationSeconds: inheritedSeconds(key.expirationSeconds, limits, atMs),
      restrictedTo: undefined,
      origin: undefined,
      limitedTo: limits.limitedTo,
    });
  },
  deleteApiKeys: (change, done) => endedByName('apiKey', done.params.apiKeyIds, done.params.userId)(change, done),
  createAuthenticators: (change, { params, result }) =>
    result.authenticatorIds.includes(change.id) && isAttestedPasskey(change, params.authenticators, params.userId),
  createSetupKey(change, { params: { userId, publicKey, expirationSeconds = defaults.setupKeySeconds }, result }) {
    if (hasEnded(change, 'apiKey')) return change.before.userId === userId && change.before.type === RECOVERY;
    if (!isNew(change, 'apiKey') || change.id !== result.apiKeyId) return false;
    const restrictedTo = { activity: activities.recoverUser.name, subjectId: userId };
    const key = { userId, publicKey: publicKey.toLowerCase(), type: RECOVERY, expirationSeconds, restrictedTo };
    return has(change.after, { ...key, origin: undefined, limitedTo: undefined });
  },
  exchangeOneTimeKey(change, { params: { userId, invitationId, publicKey }, result }) {
    if (change.kind !== 'apiKey' || change.id !== result.apiKeyId) return false;
    const { before, after } = change;
    const isOwn = before?.userId === userId && before.restrictedTo?.subjectId === (invitationId ?? userId);
    if (!isOwn || before.exchanged || after === undefined) return false;
    // SECURITY: every other member stays, so that the key cannot become one of another user, activity or lifetime. The first use of a key
    // that was sent by mail removes the message from its record, as a change by the service.
    const { messageId } = after;
    const isFirstUse = before.messageId !== undefined && messageId === undefined;
    const { provenAtMs: _, ...kept } = isFirstUse ? withoutMessage(before) : before;
    return sameJson(after, { ...kept, publicKey: publicKey.toLowerCase(), exchanged: true, updatedAtMs: after.updatedAtMs });
  },
  deleteAuthenticators: (change, done) =>
    endedByName('authenticator', done.params.authenticatorIds, done.params.userId)(change, done),
  createOauthProviders: (change, { params: { userId, oauthProviders }, result }) =>
    isNew(change, 'oauthProvider') &&
    result.providerIds.includes(change.id) &&
    oauthProviders.some(({ providerName }) => has(change.after, { userId, providerName })),
  deleteOauthProviders: (change, done) => endedByName('oauthProvider', done.params.providerIds, done.params.userId)(change, done),
  createMfaPolicy: (change, { params, result }) =>
    isNew(change, 'mfaPolicy') && change.id === result.mfaPolicyId && has(change.after, params),
  updateMfaPolicy: (change, { params: { mfaPolicyId, ...given } }) =>
    change.kind === 'mfaPolicy' &&
    change.id === mfaPolicyId &&
    change.before?.userId === given.userId &&
    change.after !== undefined &&
    has(change.after, { ...change.before, ...defined(given), updatedAtMs: change.after.updatedAtMs }),
  deleteMfaPolicy: (change, { params: { userId, mfaPolicyId } }) =>
    hasEnded(change, 'mfaPolicy') && change.id === mfaPolicyId && change.before.userId === userId,
  createPushSubscription: nothing,
  deletePushSubscription: nothing,
};

function defined(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Whether a session of this user ended, or one that rests on it. */
export function endedSession(change: Change, done: Done, userId: string | undefined): boolean {
  if (isSessionOfEnded(change, done)) return true;
  return hasEnded(change, 'apiKey') && isSession(change.before) && change.before.userId === userId;
}
