import { type SignerKey, type SigningRequest, tweakPublicKey } from '@countersign/chains';
import type { ActivityInput } from '@countersign/contract';
import { schnorr } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { AuditError, must } from '../audit-error.ts';
import type { SignatureChecks } from '../checks.ts';
import { fromHex, utf8 } from '../text.ts';

type Payload = Pick<ActivityInput<'signRawPayload'>, 'payload' | 'encoding' | 'hashFunction'>;

/** What a raw payload asks a key to sign. `typed` is the digest of a message with a meaning. */
export function requestOf(
  { payload, encoding, hashFunction }: Payload,
  { curve, addressFormat }: SignerKey,
  typed: Uint8Array | undefined,
): SigningRequest {
  if (typed !== undefined) return { kind: 'ecdsa', digest: typed };
  const isHex = encoding === 'PAYLOAD_ENCODING_HEXADECIMAL';
  must(isHex || encoding === 'PAYLOAD_ENCODING_TEXT_UTF8', 'a typed message must be signed alone');
  const message = isHex ? fromDigits(payload) : utf8(payload);
  if (curve === 'CURVE_ED25519') return { kind: 'ed25519', message };
  const digest = digests[hashFunction]?.(message);
  if (digest?.length !== 32) throw new AuditError(`${hashFunction} of the payload is not a digest`);
  // BIP-341: an address of a taproot output stands for its tweaked key, which signs by BIP-340.
  const isTaproot = addressFormat?.endsWith('_P2TR') === true;
  return isTaproot ? { kind: 'schnorr', digest, tapTweak: new Uint8Array() } : { kind: 'ecdsa', digest };
}

const digests: Readonly<Partial<Record<Payload['hashFunction'], (message: Uint8Array) => Uint8Array>>> = {
  HASH_FUNCTION_SHA256: sha256,
  HASH_FUNCTION_KECCAK256: keccak_256,
  HASH_FUNCTION_NO_OP: (message) => message,
};

function fromDigits(payload: string): Uint8Array {
  return fromHex(payload.replace(/^0x/i, '').toLowerCase(), 'a payload');
}

/** Checks that a key made a signature. Throws AuditError if it did not. */
export function verifyRequest(request: SigningRequest, signer: SignerKey, signature: Uint8Array, checks: SignatureChecks): void {
  must(holds(request, signer, signature, checks), 'the signature in the result does not verify with the key');
}

function holds(
  request: SigningRequest,
  { curve, publicKey }: SignerKey,
  signature: Uint8Array,
  checks: SignatureChecks,
): boolean {
  switch (request.kind) {
    case 'ed25519':
      return checks.ed25519(publicKey, request.message, signature);
    case 'schnorr':
      return checks.schnorr(outputKey(publicKey, request.tapTweak), request.digest, signature);
    case 'ecdsa':
      if (curve === 'CURVE_P256') return checks.p256Digest(publicKey, request.digest, signature);
      return checks.secp256k1(publicKey, request.digest, signature);
  }
}

/** BIP-341: the key with an even y, tweaked by its hash with a script root. */
function outputKey(publicKey: Uint8Array, tapTweak: Uint8Array | undefined): Uint8Array {
  const x = publicKey.slice(1);
  if (tapTweak === undefined) return x;
  const tweak = schnorr.utils.taggedHash('TapTweak', x, tapTweak);
  return tweakPublicKey(concatBytes(Uint8Array.of(0x02), x), tweak).slice(1);
}
