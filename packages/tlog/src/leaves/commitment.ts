import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { equalBytes } from '../bytes.ts';
import { failed, passed, TlogError, type Verdict } from '../errors.ts';
import { leafHash } from '../merkle/hash.ts';
import { type Opening, openingBytes, openingVersion } from './opening.ts';

/** The length of a salt. Fixed, so that no bytes can move between the salt and the opening. */
export const SALT_BYTES = 32;

/** The length of the data of a leaf: the version byte and a SHA-256. */
export const LEAF_BYTES = 33;

/**
 * The data of a leaf: version || SHA-256(salt || canonical bytes of the opening), the version being 0x01 or 0x02. It binds the log to
 * the opening, and shows nothing of it while the salt is secret. Throws TlogError for an opening that breaks a rule, or a salt of another length.
 * SECURITY: the salt is 32 random bytes, new for each leaf. With a guessable salt, a reader of the log could try openings.
 */
export function commitment(opening: Opening, salt: Uint8Array): Uint8Array {
  if (!(salt instanceof Uint8Array) || salt.length !== SALT_BYTES) throw new TlogError(`a salt has ${SALT_BYTES} bytes`);
  const salted = concatBytes(salt, openingBytes(opening));
  return concatBytes(Uint8Array.of(openingVersion(opening)), sha256(salted));
}

/** The leaf hash of a commitment in lower-case hex: the `previousLeaf` of the organization's next opening. */
export function commitmentLeaf(opening: Opening, salt: Uint8Array): string {
  return bytesToHex(leafHash(commitment(opening, salt)));
}

/** Checks that this data of a leaf stands for this opening. Never throws: malformed input fails the check. */
export function verifyOpening(leaf: Uint8Array, opening: Opening, salt: Uint8Array): Verdict {
  if (!(leaf instanceof Uint8Array) || leaf.length !== LEAF_BYTES)
    return failed(`the data of the leaf must have ${LEAF_BYTES} bytes`);
  let expected: Uint8Array;
  try {
    expected = commitment(opening, salt);
  } catch (error) {
    // An opening that breaks a rule, or a salt of another length, stands behind no leaf. Anything else is a bug.
    if (error instanceof TlogError) return failed(error.message);
    throw error;
  }
  if (leaf[0] !== expected[0]) return failed(`the version of the leaf is ${leaf[0]}, not ${expected[0]}`);
  return equalBytes(leaf, expected) ? passed : failed('the leaf stands for another opening or another salt');
}
