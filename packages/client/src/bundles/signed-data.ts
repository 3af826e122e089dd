import { p256 } from '@noble/curves/nist.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { invalidBundle } from './hpke.ts';

/**
 * The data of a bundle that the service signed with this key (uncompressed, hexadecimal), once the signature was found to hold.
 * SECURITY: the key is the caller's; the one that the bundle brings along proves nothing.
 */
export function readSignedData(bundle: string, signerPublicKey: string): Readonly<Record<string, string>> {
  const { version, data, dataSignature, enclaveQuorumPublic } = readTexts(bundle);
  if (version !== 'v1.0.0' || data === undefined || dataSignature === undefined) throw invalidBundle('it is not of a known form');
  if (enclaveQuorumPublic !== signerPublicKey.toLowerCase()) throw invalidBundle('another key signed it than the one expected');
  const bytes = toBytes(data);
  if (!verifies(toBytes(dataSignature), bytes, toBytes(signerPublicKey))) throw invalidBundle('its signature is wrong');
  return readTexts(new TextDecoder().decode(bytes));
}

function verifies(signature: Uint8Array, data: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return p256.verify(signature, data, publicKey, { format: 'der' });
  } catch {
    // Bytes that are no signature or no point do not verify anything.
    return false;
  }
}

function readTexts(json: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && Object.values(value).every((field) => typeof field === 'string'))
      return value as Record<string, string>;
  } catch {
    // Not JSON: the refusal below says what matters.
  }
  throw invalidBundle('it is not of a known form');
}

/** The bytes of hexadecimal text within a bundle. */
export function toBytes(hex: string | undefined): Uint8Array {
  try {
    return hexToBytes(hex ?? '');
  } catch (cause) {
    throw invalidBundle('it is not of a known form', cause);
  }
}
