import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** RFC 8017 section 9.2, note 1: the DER before a SHA-256 digest. */
const DIGEST_INFO = '3031300d060960864801650304020105000420';

/**
 * RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2.2). `key` is what follows the head of the modulus in the COSE key, in hex: its
 * length, n, then label -2 and e.
 */
export function verifyRs256(key: string, message: Uint8Array, signature: Uint8Array): boolean {
  const lengthDigits = key.length > 520 ? 4 : 2;
  const modulusLength = Number.parseInt(key.slice(0, lengthDigits), 16);
  const n = key.slice(lengthDigits, lengthDigits + 2 * modulusLength);
  const tail = key.slice(lengthDigits + 2 * modulusLength);
  const exponentLength = Number.parseInt(tail.slice(2, 4), 16) - 0x40;
  const e = tail.slice(4);
  const isSound = modulusLength >= 256 && tail.startsWith('21') && exponentLength >= 1 && exponentLength <= 4;
  if (!isSound || e.length !== 2 * exponentLength || signature.length !== modulusLength) return false;
  const modulus = BigInt(`0x${n}`);
  const value = BigInt(`0x${bytesToHex(signature)}`);
  if (value >= modulus) return false;
  const digest = bytesToHex(sha256(message));
  const padding = 'ff'.repeat(modulusLength - 3 - DIGEST_INFO.length / 2 - 32);
  return power(value, BigInt(`0x${e}`), modulus) === BigInt(`0x0001${padding}00${DIGEST_INFO}${digest}`);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let product = 1n;
  for (let factor = base, left = exponent; left > 0n; left >>= 1n, factor = (factor * factor) % modulus)
    if ((left & 1n) === 1n) product = (product * factor) % modulus;
  return product;
}
