import { hash } from 'node:crypto';
import type { ApiKeyCurve } from './public-key.ts';
import { type SchemeId, schemes, type Verifier } from './schemes.ts';
import type { PasskeyStamp, Stamp } from './stamp.ts';

/** The base point of each curve: a valid key that nobody would register. */
const basePoints: Readonly<Record<ApiKeyCurve, string>> = {
  API_KEY_CURVE_P256: '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
  API_KEY_CURVE_SECP256K1: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  API_KEY_CURVE_ED25519: '5866666666666666666666666666666666666666666666666666666666666666',
};

const decoys = Object.fromEntries(
  Object.entries(schemes).map(([id, scheme]) => [id, scheme.prepare(basePoints[scheme.curve])]),
) as Readonly<Record<SchemeId, Verifier>>;

/**
 * Takes the time that checking this stamp against a registered credential would take, and learns nothing from it.
 * SECURITY: callers do this where they find no credential, so that the time of a refusal does not tell whether one exists.
 */
export function spendVerification(stamp: Stamp, body: Uint8Array): void {
  if (stamp.kind === 'passkey') {
    decoys.SIGNATURE_SCHEME_TK_API_P256(signedMessage(stamp), stamp.signature);
    return;
  }
  const unnamed = stamp.publicKey.length === 64 ? 'SIGNATURE_SCHEME_TK_API_ED25519' : 'SIGNATURE_SCHEME_TK_API_P256';
  decoys[stamp.scheme ?? unnamed](body, stamp.signature);
}

/** What a passkey signs: its authenticator data and the hash of the client data. WebAuthn section 6.3.3 step 11. */
export function signedMessage(stamp: PasskeyStamp): Uint8Array {
  return Buffer.concat([stamp.authenticatorData, hash('sha256', stamp.clientDataJson, 'buffer')]);
}
