import { type Addon, loadAddon } from '@countersign/native';
import { keccak_256 } from '@noble/hashes/sha3.js';

type Keccak256 = (data: Uint8Array) => Uint8Array;

const DIGEST_BYTES = 32;

/** Keccak-256 of public data. The addon takes a tenth of the time of the portable code, which hashes about 10 MB per second. */
export const keccak256: Keccak256 = createKeccak256(loadAddon(process.env).addon?.keccak256);

/** Takes the addon's function once it has given known answers. An addon that was built before has none. */
export function createKeccak256(native: Addon['keccak256'] | undefined): Keccak256 {
  if (native === undefined) return keccak_256;
  const quick = (data: Uint8Array): Uint8Array => {
    const digest = new Uint8Array(DIGEST_BYTES);
    native(data, digest);
    return digest;
  };
  // Nothing, less than a block, and several blocks.
  const known = [0, 11, 300].map((length) => new Uint8Array(length).fill(0xc5));
  return known.every((data) => Buffer.compare(quick(data), keccak_256(data)) === 0) ? quick : keccak_256;
}
