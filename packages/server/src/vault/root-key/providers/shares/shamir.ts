import { createRequire } from 'node:module';

/** The package shamir-secret-sharing. Most processes do not need it, so it is loaded on first use. */
interface ShamirPackage {
  split(secret: Uint8Array, shares: number, threshold: number): Promise<Uint8Array[]>;
  combine(shares: readonly Uint8Array[]): Promise<Uint8Array>;
}

const load = () => createRequire(import.meta.url)('shamir-secret-sharing') as ShamirPackage;

/** Splits a secret into shares, any `threshold` of which give it. */
export const split: ShamirPackage['split'] = (...values) => load().split(...values);

/** The secret. Too few or wrong shares give another value without an error. */
export const combine: ShamirPackage['combine'] = (shares) => load().combine(shares);
