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
    provesItself(stamp, body);
    throw new StampFault('SCHEME_MISMATCH');
  }
  const prepare = () => schemes[scheme].prepare(credential.publicKey);
  if (!verifiers.verify(`${scheme}:${credential.publicKey}`, prepare, body, stamp.signature)) {
    // SECURITY: takes the time that `provesItself` takes for a key that nobody registered.
    prepare();
    throw new StampFault('BAD_SIGNATURE');
  }
  return scheme;
}

/**
 * Whether a stamp verifies under the very public key that it names, registered or not.
 * SECURITY: a stamp that does not is refused as such, so that a stranger cannot tell a registered key from an unknown one. The holder
 * of an unknown key learns that it is unknown.
 */
export function provesItself(stamp: ApiKeyStamp, body: Uint8Array): boolean {
  const candidates = (Object.keys(schemes) as SchemeId[]).filter((id) =>
    stamp.scheme === undefined ? fitsLength(id, stamp.publicKey) : id === stamp.scheme,
  );
  return candidates.some((id) => {
    try {
      return schemes[id].prepare(stamp.publicKey)(body, stamp.signature);
    } catch {
      // Not a point of this curve: nothing can verify under it.
      return false;
    }
  });
}

/** A stamp without a scheme is of any curve whose keys have this length. */
function fitsLength(id: SchemeId, publicKeyHex: string): boolean {
  return (schemes[id].curve === 'API_KEY_CURVE_ED25519') === (publicKeyHex.length === 64);
}
