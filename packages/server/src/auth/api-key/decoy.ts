import { generateKeyPairSync, hash } from 'node:crypto';
import { coseVerifier } from '../webauthn/cose-key.ts';
import type { PasskeyStamp } from './stamp.ts';

/** The COSE form of an ES256 key up to x, and between x and y (RFC 9053 section 7.1.1). */
const COSE_TO_X = Buffer.from('a5010203262001215820', 'hex');
const COSE_TO_Y = Buffer.from('225820', 'hex');

/**
 * A key like that of a passkey, new in each process.
 * SECURITY: the private key is discarded. A stamp that verifies for the decoy would not take the time of a rejection.
 */
const decoy = makeKey();

/**
 * Takes as long as rejecting this stamp for a registered passkey: prepares a key and verifies once.
 * SECURITY: call this when no passkey is found, so that the response time does not reveal whether one exists.
 */
export function spendVerification(stamp: PasskeyStamp): void {
  coseVerifier(decoy)(signedMessage(stamp), stamp.signature);
}

/** The bytes that a passkey signs: its authenticator data and the hash of the client data (WebAuthn section 6.3.3 step 11). */
export function signedMessage(stamp: PasskeyStamp): Uint8Array {
  return Buffer.concat([stamp.authenticatorData, hash('sha256', stamp.clientDataJson, 'buffer')]);
}

function makeKey(): Uint8Array {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // The last 64 bytes are x and y (RFC 5480 section 2.2).
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-64);
  return Buffer.concat([COSE_TO_X, point.subarray(0, 32), COSE_TO_Y, point.subarray(32)]);
}
