import { ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import { provesItself, verifyApiKeyStamp } from '../../auth/api-key/api-key-stamp.ts';
import { spendVerification } from '../../auth/api-key/decoy.ts';
import type { VerifierCache } from '../../auth/api-key/schemes.ts';
import type { ApiKeyStamp, PasskeyStamp, Stamp } from '../../auth/api-key/stamp.ts';
import { StampError } from '../../auth/api-key/stamp-error.ts';
import { requireApiOnlyUser } from '../../auth/api-only-user.ts';
import { type CertificateKey, requireBoundCertificate } from '../../auth/client-certificate.ts';
import { requireAdmitted } from '../../auth/ip-allowlist.ts';
import type { StampRules } from '../../auth/open-auth.ts';
import { verifyAssertion } from '../../auth/webauthn/assertion.ts';
import { type PasskeyRules, passkeyRules } from '../../auth/webauthn/passkey-rules.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { ApiKeyRecord, AuthenticatorRecord, UserRecord } from '../../organizations/records.ts';
import { evictionsByPublicKey } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';

/** The caller: a user and the credential that authenticated the request. Nothing else is derived from a stamp. */
export interface Caller {
  /** The organization the user belongs to: the one named in the body, or its parent. */
  readonly organizationId: string;
  readonly userId: string;
  readonly user: UserRecord;
  readonly credentialId: string;
  /** The credential's public key as stored: hexadecimal for an API key, COSE in base64url for a passkey. */
  readonly publicKey: string;
  readonly scheme: string;
  /** Present if the credential can submit only one activity. */
  readonly restrictedTo?: ApiKeyRecord['restrictedTo'];
  /** The credentials that opened the session. */
  readonly openedBy?: readonly string[];
  /** The id of a passkey, if the stamp has it in another spelling. Votes store this one. */
  readonly passkeyId?: string;
  /** Set if the signature counter of a passkey increased. A submit stores the new value in its commit. */
  readonly counted?: { readonly record: AuthenticatorRecord; readonly counter: number };
  /** Set if the credential has not yet stamped an activity of its sub-organization. */
  readonly firstUse?: FirstUse;
}

/** A credential that its holder uses for the first time. */
export type FirstUse =
  | { readonly kind: 'apiKey'; readonly record: ApiKeyRecord }
  | { readonly kind: 'authenticator'; readonly record: AuthenticatorRecord };

export interface Authenticated {
  readonly caller: Caller;
  /** The organization that the body names. */
  readonly target: Snapshot;
  /** The caller's own organization: the target, or its parent. */
  readonly home: Snapshot;
  /** When the caller was authenticated. */
  readonly atMs: number;
  /** Present if an API key stamped the request. */
  readonly proof?: Proof;
}

/** Proof that a stamp verifies under a public key. The bytes do not change, so it is valid for the same key in every later snapshot. */
export interface Proof {
  readonly publicKey: string;
  /** The type of the key, which fixes its curve. */
  readonly type: string;
  readonly scheme: string;
}

/** A stamp, the signed bytes, and the client address. */
export interface StampedBody {
  readonly stamp: Stamp;
  readonly bytes: Uint8Array;
  /** Undefined if the address is unknown. */
  readonly clientAddress: () => IpAddress | undefined;
  /** The client, as it describes itself. It proves nothing. */
  readonly userAgent?: string | undefined;
  readonly certificateKey?: CertificateKey;
}

/** Loads snapshots. A commit checks the target's version, but nothing checks the parent's, so the parent must be read from the store. */
export interface SnapshotSource {
  target(organizationId: string): Promise<Snapshot | undefined>;
  parent(organizationId: string): Promise<Snapshot | undefined>;
}

/** The stamp is valid except for its counter: a replayed request or a cloned authenticator. */
export class CounterRegressedError extends ServiceError {}

/** A registered credential that matches a stamp, and its holder. */
export type FoundCredential = {
  readonly home: Snapshot;
  readonly credentialId: string;
  readonly userId: string;
  readonly user: UserRecord;
} & (
  | { readonly kind: 'apiKey'; readonly record: ApiKeyRecord }
  | { readonly kind: 'passkey'; readonly record: AuthenticatorRecord }
);

/**
 * Finds the credential of a stamp in the organization of the body, then in its parent, and verifies the stamp over the bytes as received.
 * If both know it, it acts as the sub-organization's user, unless `isOfParent` returns that the parent authorizes the request; `isOfParent`
 * is present if the parent's users may make it there. The IP allowlists of the credential's own organization are checked last.
 * SECURITY: D335: an unknown organization, a foreign one and an unknown credential get the same response, in the same time. Without a
 * parent to read, the named organization is read once more, so that every rejection reads the store as often.
 */
export async function authenticate(
  snapshots: SnapshotSource,
  rules: StampRules,
  organizationId: string,
  stamped: StampedBody,
  nowMs: number,
  { known, isOfParent }: EarlierAttempt = {},
): Promise<Authenticated> {
  const target = await snapshots.target(organizationId);
  const own = target && findCredential(target, stamped.stamp);
  const parentId = target?.profile.parentId ?? null;
  const needsParent = own === undefined || own.kind === 'passkey' || isOfParent !== undefined;
  if (parentId === null && own === undefined) await snapshots.parent(organizationId);
  if (parentId === null || !needsParent) return prove(target, own, undefined, rules, stamped, nowMs, known);
  const parent = await snapshots.parent(parentId);
  const ofParent = parent && findCredential(parent, stamped.stamp);
  // SECURITY: a sub-organization may register any public key. Registering the key of a parent's user must not remove that user's access.
  const isParentFirst = own !== undefined && ofParent !== undefined && (await isOfParent?.()) === true;
  const proveAs = (found: FoundCredential | undefined) => prove(target, found, parent, rules, stamped, nowMs, known);
  if (own?.kind !== 'passkey' || ofParent === undefined || isOfParent !== undefined)
    return proveAs(isParentFirst ? ofParent : (own ?? ofParent));
  try {
    return proveAs(own);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // SECURITY: D374: the id of a passkey says nothing about its key, and the sub-organization may have registered it with another one.
    return proveAs(ofParent);
  }
}

interface EarlierAttempt {
  /** The proof of an earlier attempt of the same request. */
  readonly known?: Proof | undefined;
  readonly isOfParent?: (() => Promise<boolean>) | undefined;
}

/** Verifies the stamp with the credential that was found. */
function prove(
  target: Snapshot | undefined,
  found: FoundCredential | undefined,
  parent: Snapshot | undefined,
  rules: StampRules,
  stamped: StampedBody,
  nowMs: number,
  known: Proof | undefined,
): Authenticated {
  if (target === undefined || found === undefined) throw unknownCredential(stamped, [target, parent]);
  const { home } = found;
  if (found.kind === 'passkey') {
    const { counter: before } = found.record;
    const counter = provePasskey(stamped, found.record, passkeyRules(home, parent, rules.passkeys), rules.verifiers);
    const caller = callerOf(found, 'SIGNATURE_SCHEME_TK_WEBAUTHN', target);
    admit(home, caller, stamped, nowMs);
    const counted = counter > before ? { ...caller, counted: { record: found.record, counter } } : caller;
    const { credentialId: passkeyId } = found.record;
    const isAsSent = stamped.stamp.kind !== 'passkey' || stamped.stamp.credentialId === passkeyId;
    return { caller: isAsSent ? counted : { ...counted, passkeyId }, target, home, atMs: nowMs };
  }
  const proof = proveApiKey(stamped, found.record, rules.verifiers, known);
  if (expired(found.record, nowMs)) {
    throw new ServiceError('API_KEY_EXPIRED', 'expired api key. Sign in again, or use a key that has not expired.');
  }
  requireApiOnlyUser(home, found.record);
  const caller = callerOf(found, proof.scheme, target);
  admit(home, caller, stamped, nowMs);
  const { restrictedTo } = found.record;
  return { caller: restrictedTo === undefined ? caller : { ...caller, restrictedTo }, target, home, atMs: nowMs, proof };
}

function callerOf(found: FoundCredential, scheme: string, target: Snapshot): Caller {
  const { home, credentialId, userId, user, record } = found;
  const caller: Caller = { organizationId: home.id, userId, user, credentialId, publicKey: record.publicKey, scheme };
  const openedBy = found.kind === 'apiKey' ? found.record.origin?.openedBy : undefined;
  const firstUse = home === target ? firstUseOf(found) : undefined;
  if (openedBy === undefined && firstUse === undefined) return caller;
  return { ...caller, ...(openedBy && { openedBy }), ...(firstUse && { firstUse }) };
}

function admit(home: Snapshot, caller: Caller, { clientAddress, certificateKey }: StampedBody, nowMs: number): void {
  const { ipAllowlist } = home.records;
  requireBoundCertificate(home, caller.userId, certificateKey, nowMs);
  if (ipAllowlist.size === 0) return;
  const { organizationId, credentialId, openedBy } = caller;
  requireAdmitted(ipAllowlist, { organizationId, credentialId, ...(openedBy && { openedBy }), clientAddress });
}

/** Only sub-organizations record the first use: it proves that the holder belongs to the one that the parent's id resolves to. */
function firstUseOf({ home, kind, record }: FoundCredential): FirstUse | undefined {
  if (home.profile.parentId === null || record.provenAtMs !== undefined) return undefined;
  return kind === 'apiKey' ? { kind, record } : { kind: 'authenticator', record };
}

/** The credential that a stamp names, if the organization knows it. The stamp is not verified. */
export function findCredential(home: Snapshot, stamp: Stamp): FoundCredential | undefined {
  if (stamp.kind === 'apiKey') {
    const credentialId = home.apiKeyByPublicKey.get(stamp.publicKey) ?? '';
    const record = home.apiKeys.get(credentialId);
    const user = record && home.users.get(record.userId);
    return record && user && { kind: 'apiKey', home, credentialId, userId: record.userId, user, record };
  }
  const { authenticatorByCredentialId: byId } = home;
  const credentialId = byId.get(stamp.credentialId) ?? byId.get(stamp.innerCredentialId ?? '') ?? '';
  const record = home.authenticators.get(credentialId);
  const user = record && home.users.get(record.userId);
  return record && user && { kind: 'passkey', home, credentialId, userId: record.userId, user, record };
}

/** SECURITY: only the holder of a key learns that it is unknown. Other callers get the error for an invalid signature. */
function unknownCredential({ stamp, bytes }: StampedBody, places: readonly (Snapshot | undefined)[]): ServiceError {
  if (stamp.kind === 'passkey') {
    spendVerification(stamp);
    return unprovenPasskey();
  }
  if (!provesItself(stamp, bytes)) return badSignature();
  // SECURITY: D285: after the signature, so that others learn nothing.
  if (places.some((place) => place && evictionsByPublicKey(place.records.evictedKeys).has(stamp.publicKey)))
    return new ServiceError(
      'API_KEY_EVICTED',
      'could not find public key in organization or its parent organization: a newer key or session of the same user replaced it, because a user has a limited number of each kind. Sign in again, and sign out where you no longer need a session.',
    );
  return new ServiceError(
    'PUBLIC_KEY_NOT_FOUND',
    'could not find public key in organization or its parent organization. Check organizationId, and that this API key is registered there and was not deleted. The first use of a key in a sub-organization needs the id of the sub-organization.',
  );
}

function badSignature(details: { readonly cause?: unknown; readonly reason?: string } = {}): ServiceError {
  return new ServiceError(
    'SIGNATURE_INVALID',
    'could not verify api key signature. The stamp must be made with the registered key over the request body, byte for byte as it is sent.',
    details,
  );
}

/** The same error for an unknown passkey and an invalid assertion, because the stamp of a passkey does not contain its key. */
function unprovenPasskey(details: { readonly cause?: unknown; readonly reason?: string } = {}): ServiceError {
  return new ServiceError(
    'CREDENTIAL_NOT_FOUND',
    'credential ID could not be found in organization or its parent organization, or its signature does not verify. Check organizationId, and that this passkey is registered there.',
    details,
  );
}

function proveApiKey(
  stamped: StampedBody,
  { publicKey, type }: ApiKeyRecord,
  verifiers: VerifierCache,
  known: Proof | undefined,
): Proof {
  if (known?.publicKey === publicKey && known.type === type) return known;
  try {
    const scheme = verifyApiKeyStamp(stamped.stamp as ApiKeyStamp, { publicKey, type }, stamped.bytes, verifiers);
    return { publicKey, type, scheme };
  } catch (error) {
    if (!(error instanceof StampError)) throw error;
    throw badSignature({ cause: error, reason: error.reason });
  }
}

/** Returns the counter of the stamp. */
function provePasskey(
  stamped: StampedBody,
  record: AuthenticatorRecord,
  { allowedOrigins, requireUserVerification }: PasskeyRules,
  verifiers: VerifierCache,
): number {
  const { credentialId, publicKey, counter, backupEligible, rpId } = record;
  try {
    return verifyAssertion({
      stamp: stamped.stamp as PasskeyStamp,
      body: stamped.bytes,
      authenticator: { credentialId, publicKeyCose: publicKey, counter, backupEligible },
      allowedOrigins,
      rpIds: [rpId],
      requireUserVerification,
      verifiers,
    }).counter;
  } catch (error) {
    if (!(error instanceof StampError)) throw error;
    if (error.reason === 'BAD_SIGNATURE') throw unprovenPasskey({ cause: error, reason: error.reason });
    const Refusal = error.reason === 'COUNTER_REGRESSED' ? CounterRegressedError : ServiceError;
    throw new Refusal(
      'SIGNATURE_INVALID',
      'could not verify WebAuthN signature. The passkey must sign the challenge of this exact body, on an allowed origin, and verify the person by PIN or biometrics if the organization requires it.',
      { cause: error, reason: error.reason },
    );
  }
}
