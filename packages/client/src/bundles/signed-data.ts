import { p256 } from '@noble/curves/nist.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { invalidBundle } from './hpke.ts';

/**
 * Checks that the service signed a bundle with this key (uncompressed, hexadecimal) and returns its data.
 * SECURITY: the key comes from the caller. The key inside the bundle proves nothing.
 */
export function readSignedData(bundle: string, signerPublicKey: string): Readonly<Record<string, string>> {
  const { version, data, dataSignature, enclaveQuorumPublic } = readTexts(bundle);
  if (version !== 'v1.0.0' || data === undefined || dataSignature === undefined) throw invalidBundle('its format is not known');
  if (enclaveQuorumPublic !== signerPublicKey.toLowerCase()) throw invalidBundle('it was signed with an unexpected key');
  const bytes = toBytes(data);
  if (!verifies(toBytes(dataSignature), bytes, toBytes(signerPublicKey))) throw invalidBundle('its signature is wrong');
  return readTexts(new TextDecoder().decode(bytes));
}

function verifies(signature: Uint8Array, data: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return p256.verify(signature, data, publicKey, { format: 'der' });
  } catch {
    // Invalid signatures and points do not verify.
    return false;
  }
}

function readTexts(json: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && Object.values(value).every((field) => typeof field === 'string'))
      return value as Record<string, string>;
  } catch {
    // Not JSON. The error below covers this.
  }
  throw invalidBundle('its format is not known');
}

/** The bytes of hexadecimal text from a bundle. */
export function toBytes(hex: string | undefined): Uint8Array {
  try {
    return hexToBytes(hex ?? '');
  } catch (cause) {
    throw invalidBundle('its format is not known', cause);
  }
}
