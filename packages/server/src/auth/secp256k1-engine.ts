import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type * as bindings from 'secp256k1';

/** Checks secp256k1 signatures. Both engines give the same answers. */
export interface Secp256k1Engine {
  readonly name: 'native' | 'portable';
  /** The form of a valid compressed key that `verify` is fastest with. */
  prepare(publicKey: Uint8Array): Uint8Array;
  /** Whether the signature (64 bytes, r and s in range) holds for the 32-byte digest. A high s is as good as a low one. */
  verify(signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array): boolean;
}

/** Pure JavaScript: for machines on which the native addon does not load. */
export const portableSecp256k1: Secp256k1Engine = Object.freeze({
  name: 'portable',
  prepare: (publicKey: Uint8Array) => secp256k1.Point.fromBytes(publicKey).toBytes(false),
  verify: (signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array) =>
    secp256k1.verify(signature, digest, prepared, { prehash: false, lowS: false }),
});

/** libsecp256k1, or undefined where its addon does not load or gives a wrong answer. */
export const nativeSecp256k1: Secp256k1Engine | undefined = loadNative();

/** The faster engine that works here. */
export const secp256k1Engine: Secp256k1Engine = nativeSecp256k1 ?? portableSecp256k1;

function loadNative(): Secp256k1Engine | undefined {
  let native: typeof bindings;
  try {
    // SECURITY: the package's main entry falls back to another library without a word; its bindings alone load or fail.
    native = createRequire(import.meta.url)('secp256k1/bindings.js');
  } catch {
    // No prebuilt addon for this platform and none could be compiled: the portable engine serves.
    return undefined;
  }
  const engine: Secp256k1Engine = Object.freeze({
    name: 'native',
    // Keeping the uncompressed form saves a square root, a third of the time of each check.
    prepare: (publicKey: Uint8Array) => native.publicKeyConvert(publicKey, false),
    // The library holds only low s for valid, and normalizes in place: hence the copy.
    verify: (signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array) =>
      native.ecdsaVerify(native.signatureNormalize(Uint8Array.from(signature)), digest, prepared),
  });
  return passesSelfTest(engine) ? engine : undefined;
}

/** A known answer: with the private key 1 the public key is the generator, and r = x(G), s = digest + r is made with the nonce 1. */
function passesSelfTest(engine: Secp256k1Engine): boolean {
  const { BASE, Fn } = secp256k1.Point;
  const digest = new Uint8Array(32).fill(7);
  const r = Fn.create(BASE.x);
  const s = Fn.add(r, Fn.fromBytes(digest));
  const key = engine.prepare(BASE.toBytes(true));
  const signature = (sValue: bigint) => Uint8Array.from([...Fn.toBytes(r), ...Fn.toBytes(sValue)]);
  const holds = engine.verify(signature(s), digest, key) && engine.verify(signature(Fn.neg(s)), digest, key);
  return holds && !engine.verify(signature(Fn.add(s, Fn.ONE)), digest, key);
}
