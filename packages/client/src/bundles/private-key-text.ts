import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';

/** The text forms of a 32-byte private key. `solana` is Base58 of the private and the public half of an ed25519 key. */
export const privateKeyFormats = ['hexadecimal', 'solana'] as const;

export type PrivateKeyFormat = (typeof privateKeyFormats)[number];

/** A private key as text. */
export function writePrivateKey(privateKey: Uint8Array, format: PrivateKeyFormat): string {
  if (format === 'hexadecimal') return bytesToHex(privateKey);
  return base58.encode(concatBytes(privateKey, ed25519.getPublicKey(privateKey)));
}

/**
 * The 32 bytes of a private key, from hexadecimal with or without `0x`, or from the form that Solana wallets use.
 * Undefined for anything else, and for a Solana key whose two halves do not match.
 */
export function readPrivateKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  const [, hex] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(trimmed) ?? [];
  if (hex !== undefined) return hexToBytes(hex);
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(trimmed);
  } catch {
    // SECURITY: the decoder's message repeats the text.
    return undefined;
  }
  if (bytes.length !== 64) return undefined;
  const privateKey = bytes.slice(0, 32);
  const belongs = bytesToHex(ed25519.getPublicKey(privateKey)) === bytesToHex(bytes.subarray(32));
  return belongs ? privateKey : undefined;
}
