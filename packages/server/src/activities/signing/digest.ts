import { hash } from 'node:crypto';
import type { Curve, SigningRequest } from '@countersign/chains';
import { type HashFunction, type PayloadEncoding, ServiceError } from '@countersign/contract';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** What a raw payload asks a key of this curve to sign. Throws PAYLOAD_INVALID where payload, encoding, hash and curve do not fit. */
export function signingRequest(
  payload: string,
  encoding: PayloadEncoding,
  hashFunction: HashFunction,
  curve: Curve,
  field: string,
): SigningRequest {
  const message = decoders[encoding](payload, field);
  if (curve === 'CURVE_ED25519') {
    if (hashFunction !== 'HASH_FUNCTION_NOT_APPLICABLE') {
      throw refuse(
        'hashFunction',
        'invalid hash function: an ed25519 key signs the message itself; use HASH_FUNCTION_NOT_APPLICABLE',
      );
    }
    return { kind: 'ed25519', message };
  }
  switch (hashFunction) {
    case 'HASH_FUNCTION_SHA256':
      return { kind: 'ecdsa', digest: hash('sha256', message, 'buffer') };
    case 'HASH_FUNCTION_KECCAK256':
      return { kind: 'ecdsa', digest: keccak_256(message) };
    case 'HASH_FUNCTION_NO_OP':
      if (message.length !== 32)
        throw refuse(
          field,
          `invalid payload: HASH_FUNCTION_NO_OP signs a digest of 32 bytes, this payload has ${message.length}`,
        );
      return { kind: 'ecdsa', digest: message };
    case 'HASH_FUNCTION_NOT_APPLICABLE':
      throw refuse(
        'hashFunction',
        `invalid hash function: HASH_FUNCTION_NOT_APPLICABLE is for ed25519 keys, this key is ${curve}`,
      );
  }
}

const decoders: Readonly<Record<PayloadEncoding, (payload: string, field: string) => Uint8Array>> = {
  PAYLOAD_ENCODING_HEXADECIMAL(payload, field) {
    const digits = payload.startsWith('0x') || payload.startsWith('0X') ? payload.slice(2) : payload;
    if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
      throw refuse(field, 'invalid payload encoding: PAYLOAD_ENCODING_HEXADECIMAL needs an even number of hexadecimal digits');
    }
    return Buffer.from(digits, 'hex');
  },
  PAYLOAD_ENCODING_TEXT_UTF8: (payload) => Buffer.from(payload, 'utf8'),
};

function refuse(field: string, description: string): ServiceError {
  return new ServiceError('PAYLOAD_INVALID', description, { violations: [{ field, description }] });
}
