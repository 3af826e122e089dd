import { hash } from 'node:crypto';
import { schemes } from './schemes.ts';
import type { PasskeyStamp } from './stamp.ts';

/** A verifier for the curve's base point: a valid key that nobody would register. */
const decoy = schemes.SIGNATURE_SCHEME_TK_API_P256.prepare('036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296');

/**
 * Takes as long as checking this stamp against a registered passkey, and drops the result.
 * SECURITY: callers use this when they find no passkey, so that the time of a refusal does not reveal whether one exists.
 */
export function spendVerification(stamp: PasskeyStamp): void {
  decoy(signedMessage(stamp), stamp.signature);
}

/** The bytes that a passkey signs: its authenticator data and the hash of the client data (WebAuthn section 6.3.3 step 11). */
export function signedMessage(stamp: PasskeyStamp): Uint8Array {
  return Buffer.concat([stamp.authenticatorData, hash('sha256', stamp.clientDataJson, 'buffer')]);
}
