import fc from 'fast-check';
import {
  cosignatureVerifier,
  ed25519Verifier,
  type NoteVerifier,
  parseVerifierKey,
  type SignatureType,
} from '../../src/index.ts';
import { readVectors } from './vectors.ts';

export interface KeyVector {
  readonly name: string;
  readonly type: SignatureType;
  readonly verifier: string;
  readonly signer: string;
}

export interface NoteVector {
  readonly name: string;
  readonly note: string;
  /** The verifier keys that are known. */
  readonly keys: readonly string[];
  readonly text: string;
  /** Name and id of the keys whose signatures count. */
  readonly verified: readonly string[];
}

export interface CosignatureVector {
  readonly key: string;
  readonly time: string;
  readonly checkpoint: string;
  readonly line: string;
}

export const { keys, opened, refused, cosignatures } = readVectors<{
  keys: readonly KeyVector[];
  opened: readonly NoteVector[];
  refused: readonly NoteVector[];
  cosignatures: readonly CosignatureVector[];
}>('notes');

/** The vectors' key of this name, which is the first if several have it. */
export function keyNamed(name: string): KeyVector {
  const found = keys.find((key) => key.name === name);
  if (found === undefined) throw new Error(`the vectors have no key ${name}`);
  return found;
}

export function verifierOf(text: string): NoteVerifier {
  const key = parseVerifierKey(text);
  return key.type === 'ed25519' ? ed25519Verifier(key) : cosignatureVerifier(key);
}

/** One line of a note: no control character, not empty. */
export const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text));

export const keyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((name) => !/[\p{White_Space}\p{Cc}+]/u.test(name));
