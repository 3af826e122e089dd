import { ServiceError } from '@countersign/contract';
import { verifyApiKeyStamp } from '../auth/api-key-stamp.ts';
import { spendVerification } from '../auth/decoy.ts';
import type { SchemeId } from '../auth/schemes.ts';
import type { ApiKeyStamp } from '../auth/stamp.ts';
import { StampFault } from '../auth/stamp-fault.ts';
import type { VerifierCache } from '../auth/verifier-cache.ts';
import type { ApiKeyRecord, UserRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot.ts';

/** Who is calling: a user and the credential that proved it. Nothing else is derived from a stamp. */
export interface Caller {
  /** The organization the user belongs to: the one named in the body, or its parent. */
  readonly organizationId: string;
  readonly userId: string;
  readonly user: UserRecord;
  readonly credentialId: string;
  readonly credential: ApiKeyRecord;
  readonly scheme: SchemeId;
}

export interface Authenticated {
  readonly caller: Caller;
  /** The organization that the body names. */
  readonly target: Snapshot;
}

/** A stamp and the bytes it is over. Once proven, the proof holds for the same public key and type in any later snapshot. */
export interface StampedBody {
  readonly stamp: ApiKeyStamp;
  readonly bytes: Uint8Array;
  proven?: { readonly publicKey: string; readonly type: string; readonly scheme: SchemeId };
}

/** Where snapshots come from: a commit checks the target's version, but nothing checks the parent's, so that one must be read fresh. */
export interface SnapshotSource {
  target(organizationId: string): Promise<Snapshot | undefined>;
  parent(organizationId: string): Promise<Snapshot | undefined>;
}

/**
 * Finds the credential of a stamp in the organization of the body, then in its parent, and checks the stamp over the bytes as received.
 * A key that both know belongs to the sub-organization's user.
 * SECURITY: an unknown organization, a foreign one and an unknown key get the same answer.
 */
export async function authenticate(
  snapshots: SnapshotSource,
  verifiers: VerifierCache,
  organizationId: string,
  stamped: StampedBody,
  nowMs: number,
): Promise<Authenticated> {
  const target = await snapshots.target(organizationId);
  let found = target && find(target, stamped.stamp.publicKey);
  const parentId = target?.organization.parentId ?? null;
  if (found === undefined && parentId !== null) {
    const parent = await snapshots.parent(parentId);
    found = parent && find(parent, stamped.stamp.publicKey);
  }
  if (target === undefined || found === undefined) {
    // SECURITY: the time of the refusal must not tell an unknown key from a wrong signature.
    spendVerification(stamped.stamp, stamped.bytes);
    throw new ServiceError(
      'PUBLIC_KEY_NOT_FOUND',
      'could not find public key in organization or its parent organization. Check organizationId, and that this API key is registered there and was not deleted.',
    );
  }
  const scheme = prove(stamped, found.credential, verifiers);
  if (expired(found.credential, nowMs)) {
    throw new ServiceError('API_KEY_EXPIRED', 'expired api key. Sign in again, or use a key that has not expired.');
  }
  return { caller: { ...found, scheme }, target };
}

function find(snapshot: Snapshot, publicKey: string): Omit<Caller, 'scheme'> | undefined {
  const credentialId = snapshot.apiKeyByPublicKey.get(publicKey);
  const credential = credentialId === undefined ? undefined : snapshot.apiKeys.get(credentialId);
  const user = credential && snapshot.users.get(credential.userId);
  if (credentialId === undefined || credential === undefined || user === undefined) return undefined;
  return { organizationId: snapshot.id, userId: credential.userId, user, credentialId, credential };
}

function prove(stamped: StampedBody, { publicKey, type }: ApiKeyRecord, verifiers: VerifierCache): SchemeId {
  const { proven } = stamped;
  if (proven !== undefined && proven.publicKey === publicKey && proven.type === type) return proven.scheme;
  try {
    const scheme = verifyApiKeyStamp(stamped.stamp, { publicKey, type }, stamped.bytes, verifiers);
    stamped.proven = { publicKey, type, scheme };
    return scheme;
  } catch (fault) {
    if (!(fault instanceof StampFault)) throw fault;
    throw new ServiceError(
      'SIGNATURE_INVALID',
      'could not verify api key signature. The stamp must be made with the registered key over the request body, byte for byte as it is sent.',
      { cause: fault, reason: fault.reason },
    );
  }
}

/** Whether an API key's life is over. */
export function expired({ createdAtMs, expirationSeconds }: ApiKeyRecord, nowMs: number): boolean {
  return expirationSeconds !== undefined && createdAtMs + Number(expirationSeconds) * 1000 <= nowMs;
}
