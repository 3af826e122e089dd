import { randomBytes } from 'node:crypto';
import type { RawSignature } from '@countersign/chains';
import { type Addon, type CheckAll, OftenUsed } from '@countersign/native';
import type { EcdsaKey, Secp256k1 } from './secp256k1.ts';

/** r, s and the recovery bit, as the addon takes and gives them. */
const SIGNATURE_BYTES = 65;
const DIGEST_BYTES = 32;

/** A table takes 150 KB, and as long to make as some twenty checks without one. */
const rules = { capacity: 256, usesBefore: 64, idleUses: 32_768 };

/** An engine that signs with the addon, and checks with tables of the keys that are used often. The rest is the other engine's. */
export function withTables(engine: Secp256k1, addon: Addon): Secp256k1 {
  // libsecp256k1 blinds its secret computations with this, against side channels.
  addon.secp256k1Randomize(randomBytes(32));
  const tables = new OftenUsed<CheckAll>(rules);

  function openEcdsa(publicKey: Uint8Array): EcdsaKey {
    const cold = addon.secp256k1Checker(publicKey, false);
    const key = tables.key(() => addon.secp256k1Checker(publicKey, true));
    return {
      sign: (digests, privateKey) => signAll(addon, digests, privateKey),
      verify(signatures, digests) {
        if (signatures.length !== digests.length || digests.length === 0) return false;
        key.use(digests.length);
        return (key.table ?? cold)(packSignatures(signatures), packDigests(digests));
      },
      release: () => key.release(),
    };
  }

  return Object.freeze<Secp256k1>({ ...engine, openEcdsa });
}

function signAll(addon: Addon, digests: readonly Uint8Array[], privateKey: Uint8Array): RawSignature[] {
  const signatures = Buffer.allocUnsafe(digests.length * SIGNATURE_BYTES);
  if (!addon.secp256k1Sign(packDigests(digests), privateKey, signatures)) throw new Error('this private key signs nothing');
  return digests.map((_, index) => {
    const start = index * SIGNATURE_BYTES;
    const end = start + SIGNATURE_BYTES - 1;
    // Plain bytes, because others expect the `slice` of a signature to be a copy.
    const bytes = new Uint8Array(signatures.buffer, signatures.byteOffset + start, SIGNATURE_BYTES - 1);
    return { bytes, recovery: signatures[end] as 0 | 1 };
  });
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
  const packed = Buffer.allocUnsafe(signatures.length * SIGNATURE_BYTES);
  signatures.forEach(({ bytes, recovery }, index) => {
    packed.set(bytes, index * SIGNATURE_BYTES);
    packed[(index + 1) * SIGNATURE_BYTES - 1] = recovery;
  });
  return packed;
}
