import { ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import { provesItself, verifyApiKeyStamp } from '../../auth/api-key-stamp.ts';
import { spendVerification } from '../../auth/decoy.ts';
import { requireAdmitted } from '../../auth/ip-allowlist.ts';
import { type PasskeyDefaults, type PasskeyRules, passkeyRules } from '../../auth/passkey-rules.ts';
import type { ApiKeyStamp, PasskeyStamp, Stamp } from '../../auth/stamp.ts';
import { StampError } from '../../auth/stamp-error.ts';
import type { VerifierCache } from '../../auth/verifier-cache.ts';
import { verifyAssertion } from '../../auth/webauthn-assertion.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { ApiKeyRecord, AuthenticatorRecord, UserRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';

/** Who is calling: a user and the credential that proved it. Nothing else is derived from a stamp. */
export interface Caller {
  /** The organization the user belongs to: the one named in the body, or its parent. */
  readonly organizationId: string;
  readonly userId: string;
  readonly user: UserRecord;
  readonly credentialId: string;
  /** The credential's public key as it is recorded: hexadecimal of an API key, COSE in base64url of a passkey. */
  readonly publicKey: string;
  readonly scheme: string;
  /** Present where the credential is good for one activity only. */
  readonly restrictedTo?: ApiKeyRecord['restrictedTo'];
  /** The credentials that a session rests on. */
  readonly openedBy?: readonly string[];
  /** A passkey whose signature counter moved; a submit keeps the new value together with what it does. */
  readonly counted?: { readonly record: AuthenticatorRecord; readonly counter: number };
  /** Present where the credential has not stamped an activity of its sub-organization yet. */
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
  /** Present where an API key stamped the request. */
  readonly proof?: Proof;
}

/** That a stamp verifies under a public key. The bytes do not change, so it holds for the same key in every later snapshot. */
export interface Proof {
  readonly publicKey: string;
  /** The type of the key, which fixes its curve. */
  readonly type: string;
  readonly scheme: string;
}

/** A stamp, the bytes it is over, and where they came from. */
export interface StampedBody {
  readonly stamp: Stamp;
  readonly bytes: Uint8Array;
  /** Undefined where the address cannot be told. */
  readonly clientAddress: () => IpAddress | undefined;
}

/** What stamps are judged by beside the organizations. */
export interface StampRules {
  readonly verifiers: VerifierCache;
  readonly passkeys: PasskeyDefaults;
}

/** Where snapshots come from: a commit checks the target's version, but nothing checks the parent's, so that one must be read fresh. */
export interface SnapshotSource {
  target(organizationId: string): Promise<Snapshot | undefined>;
  parent(organizationId: string): Promise<Snapshot | undefined>;
}

/** A stamp that is good but for its counter: a request that was taken before, or a copied authenticator. */
export class CounterRegressedError extends ServiceError {}

/** A registered credential that a stamp may have been made with, and its holder. */
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
 * If both know it, it acts as the sub-organization's user, unless `isOfParent` says that the parent authorizes the request; `isOfParent` is
 * present if the parent's users may submit it there. The IP allowlists of the credential's own organization are checked last.
 * SECURITY: an unknown organization, a foreign one and an unknown credential get the same answer, in the same time.
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
  if (parentId === null || !needsParent) return prove(target, own, undefined, rules, stamped, nowMs, known);
  const parent = await snapshots.parent(parentId);
  const ofParent = parent && findCredential(parent, stamped.stamp);
  // SECURITY: a sub-organization may register any public key. Registering that of a parent's user must not take their power there.
  const isParentFirst = own !== undefined && ofParent !== undefined && (await isOfParent?.()) === true;
  return prove(target, isParentFirst ? ofParent : (own ?? ofParent), parent, rules, stamped, nowMs, known);
}

interface EarlierAttempt {
  /** What an earlier attempt of the same request proved. */
  readonly known?: Proof | undefined;
  readonly isOfParent?: (() => Promise<boolean>) | undefined;
}

/** Checks the stamp for the credential that was found. */
function prove(
  target: Snapshot | undefined,
  found: FoundCredential | undefined,
  parent: Snapshot | undefined,
  rules: StampRules,
  stamped: StampedBody,
  nowMs: number,
  known: Proof | undefined,
): Authenticated {
  if (target === undefined || found === undefined) throw unknownCredential(stamped);
  const { home } = found;
  if (found.kind === 'passkey') {
    const { counter: before } = found.record;
    const counter = provePasskey(stamped, found.record, passkeyRules(home, parent, rules.passkeys), rules.verifiers);
    const caller = callerOf(found, 'SIGNATURE_SCHEME_TK_WEBAUTHN', target);
    admit(home, caller, stamped);
    return { caller: counter > before ? { ...caller, counted: { record: found.record, counter } } : caller, target, home };
  }
  const proof = proveApiKey(stamped, found.record, rules.verifiers, known);
  if (expired(found.record, nowMs)) {
    throw new ServiceError('API_KEY_EXPIRED', 'expired api key. Sign in again, or use a key that has not expired.');
  }
  const caller = callerOf(found, proof.scheme, target);
  admit(home, caller, stamped);
  const { restrictedTo } = found.record;
  return { caller: restrictedTo === undefined ? caller : { ...caller, restrictedTo }, target, home, proof };
}

function callerOf(found: FoundCredential, scheme: string, target: Snapshot): Caller {
  const { home, credentialId, userId, user, record } = found;
  const caller: Caller = { organizationId: home.id, userId, user, credentialId, publicKey: record.publicKey, scheme };
  const openedBy = found.kind === 'apiKey' ? found.record.origin?.openedBy : undefined;
  const firstUse = home === target ? firstUseOf(found) : undefined;
  if (openedBy === undefined && firstUse === undefined) return caller;
  return { ...caller, ...(openedBy && { openedBy }), ...(firstUse && { firstUse }) };
}

function admit({ records: { ipAllowlist } }: Snapshot, caller: Caller, { clientAddress }: StampedBody): void {
  if (ipAllowlist.size === 0) return;
  const { organizationId, credentialId, openedBy } = caller;
  requireAdmitted(ipAllowlist, { organizationId, credentialId, ...(openedBy && { openedBy }), clientAddress });
}

/** Only sub-organizations ask who was here first: under its parent's id, a credential leads to the one where its holder used it. */
function firstUseOf({ home, kind, record }: FoundCredential): FirstUse | undefined {
  if (home.profile.parentId === null || record.provenAtMs !== undefined) return undefined;
  return kind === 'apiKey' ? { kind, record } : { kind: 'authenticator', record };
}

/** The credential that a stamp names, where the organization knows it. The stamp is not looked at further. */
export function findCredential(home: Snapshot, stamp: Stamp): FoundCredential | undefined {
  if (stamp.kind === 'apiKey') {
    const credentialId = home.apiKeyByPublicKey.get(stamp.publicKey) ?? '';
    const record = home.apiKeys.get(credentialId);
    const user = record && home.users.get(record.userId);
    return record && user && { kind: 'apiKey', home, credentialId, userId: record.userId, user, record };
  }
  const credentialId = home.authenticatorByCredentialId.get(stamp.credentialId) ?? '';
  const record = home.authenticators.get(credentialId);
  const user = record && home.users.get(record.userId);
  return record && user && { kind: 'passkey', home, credentialId, userId: record.userId, user, record };
}

/** SECURITY: only who shows to hold a key learns that it is unknown. Everybody else gets the answer for a stamp that does not verify. */
function unknownCredential({ stamp, bytes }: StampedBody): ServiceError {
  if (stamp.kind === 'passkey') {
    spendVerification(stamp);
    return unprovenPasskey();
  }
  if (!provesItself(stamp, bytes)) return badSignature();
  return new ServiceError(
    'PUBLIC_KEY_NOT_FOUND',
    'could not find public key in organization or its parent organization. Check organizationId, and that this API key is registered there and was not deleted.',
  );
}

function badSignature(details: { readonly cause?: unknown; readonly reason?: string } = {}): ServiceError {
  return new ServiceError(
    'SIGNATURE_INVALID',
    'could not verify api key signature. The stamp must be made with the registered key over the request body, byte for byte as it is sent.',
    details,
  );
}

/** The one answer to a passkey that is unknown and to an assertion that does not verify: a stamp of a passkey does not show its key. */
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
  } catch (fault) {
    if (!(fault instanceof StampError)) throw fault;
    throw badSignature({ cause: fault, reason: fault.reason });
  }
}

/** Gives the counter of the stamp. */
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
  } catch (fault) {
    if (!(fault instanceof StampError)) throw fault;
    if (fault.reason === 'BAD_SIGNATURE') throw unprovenPasskey({ cause: fault, reason: fault.reason });
    const Refusal = fault.reason === 'COUNTER_REGRESSED' ? CounterRegressedError : ServiceError;
    throw new Refusal(
      'SIGNATURE_INVALID',
      'could not verify WebAuthN signature. The passkey must answer the challenge of this very body, on an allowed origin, and verify the person by PIN or biometrics where the organization requires it.',
      { cause: fault, reason: fault.reason },
    );
  }
}
