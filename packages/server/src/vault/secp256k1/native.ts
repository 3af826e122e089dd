import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { RawSignature } from '@countersign/chains';
import { type Addon, type CheckAll, type SystemSigner, TableCache } from '@countersign/native';
import { halfOrders, hasLowS } from '../keys/low-s.ts';
import { hasEvenY, taggedHash } from './bip340.ts';
import { reduceDigest } from './reduce-digest.ts';
import type { EcdsaVerifier, Secp256k1 } from './secp256k1.ts';

type Bindings = typeof import('secp256k1');

/**
 * The addon itself. SECURITY: never the package's main entry, which silently falls back to another implementation.
 * Throws when there is no addon for this platform.
 */
function loadBindings(): Bindings {
  const require = createRequire(import.meta.url);
  const bindings: Bindings = require('secp256k1/bindings.js');
  const isAddon = (file: string) => file.includes('secp256k1') && file.endsWith('.node');
  if (!Object.keys(require.cache).some(isAddon)) throw new Error('secp256k1/bindings.js loaded no native addon');
  return bindings;
}

/** libsecp256k1: constant-time on secrets. Throws when the addon does not load. */
export function loadNativeSecp256k1(): Secp256k1 {
  const k1 = loadBindings();
  // libsecp256k1 blinds its secret computations with this, against side channels.
  k1.contextRandomize(randomBytes(32));

  return Object.freeze<Secp256k1>({
    engine: 'native',
    isPrivateKey: (privateKey) => privateKey.length === 32 && k1.privateKeyVerify(privateKey),
    publicKey: (privateKey) => k1.publicKeyCreate(privateKey, true),
    addToPrivateKey(privateKey, tweak) {
      try {
        k1.privateKeyTweakAdd(privateKey, tweak);
        return true;
      } catch {
        // The lengths are right, so the tweak or the sum is out of range.
        return false;
      }
    },
    negatePrivateKey: (privateKey) => void k1.privateKeyNegate(privateKey),
    addToPublicKey: (publicKey, tweak) => k1.publicKeyTweakAdd(publicKey, tweak, true),

    signEcdsa(digest, privateKey) {
      const { signature, recid } = k1.ecdsaSign(reduceDigest(digest), privateKey);
      return { bytes: signature, recovery: recid as 0 | 1 };
    },

    verifyEcdsa({ bytes, recovery }, digest, publicKey) {
      // The wire has no room for a recovery id of 2 or 3, which comes once in 2^127.
      if (recovery > 1 || !hasLowS(bytes, halfOrders.CURVE_SECP256K1)) return false;
      try {
        // Recovery costs as much as verification, and checks the recovery bit too.
        return Buffer.compare(k1.ecdsaRecover(bytes, recovery, digest, true), publicKey) === 0;
      } catch {
        // No key fits such a signature.
        return false;
      }
    },

    signSchnorr(digest, privateKey, auxiliary) {
      const publicKey = k1.publicKeyCreate(privateKey, true);
      const secret = Uint8Array.from(privateKey);
      if (!hasEvenY(publicKey)) k1.privateKeyNegate(secret);

      const masked = taggedHash('auxiliary', auxiliary);
      for (let i = 0; i < 32; i++) masked[i] = (masked[i] as number) ^ (secret[i] as number);
      // Once in 2^128 a nonce or challenge is zero or not below n. Then the calls below throw.
      const nonce = taggedHash('nonce', masked, publicKey.subarray(1), digest);
      const noncePoint = k1.publicKeyCreate(nonce, true);
      if (!hasEvenY(noncePoint)) k1.privateKeyNegate(nonce);

      const challenge = taggedHash('challenge', noncePoint.subarray(1), publicKey.subarray(1), digest);
      const signature = new Uint8Array(64);
      signature.set(noncePoint.subarray(1));
      // s = k + e d
      signature.set(k1.privateKeyTweakAdd(k1.privateKeyTweakMul(secret, challenge), nonce), 32);
      for (const bytes of [secret, masked, nonce]) bytes.fill(0);
      return signature;
    },

    verifySchnorr(signature, digest, publicKey) {
      const r = signature.subarray(0, 32);
      const even = Uint8Array.of(0x02, ...publicKey.subarray(1));
      const challenge = taggedHash('challenge', r, even.subarray(1), digest);
      try {
        // R = s G - e P, and the R of a valid signature has an even y.
        const eP = k1.publicKeyNegate(k1.publicKeyTweakMul(even, challenge, true), true);
        const point = k1.publicKeyCombine([k1.publicKeyCreate(signature.subarray(32), true), eP], true);
        return hasEvenY(point) && Buffer.compare(point.subarray(1), r) === 0;
      } catch {
        // The public key, s or the sum is not a point or number of the curve.
        return false;
      }
    },
  });
}

const SIGNATURE_BYTES = 64;

/** An engine that signs ECDSA with the system's libsecp256k1, and delegates other operations to the given engine. */
export function withSystemSigner(engine: Secp256k1, system: SystemSigner): Secp256k1 {
  // libsecp256k1 blinds its secret computations with this seed, against side channels.
  system.secp256k1Randomize(randomBytes(32));
  return Object.freeze<Secp256k1>({
    ...engine,
    signEcdsa(digest, privateKey) {
      const signature = new Uint8Array(SIGNATURE_BYTES + 1);
      if (!system.secp256k1Sign(reduceDigest(digest), privateKey, signature)) throw new Error('the private key is invalid');
      return { bytes: signature.subarray(0, SIGNATURE_BYTES), recovery: signature[SIGNATURE_BYTES] as 0 | 1 };
    },
  });
}

/** r, s and the recovery bit, as the addon takes them. */
const PACKED_BYTES = 65;
const DIGEST_BYTES = 32;

/** A table takes 150 KB, and as long to compute as twenty verifications without a table. */
const rules = { capacity: 256, usesBefore: 64, idleUses: 32_768 };

/** An engine that verifies with precomputed tables of frequently used keys, and delegates other operations to the given engine. */
export function withTables(engine: Secp256k1, addon: Addon): Secp256k1 {
  const tables = new TableCache<CheckAll>(rules);

  function openVerifier(publicKey: Uint8Array): EcdsaVerifier {
    const withoutTable = addon.secp256k1Checker(publicKey, false);
    const key = tables.key(() => addon.secp256k1Checker(publicKey, true));
    return {
      verify(signatures, digests) {
        if (signatures.length !== digests.length || digests.length === 0) return false;
        key.use(digests.length);
        return (key.table ?? withoutTable)(packSignatures(signatures), packDigests(digests));
      },
      release: () => key.release(),
    };
  }

  return Object.freeze<Secp256k1>({ ...engine, openVerifier });
}

/** INVARIANT: every digest has 32 bytes. */
function packDigests(digests: readonly Uint8Array[]): Uint8Array {
  if (digests.length === 1) return digests[0] as Uint8Array;
  const packed = new Uint8Array(digests.length * DIGEST_BYTES);
  digests.forEach((digest, index) => {
    packed.set(digest, index * DIGEST_BYTES);
  });
  return packed;
}

function packSignatures(signatures: readonly RawSignature[]): Uint8Array {
  const packed = Buffer.allocUnsafe(signatures.length * PACKED_BYTES);
  signatures.forEach(({ bytes, recovery }, index) => {
    packed.set(bytes, index * PACKED_BYTES);
    packed[(index + 1) * PACKED_BYTES - 1] = recovery;
  });
  return packed;
}
