import { createRequire } from 'node:module';
import { tweakPublicKey } from '@countersign/chains';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import type * as bindings from 'secp256k1';

/** Checks secp256k1 signatures, and adds to public keys. All engines agree on every input. */
export interface Secp256k1Engine {
  readonly name: 'native' | 'wasm' | 'portable';
  /** Turns a valid compressed key into the form that is fastest for `verify`. */
  prepare(publicKey: Uint8Array): Uint8Array;
  /** Whether the signature (64 bytes, r and s in range) verifies for the 32-byte digest. Accepts a high s and a low s. */
  verify(signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array): boolean;
  /** Recovers the uncompressed key of a signature (64 bytes, r and s in range). Undefined if there is no such key. */
  recover(signature: Uint8Array, digest: Uint8Array, recovery: 0 | 1): Uint8Array | undefined;
  /** The compressed key plus `tweak` times the generator. Throws for a tweak that is not below the order, or a sum at infinity. */
  tweakPublicKey(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array;
}

/** Pure JavaScript, if neither the native addon nor WebAssembly loads. */
export const portableSecp256k1: Secp256k1Engine = Object.freeze({
  name: 'portable',
  prepare: (publicKey: Uint8Array) => secp256k1.Point.fromBytes(publicKey).toBytes(false),
  verify: (signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array) =>
    secp256k1.verify(signature, digest, prepared, { prehash: false, lowS: false }),
  recover: (signature: Uint8Array, digest: Uint8Array, recovery: 0 | 1) =>
    orUndefined(() => secp256k1.Signature.fromBytes(signature).addRecoveryBit(recovery).recoverPublicKey(digest).toBytes(false)),
  tweakPublicKey,
});

/** libsecp256k1. Undefined if its addon does not load or gives a wrong answer. */
export const nativeSecp256k1: Secp256k1Engine | undefined = loadNative();

/** The fastest engine that works here. */
export const secp256k1Engine: Secp256k1Engine = nativeSecp256k1 ?? loadWasm() ?? portableSecp256k1;

function loadNative(): Secp256k1Engine | undefined {
  let native: typeof bindings;
  try {
    // SECURITY: the package's main entry silently falls back to another library. Its bindings load or fail.
    native = createRequire(import.meta.url)('secp256k1/bindings.js');
  } catch {
    // No addon for this platform, and none could be compiled: use the portable engine.
    return undefined;
  }
  const engine: Secp256k1Engine = Object.freeze({
    name: 'native',
    // The uncompressed form saves a square root: a third of the time of each check.
    prepare: (publicKey: Uint8Array) => native.publicKeyConvert(publicKey, false),
    // The library accepts a low s only, and normalizes in place: hence the copy.
    verify: (signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array) =>
      native.ecdsaVerify(native.signatureNormalize(Uint8Array.from(signature)), digest, prepared),
    recover: (signature: Uint8Array, digest: Uint8Array, recovery: 0 | 1) =>
      orUndefined(() => native.ecdsaRecover(signature, recovery, digest, false)),
    tweakPublicKey: (publicKey: Uint8Array, tweak: Uint8Array) => native.publicKeyTweakAdd(publicKey, tweak, true),
  });
  return passesSelfTest(engine) ? engine : undefined;
}

/**
 * libsecp256k1 as WebAssembly. Undefined if it does not load or gives a wrong answer.
 * SECURITY: D506: a call that fails inside WebAssembly does not free its stack there, and some thousand of them break every later call.
 * So points are checked with `isPoint`, which does not fail, before another function gets them.
 */
export function loadWasm(): Secp256k1Engine | undefined {
  let wasm: typeof import('tiny-secp256k1');
  try {
    wasm = createRequire(import.meta.url)('tiny-secp256k1');
  } catch {
    return undefined;
  }
  const requirePoint = (publicKey: Uint8Array) => {
    if (!wasm.isPoint(publicKey)) throw new TypeError('the public key is not a point of the curve');
  };
  const engine: Secp256k1Engine = Object.freeze({
    name: 'wasm',
    prepare(publicKey: Uint8Array) {
      requirePoint(publicKey);
      return wasm.pointCompress(publicKey, false);
    },
    verify: (signature: Uint8Array, digest: Uint8Array, prepared: Uint8Array) => wasm.verify(digest, prepared, signature),
    recover: (signature: Uint8Array, digest: Uint8Array, recovery: 0 | 1) =>
      orUndefined(() => wasm.recover(digest, signature, recovery, false)),
    tweakPublicKey(publicKey: Uint8Array, tweak: Uint8Array) {
      requirePoint(publicKey);
      const sum = wasm.pointAddScalar(publicKey, tweak, true);
      if (sum === null) throw new TypeError('the sum is not a point of the curve');
      return sum;
    },
  });
  return passesSelfTest(engine) ? engine : undefined;
}

/** The libraries throw if no point has this r. The lengths are correct, so nothing else can fail. */
function orUndefined(recover: () => Uint8Array | null): Uint8Array | undefined {
  try {
    return recover() ?? undefined;
  } catch {
    return undefined;
  }
}

/** A known answer: private key 1 has the generator as its public key, and nonce 1 gives r = x(G), s = digest + r. */
function passesSelfTest(engine: Secp256k1Engine): boolean {
  const { BASE, Fn } = secp256k1.Point;
  const digest = new Uint8Array(32).fill(7);
  const r = Fn.create(BASE.x);
  const s = Fn.add(r, Fn.fromBytes(digest));
  const key = engine.prepare(BASE.toBytes(true));
  const signature = (sValue: bigint) => Uint8Array.from([...Fn.toBytes(r), ...Fn.toBytes(sValue)]);
  // The point of nonce 1 is the generator, whose y is even.
  const recovered = engine.recover(signature(s), digest, 0);
  if (recovered === undefined || !Buffer.from(recovered).equals(BASE.toBytes(false))) return false;
  const holds = engine.verify(signature(s), digest, key) && engine.verify(signature(Fn.neg(s)), digest, key);
  // G plus six times G is seven times G. Doubling and adding needs no table, which would slow down startup.
  const sum = engine.tweakPublicKey(BASE.toBytes(true), Fn.toBytes(6n));
  if (!equalBytes(sum, BASE.double().add(BASE).double().add(BASE).toBytes(true))) return false;
  return holds && !engine.verify(signature(Fn.add(s, Fn.ONE)), digest, key);
}
