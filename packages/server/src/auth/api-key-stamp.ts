import { spendVerification } from './decoy.ts';
import { type SchemeId, schemeFits, schemeOf, schemes } from './schemes.ts';
import type { ApiKeyStamp } from './stamp.ts';
import { StampFault } from './stamp-fault.ts';
import type { VerifierCache } from './verifier-cache.ts';

/** A registered API key, of whatever origin. */
export interface ApiKeyCredential {
  /** As `canonicalPublicKey` gave it at registration. */
  readonly publicKey: string;
  /** The wire name of its type, which fixes its curve. */
  readonly type: string;
}

/**
 * Checks a stamp over the body as received against the registered credential that was found by its public key, and gives the scheme
 * that held. Throws a `StampFault` otherwise. Expiry and ownership of the credential are the caller's to judge.
 * SECURITY: the curve is the registered one; what the stamp says of its scheme can only agree with it or be refused.
 */
export function verifyApiKeyStamp(
  stamp: ApiKeyStamp,
  credential: ApiKeyCredential,
  body: Uint8Array,
  verifiers: VerifierCache,
): SchemeId {
  if (stamp.publicKey !== credential.publicKey) throw new StampFault('WRONG_KEY');
  const scheme = stamp.scheme ?? schemeOf(credential.type);
  if (scheme === undefined || !schemeFits(scheme, credential.type)) {
    spendVerification(stamp, body);
    throw new StampFault('SCHEME_MISMATCH');
  }
  const prepare = () => schemes[scheme].prepare(credential.publicKey);
  if (!verifiers.verify(`${scheme}:${credential.publicKey}`, prepare, body, stamp.signature))
    throw new StampFault('BAD_SIGNATURE');
  return scheme;
}
