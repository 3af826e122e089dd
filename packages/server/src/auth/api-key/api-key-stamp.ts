import { type SchemeId, schemeFits, schemeOf, schemes, type VerifierCache } from './schemes.ts';
import type { ApiKeyStamp } from './stamp.ts';
import { StampError } from './stamp-error.ts';

/** A registered API key of any origin. */
export interface ApiKeyCredential {
  /** The text that `canonicalPublicKey` returned at registration. */
  readonly publicKey: string;
  /** The wire name of its type. The type determines the curve. */
  readonly type: string;
}

/**
 * Checks a stamp over the body as received against the registered credential with its public key. Returns the scheme that verified;
 * throws a `StampError` otherwise. The caller checks the credential's expiry and owner.
 * SECURITY: the registered credential determines the curve. A stamp with a scheme of another curve is rejected.
 */
export function verifyApiKeyStamp(
  stamp: ApiKeyStamp,
  credential: ApiKeyCredential,
  body: Uint8Array,
  verifiers: VerifierCache,
): SchemeId {
  if (stamp.publicKey !== credential.publicKey) throw new StampError('WRONG_KEY');
  const scheme = stamp.scheme ?? schemeOf(credential.type);
  if (scheme === undefined || !schemeFits(scheme, credential.type)) {
    provesItself(stamp, body);
    throw new StampError('SCHEME_MISMATCH');
  }
  const prepare = () => schemes[scheme].prepare(credential.publicKey);
  if (!verifiers.verify(`${scheme}:${credential.publicKey}`, prepare, body, stamp.signature)) {
    // SECURITY: a refusal takes as long as `provesItself` for an unregistered key, which tries every scheme that the stamp may mean.
    for (const other of schemesOf(stamp)) if (other !== scheme) verifiesAs(other, stamp, body);
    throw new StampError('BAD_SIGNATURE');
  }
  return scheme;
}

/**
 * Whether a stamp verifies under the public key that it names, registered or not.
 * SECURITY: only the holder of an unknown key may learn that it is unknown. To everybody else, a bad stamp with a registered key and
 * one with an unknown key look the same.
 */
export function provesItself(stamp: ApiKeyStamp, body: Uint8Array): boolean {
  return schemesOf(stamp).some((id) => verifiesAs(id, stamp, body));
}

function schemesOf(stamp: ApiKeyStamp): readonly SchemeId[] {
  return (Object.keys(schemes) as SchemeId[]).filter((id) =>
    stamp.scheme === undefined ? fitsLength(id, stamp.publicKey) : id === stamp.scheme,
  );
}

function verifiesAs(id: SchemeId, stamp: ApiKeyStamp, body: Uint8Array): boolean {
  try {
    return schemes[id].prepare(stamp.publicKey)(body, stamp.signature);
  } catch {
    // Not a point of this curve: nothing verifies under it.
    return false;
  }
}

/** A stamp without a scheme may be of any curve whose keys have this length. */
function fitsLength(id: SchemeId, publicKeyHex: string): boolean {
  return (schemes[id].curve === 'API_KEY_CURVE_ED25519') === (publicKeyHex.length === 64);
}
