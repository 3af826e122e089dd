import { hash } from 'node:crypto';
import type { SessionScope } from '../../organizations/records.ts';
import type { VaultService } from '../../vault/vault.ts';

/** Claims of a session token. */
export interface SessionClaims {
  readonly organizationId: string;
  readonly userId: string;
  /** Compressed, in hexadecimal. */
  readonly publicKey: string;
  readonly expiresAtMs: number;
  /** Present if a profile limits the session. */
  readonly limitedTo?: SessionScope;
}

/**
 * Encodes JSON as base64url without `-` and `_`, because clients read the token with a plain base64 decoder. These two stand for the bits
 * 111110 and 111111, which among ASCII characters only `>`, `?`, `~` and DEL can produce. JSON can escape any character.
 */
function base64url(value: object): string {
  const json = JSON.stringify(value).replace(/[^ -=@-}]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(json).toString('base64url');
}

const HEADER = base64url({ alg: 'ES256', typ: 'JWT' });

/**
 * Returns a signed token for clients to show and to check. It authenticates nothing: the registered key does.
 * Clients of this format hash twice: the signature (r and s) signs SHA-256(SHA-256(header.payload)).
 */
export async function sessionToken(service: Pick<VaultService, 'attest'>, claims: SessionClaims): Promise<string> {
  const { limitedTo } = claims;
  const payload = base64url({
    exp: Math.floor(claims.expiresAtMs / 1000),
    public_key: claims.publicKey,
    session_type: limitedTo?.sessionProfileName ?? 'SESSION_TYPE_READ_WRITE',
    user_id: claims.userId,
    organization_id: claims.organizationId,
    ...(limitedTo && { session_profile_id: limitedTo.sessionProfileId, scope: limitedTo.scope }),
  });
  const signed = `${HEADER}.${payload}`;
  const signature = await service.attest('sessionNotarizer', hash('sha256', signed, 'buffer'));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}
