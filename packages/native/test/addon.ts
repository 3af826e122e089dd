import { loadAddon } from '../src/index.ts';

const { COUNTERSIGN_NATIVE } = process.env;
const loaded = loadAddon({ COUNTERSIGN_NATIVE });
if (COUNTERSIGN_NATIVE === 'sanitized' && loaded.addon === undefined) throw new Error(`nothing to test: ${loaded.absence}`);

/** The addon under test. Machines without a compiler have none, and their tests of it are skipped. */
export const { addon } = loaded;
export const { absence } = loaded;

/** The addon, in tests that run only where there is one. */
export function present() {
  if (addon === undefined) throw new Error(`there is no addon: ${absence}`);
  return addon;
}

export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const scalar = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0'));
export const joined = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** Numbers from 1 to modulus - 1 with long runs of equal bits, where an inversion would first go wrong. */
export function edgesOf(modulus: bigint): readonly bigint[] {
  const powers = [0n, 1n, 2n, 31n, 32n, 62n, 63n, 64n, 65n, 127n, 128n, 129n, 191n, 192n, 193n, 254n, 255n].map(
    (bits) => 1n << bits,
  );
  const half = modulus / 2n;
  const near = powers.flatMap((power) => [power - 1n, power, power + 1n, modulus - power]);
  return [...new Set([...near, 3n, half, half + 1n, modulus - 1n, modulus - 2n])].filter((each) => each > 0n && each < modulus);
}
