import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { secp256k1Engine } from '@countersign/server';
import { type Hasher, portableChecks, type SignatureChecks } from '@countersign/verify';

// The DER before the key's bytes: RFC 5480 section 2 with the compressed and the uncompressed point of section 2.2, and RFC 8410 section 4.
const SPKI: Readonly<Record<number, Buffer>> = {
  33: Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
  65: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
  32: Buffer.from('302a300506032b6570032100', 'hex'),
};

const MAX_KEYS = 10_000;
const keys = new Map<string, KeyObject>();
const points = new Map<string, Uint8Array>();

/** What is made of a public key, once. */
function remembered<T>(known: Map<string, T>, publicKey: Uint8Array, make: () => T): T {
  const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('latin1');
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MAX_KEYS) known.clear();
  const made = make();
  known.set(name, made);
  return made;
}

function keyOf(publicKey: Uint8Array): KeyObject {
  const prefix = SPKI[publicKey.length] ?? Buffer.alloc(0);
  return remembered(keys, publicKey, () =>
    createPublicKey({ key: Buffer.concat([prefix, publicKey]), format: 'der', type: 'spki' }),
  );
}

/** Node and libsecp256k1 throw for bytes that are no key or no signature. Neither verifies. */
function orFalse(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

/** Checks by OpenSSL and libsecp256k1. A digest alone, and BIP-340, are checked by the portable code: OpenSSL has neither. */
export const nativeChecks: SignatureChecks = {
  ...portableChecks,
  p256: (publicKey, message, signature) =>
    orFalse(() => verify('sha256', message, { key: keyOf(publicKey), dsaEncoding: 'ieee-p1363' }, signature)),
  secp256k1: (publicKey, digest, signature) =>
    orFalse(() => {
      const point = remembered(points, publicKey, () => secp256k1Engine.prepare(publicKey));
      return signature.length === 64 && secp256k1Engine.verify(signature, digest, point);
    }),
  ed25519: (publicKey, message, signature) => orFalse(() => verify(null, message, keyOf(publicKey), signature)),
};

export function createHasher(): Hasher {
  const hash = createHash('sha256');
  return { update: (bytes) => hash.update(bytes), digest: () => new Uint8Array(hash.digest()) };
}
