import { hash } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import { type CertificateKey, requireBoundCertificate } from '../../auth/client-certificate.ts';
import { requireAdmitted } from '../../auth/ip-allowlist.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Authenticated, SnapshotSource } from './authenticate.ts';

/** The token of a read-only session, and the client address. */
export interface PresentedSession {
  readonly session: string;
  /** Undefined if the address is unknown. */
  readonly clientAddress: () => IpAddress | undefined;
  /** The client, as it describes itself. It proves nothing. */
  readonly userAgent?: string | undefined;
  readonly certificateKey?: CertificateKey;
}

/** 32 random bytes in base64url without padding. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The id of a session's record: the hash of its token, so that reading the database does not reveal usable sessions. */
export function sessionIdOf(token: string): string {
  return hash('sha256', token);
}

/**
 * Finds the read-only session of a token in the organization of the body, then in its parent, as for a stamp. The IP allowlist of the
 * session's organization applies as for any credential.
 * SECURITY: an unknown organization, an unknown token and an expired one get the same response. The token is looked up by its hash, so the
 * timing reveals nothing about other tokens.
 */
export async function authenticateSession(
  snapshots: SnapshotSource,
  organizationId: string,
  { session, clientAddress, certificateKey }: PresentedSession,
  nowMs: number,
): Promise<Authenticated> {
  const id = TOKEN.test(session) ? sessionIdOf(session) : '';
  const target = await snapshots.target(organizationId);
  const parentId = target?.profile.parentId ?? null;
  const own = target && holderOf(target, id, nowMs);
  // SECURITY: D335: every rejection reads the store as often, with or without a parent.
  const other = own === undefined ? await snapshots.parent(parentId ?? organizationId) : undefined;
  const parent = parentId === null ? undefined : other;
  const home = own === undefined ? parent : target;
  const holder = own ?? (parent && holderOf(parent, id, nowMs));
  if (target === undefined || home === undefined || holder === undefined) {
    throw new ServiceError(
      'SESSION_INVALID',
      'This session is unknown or has ended. Check organizationId, or create another one with create_read_only_session.',
    );
  }
  const { openedBy } = home.records.readOnlySession.get(id)?.origin ?? {};
  const used = { organizationId: home.id, credentialId: id, ...(openedBy && { openedBy }), clientAddress };
  requireAdmitted(home.records.ipAllowlist, used);
  requireBoundCertificate(home, holder.userId, certificateKey, nowMs);
  const caller = { organizationId: home.id, ...holder, credentialId: id, publicKey: '', scheme: 'SESSION' };
  return { caller, target, home, atMs: nowMs };
}

function holderOf({ records, users }: Snapshot, id: string, nowMs: number) {
  const session = records.readOnlySession.get(id);
  const user = session && users.get(session.userId);
  return session && user && session.expiresAtMs > nowMs ? { userId: session.userId, user } : undefined;
}
