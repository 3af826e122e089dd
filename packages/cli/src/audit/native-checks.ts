import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { secp256k1Engine } from '@countersign/server';
import { type Hasher, portableChecks, type SignatureChecks } from '@countersign/verify';

// DER prefixes of public keys: RFC 5480 sections 2 and 2.2 (compressed and uncompressed points), and RFC 8410 section 4.
const SPKI: Readonly<Record<number, Buffer>> = {
  33: Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
  65: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
  32: Buffer.from('302a300506032b6570032100', 'hex'),
};

const MAX_KEYS = 10_000;
const keys = new Map<string, KeyObject>();
const points = new Map<string, Uint8Array>();

/** Memoizes a value by public key. */
function memoize<T>(known: Map<string, T>, publicKey: Uint8Array, make: () => T): T {
  const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('latin1');
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MAX_KEYS) known.clear();
  const value = make();
  known.set(name, value);
  return value;
}

function keyOf(publicKey: Uint8Array): KeyObject {
  const prefix = SPKI[publicKey.length] ?? Buffer.alloc(0);
  return memoize(keys, publicKey, () =>
    createPublicKey({ key: Buffer.concat([prefix, publicKey]), format: 'der', type: 'spki' }),
  );
}

/** Node and libsecp256k1 throw for invalid keys and signatures. Those do not verify. */
function orFalse(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

/** Signature checks by OpenSSL and libsecp256k1. The portable code checks prehashed messages and BIP-340, which OpenSSL lacks. */
export const nativeChecks: SignatureChecks = {
  ...portableChecks,
  p256: (publicKey, message, signature) =>
    orFalse(() => verify('sha256', message, { key: keyOf(publicKey), dsaEncoding: 'ieee-p1363' }, signature)),
  secp256k1: (publicKey, digest, signature) =>
    orFalse(() => {
      const point = memoize(points, publicKey, () => secp256k1Engine.prepare(publicKey));
      return signature.length === 64 && secp256k1Engine.verify(signature, digest, point);
    }),
  ed25519: (publicKey, message, signature) => orFalse(() => verify(null, message, keyOf(publicKey), signature)),
};

export function createHasher(): Hasher {
  const hash = createHash('sha256');
  return { update: (bytes) => hash.update(bytes), digest: () => new Uint8Array(hash.digest()) };
}
