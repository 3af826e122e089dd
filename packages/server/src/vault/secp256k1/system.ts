import { randomBytes } from 'node:crypto';
import type { SystemSigner } from '@countersign/native';
import { reduceDigest } from './reduce-digest.ts';
import type { Secp256k1 } from './secp256k1.ts';

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
