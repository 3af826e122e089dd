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
