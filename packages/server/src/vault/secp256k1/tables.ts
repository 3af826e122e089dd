import type { RawSignature } from '@countersign/chains';
import { type Addon, type CheckAll, TableCache } from '@countersign/native';
import type { EcdsaVerifier, Secp256k1 } from './secp256k1.ts';

/** r, s and the recovery bit, as the addon takes them. */
const SIGNATURE_BYTES = 65;
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
  const packed = Buffer.allocUnsafe(signatures.length * SIGNATURE_BYTES);
  signatures.forEach(({ bytes, recovery }, index) => {
    packed.set(bytes, index * SIGNATURE_BYTES);
    packed[(index + 1) * SIGNATURE_BYTES - 1] = recovery;
  });
  return packed;
}
