import { hash } from 'node:crypto';
import type { VaultService } from '../../vault/vault.ts';

/** Who is signed in, where, with which key, and until when. */
export interface SessionClaims {
  readonly organizationId: string;
  readonly userId: string;
  /** Compressed, in hexadecimal. */
  readonly publicKey: string;
  readonly expiresAtMs: number;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = base64url({ alg: 'ES256', typ: 'JWT' });

/**
 * A session as a signed token, for clients to show and to check. It authenticates nothing: the registered key does.
 * Clients of this format sign the hash of the hash, so the signature (r and s) is over SHA-256(SHA-256(header.payload)).
 */
export async function sessionToken(service: Pick<VaultService, 'attest'>, claims: SessionClaims): Promise<string> {
  const payload = base64url({
    exp: Math.floor(claims.expiresAtMs / 1000),
    public_key: claims.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: claims.userId,
    organization_id: claims.organizationId,
  });
  const signed = `${HEADER}.${payload}`;
  const signature = await service.attest('sessionNotarizer', hash('sha256', signed, 'buffer'));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}
