import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Curve } from '../curve.ts';
import { HARDENED_OFFSET, parsePath, requirePathForCurve } from './path.ts';

/** The HMAC key that turns a seed into the master key of each curve (BIP-32, SLIP-10). */
export const masterHmacKeys: Readonly<Record<Curve, string>> = Object.freeze({
  CURVE_SECP256K1: 'Bitcoin seed',
  CURVE_ED25519: 'ed25519 seed',
  CURVE_P256: 'Nist256p1 seed',
});

/** A key pair. The caller wipes `privateKey` when done. */
export interface KeyPair {
  /** 32 bytes: the scalar, or the RFC 8032 seed of an ed25519 key. */
  readonly privateKey: Uint8Array;
  /** Compressed (33 bytes) for secp256k1 and P-256, 32 bytes for ed25519. */
  readonly publicKey: Uint8Array;
}

interface Node {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

interface CurveRules {
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The key from 32 bytes of key material, added to the parent key if given. Undefined when the material gives no valid key. */
  key(material: Uint8Array, parent?: Uint8Array): Uint8Array | undefined;
}

function weierstrass({ Point, getPublicKey }: typeof secp256k1): CurveRules {
  const { Fn } = Point;
  return {
    publicKey: (privateKey) => getPublicKey(privateKey, true),
    key(material, parent) {
      const addend = Fn.fromBytes(material, true);
      // SLIP-10: the material must be below the order, and the resulting key must not be zero.
      if (!Fn.isValid(addend)) return undefined;
      const scalar = parent === undefined ? addend : Fn.add(addend, Fn.fromBytes(parent));
      return Fn.is0(scalar) ? undefined : Fn.toBytes(scalar);
    },
  };
}

const rules: Readonly<Record<Curve, CurveRules>> = {
  CURVE_SECP256K1: weierstrass(secp256k1),
  CURVE_P256: weierstrass(p256),
  CURVE_ED25519: { publicKey: ed25519.getPublicKey, key: (material) => material.slice() },
};

function wipe(...secrets: readonly Uint8Array[]): void {
  for (const secret of secrets) secret.fill(0);
}

/** HMAC-SHA-512 split into key material and chain code. Wipes `data`. */
function expand(key: Uint8Array, data: Uint8Array): { material: Uint8Array; chainCode: Uint8Array } {
  const digest = hmac(sha512, key, data);
  const halves = { material: digest.slice(0, 32), chainCode: digest.slice(32) };
  wipe(digest, data);
  return halves;
}

function masterNode(seed: Uint8Array, curve: Curve): Node {
  const hmacKey = utf8ToBytes(masterHmacKeys[curve]);
  // Copy before wiping: slice() of a Node Buffer would share the caller's memory.
  for (let data = Uint8Array.from(seed); ; ) {
    const { material, chainCode } = expand(hmacKey, data);
    const privateKey = rules[curve].key(material);
    // SLIP-10: when the material gives no key, hash the whole digest again. BIP-32 calls such a seed invalid; for secp256k1 the
    // odds are 1 in 2^127.
    data = privateKey === undefined ? concatBytes(material, chainCode) : data;
    wipe(material);
    if (privateKey !== undefined) return { privateKey, chainCode };
  }
}

function childNode(parent: Node, index: number, curve: Curve): Node {
  const { key, publicKey } = rules[curve];
  const indexBytes = Uint8Array.of(index >>> 24, index >>> 16, index >>> 8, index);
  const hardened = index >= HARDENED_OFFSET;
  let data = hardened
    ? concatBytes(Uint8Array.of(0x00), parent.privateKey, indexBytes)
    : concatBytes(publicKey(parent.privateKey), indexBytes);
  for (;;) {
    const { material, chainCode } = expand(parent.chainCode, data);
    const privateKey = key(material, parent.privateKey);
    wipe(material);
    if (privateKey !== undefined) return { privateKey, chainCode };
    // SLIP-10: the material gives no key (1 in 2^32 on P-256), so hash the right half again.
    data = concatBytes(Uint8Array.of(0x01), chainCode, indexBytes);
  }
}

/**
 * Derives the key at a path: BIP-32 for secp256k1, SLIP-10 for ed25519 and P-256. The seed stays unchanged.
 * Throws RangeError unless the seed has 16 to 64 bytes, and ChainError INVALID_PATH for a malformed path or a step that the
 * curve does not have.
 * SECURITY: every intermediate buffer is wiped, but scalars pass through bigints, which JavaScript cannot wipe.
 */
export function deriveKey({ seed, curve, path }: { seed: Uint8Array; curve: Curve; path: string }): KeyPair {
  const indexes = parsePath(path);
  requirePathForCurve(indexes, curve);
  if (seed.length < 16 || seed.length > 64) throw new RangeError('a seed must have 16 to 64 bytes');

  let node = masterNode(seed, curve);
  for (const index of indexes) {
    const child = childNode(node, index, curve);
    wipe(node.privateKey, node.chainCode);
    node = child;
  }
  wipe(node.chainCode);
  return { privateKey: node.privateKey, publicKey: rules[curve].publicKey(node.privateKey) };
}
