import type { Curve } from '../curve.ts';
import { ChainError } from '../errors.ts';

/** BIP-32: an index with this bit set is hardened. */
export const HARDENED_OFFSET = 0x8000_0000;

/** The deepest accepted path. Every registered scheme needs at most six levels. */
export const MAX_PATH_DEPTH = 10;

const SEGMENT = /^(0|[1-9][0-9]{0,9})('?)$/;

function invalidPath(reason: string): ChainError {
  return new ChainError('INVALID_PATH', reason);
}

/**
 * Reads a BIP-32 path such as `m/44'/60'/0'/0/0` into indexes. A hardened index has its top bit set. `m` alone is the master key.
 * Strict, so a key has only one path text: hardened is `'`, never `h` or `H`, and numbers have no leading zeros.
 * Throws ChainError INVALID_PATH.
 */
export function parsePath(text: string): number[] {
  const [root, ...segments] = text.split('/', MAX_PATH_DEPTH + 2);
  if (root !== 'm') throw invalidPath("a derivation path must begin with \"m\", for example m/44'/60'/0'/0/0");
  if (segments.length > MAX_PATH_DEPTH) throw invalidPath(`a derivation path may have at most ${MAX_PATH_DEPTH} levels`);
  return segments.map((segment, level) => {
    const [, digits, mark] = SEGMENT.exec(segment) ?? [];
    if (digits === undefined) {
      throw invalidPath(
        `level ${level + 1} of the derivation path must be a number without leading zeros, optionally followed by "'"`,
      );
    }
    const index = Number(digits);
    if (index >= HARDENED_OFFSET) throw invalidPath(`level ${level + 1} of the derivation path must be below 2^31`);
    return mark === "'" ? index + HARDENED_OFFSET : index;
  });
}

/** The text of a path. Throws ChainError INVALID_PATH for indexes that `parsePath` cannot return. */
export function formatPath(path: readonly number[]): string {
  if (path.length > MAX_PATH_DEPTH) throw invalidPath(`a derivation path may have at most ${MAX_PATH_DEPTH} levels`);
  const segments = path.map((index, level) => {
    if (!Number.isInteger(index) || index < 0 || index >= 2 * HARDENED_OFFSET) {
      throw invalidPath(`level ${level + 1} of the derivation path must be an unsigned 32-bit number`);
    }
    return index >= HARDENED_OFFSET ? `${index - HARDENED_OFFSET}'` : `${index}`;
  });
  return ['m', ...segments].join('/');
}

/** Throws ChainError INVALID_PATH when the curve cannot derive this path: SLIP-10 defines only hardened steps for ed25519. */
export function requirePathForCurve(path: readonly number[], curve: Curve): void {
  if (curve !== 'CURVE_ED25519') return;
  const level = path.findIndex((index) => index < HARDENED_OFFSET);
  if (level >= 0) throw invalidPath(`every level of a CURVE_ED25519 path must be hardened ("'"), level ${level + 1} is not`);
}
