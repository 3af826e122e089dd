import { ServiceError } from '@countersign/contract';
import { type JsonObject, readStrictJson } from '@countersign/strict-json';
import type { HpkeMessage } from '../../vault/transfers/hpke.ts';

const LIMITS = Object.freeze({ depth: 1, values: 4, names: 4 });
const ENCAPPED = /^04[0-9a-f]{128}$/i;
/** At least 16 bytes, the length of the AES-GCM tag. */
const CIPHERTEXT = /^([0-9a-f]{2}){16,}$/i;

/** Parses the JSON text of a message that a caller encrypted to a target. Decrypts nothing. Throws BUNDLE_INVALID. */
export function readEncryptedBundle(text: string, field: string): HpkeMessage {
  const { encappedPublic, ciphertext, ...others } = parse(text);
  const isExact = typeof encappedPublic === 'string' && typeof ciphertext === 'string' && Object.keys(others).length === 0;
  if (!isExact || !ENCAPPED.test(encappedPublic) || !CIPHERTEXT.test(ciphertext)) {
    const description = 'must be the JSON text of encappedPublic, 130 hexadecimal digits, and ciphertext, hexadecimal';
    throw new ServiceError('BUNDLE_INVALID', `invalid request: ${field} ${description}`, {
      violations: [{ field, description }],
    });
  }
  return { encappedPublic: Buffer.from(encappedPublic, 'hex'), ciphertext: Buffer.from(ciphertext, 'hex') };
}

function parse(text: string): JsonObject {
  try {
    const value = readStrictJson(text, LIMITS);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    // SECURITY: do not repeat the input, which may be a secret. An empty object leads to an error that describes the expected format.
    return {};
  }
}
