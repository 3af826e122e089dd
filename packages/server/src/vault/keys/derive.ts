import { createHmac } from 'node:crypto';
import { type Curve, HARDENED_OFFSET, masterHmacKeys, parsePath, requirePathForCurve } from '@countersign/chains';
import { createSlices, mapInSlices } from '../../admission/index.ts';
import type { KeysByCurve } from '../curves/by-curve.ts';
import type { CurveKeys } from '../curves/curve-keys.ts';
import type { AccountDerivation } from '../vault.ts';
import { Secret } from './secret.ts';

/** A private key and its chain code, 32 bytes each. */
interface Node {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

/** HMAC-SHA-512: 32 bytes of key material and a chain code. */
function expand(
  key: Uint8Array | string,
  ...data: readonly Uint8Array[]
): { material: Buffer; chainCode: Buffer; digest: Buffer } {
  const hmac = createHmac('sha512', key);
  for (const part of data) hmac.update(part);
  const digest = hmac.digest();
  return { material: digest.subarray(0, 32), chainCode: digest.subarray(32), digest };
}

function masterNode(seed: Uint8Array, curve: Curve, keys: CurveKeys): Node {
  let { material, chainCode, digest } = expand(masterHmacKeys[curve], seed);
  while (!keys.isPrivateKey(material)) {
    // SLIP-10: once in 2^32 for P-256. The whole digest is the next seed.
    const next = expand(masterHmacKeys[curve], digest);
    digest.fill(0);
    ({ material, chainCode, digest } = next);
  }
  return { privateKey: material, chainCode };
}

function childNode(parent: Node, index: number, keys: CurveKeys): Node {
  const suffix = Buffer.alloc(4);
  suffix.writeUInt32BE(index);
  let { material, chainCode } =
    index >= HARDENED_OFFSET
      ? expand(parent.chainCode, Uint8Array.of(0x00), parent.privateKey, suffix)
      : expand(parent.chainCode, keys.publicKey(parent.privateKey), suffix);
  for (;;) {
    // Not `slice`: for a Buffer it gives a view of the parent's bytes, not a copy.
    const privateKey = Uint8Array.from(parent.privateKey);
    const taken = keys.addMaterial(privateKey, material);
    material.fill(0);
    if (taken) return { privateKey, chainCode };
    // SLIP-10: the material does not give a key. Try again with the right half.
    ({ material, chainCode } = expand(parent.chainCode, Uint8Array.of(0x01), chainCode, suffix));
  }
}

function wipe({ privateKey, chainCode }: Node): void {
  privateKey.fill(0);
  chainCode.fill(0);
}

/**
 * The private key at a path: BIP-32 for secp256k1, SLIP-10 for ed25519 and P-256, by native code. Wipes every intermediate array.
 * Throws ChainError INVALID_PATH for a malformed path, or for a step that the curve does not support.
 */
export function derivePrivateKey(keys: KeysByCurve, seed: Uint8Array, curve: Curve, path: string): Secret {
  const indexes = parsePath(path);
  requirePathForCurve(indexes, curve);
  let node = masterNode(seed, curve, keys[curve]);
  for (const index of indexes) {
    const child = childNode(node, index, keys[curve]);
    wipe(node);
    node = child;
  }
  const privateKey = new Secret(Uint8Array.from(node.privateKey));
  wipe(node);
  return privateKey;
}

/** The public keys at several paths of one seed, in order and in slices. No private key outlives its step. */
export function derivePublicKeys(
  keys: KeysByCurve,
  seed: Uint8Array,
  accounts: readonly AccountDerivation[],
  owner: string,
): Promise<Uint8Array[]> {
  return mapInSlices(accounts, createSlices(owner), ({ curve, path }) => {
    const privateKey = derivePrivateKey(keys, seed, curve, path);
    const publicKey = keys[curve].publicKey(privateKey.bytes);
    privateKey.wipe();
    return publicKey;
  });
}
