import { TlogError } from '../errors.ts';
import type { NoteVerifier } from './ed25519.ts';
import { type NoteSignature, parseNote } from './note.ts';

/** A note at least one trusted key signed. */
export interface OpenNote {
  readonly text: string;
  /** The signatures of known keys, one for each key, in the order of the note. There is at least one. */
  readonly verified: readonly NoteSignature[];
  /** The signatures of unknown keys. They say nothing. */
  readonly ignored: readonly NoteSignature[];
}

/**
 * Reads a signed note and checks its signatures (C2SP signed-note, "Signatures"). Unknown keys are ignored, also if they share a
 * name or an id with a known one. Throws TlogError if a known key's signature is wrong, if no known key signed, or if two
 * verifiers have the same name and id, so that it is unclear whose signature is meant.
 */
export function openNote(source: Uint8Array | string, verifiers: readonly NoteVerifier[]): OpenNote {
  const known = new Map(verifiers.map((verifier) => [labelOf(verifier), verifier]));
  if (known.size !== verifiers.length) throw new TlogError('two verifiers have the same key name and key id');
  const { text, signatures } = parseNote(source);
  const verified = new Map<string, NoteSignature>();
  const ignored: NoteSignature[] = [];
  for (const each of signatures) {
    const verifier = known.get(labelOf(each));
    if (verifier === undefined) {
      ignored.push(each);
      continue;
    }
    if (!verifier.verify(text, each.signature)) throw new TlogError(`the signature of ${labelOf(each)} is wrong`);
    // SECURITY: one key counts once, however often it signed, so that repeated lines do not make a quorum.
    if (!verified.has(labelOf(each))) verified.set(labelOf(each), each);
  }
  if (verified.size === 0) throw new TlogError('no known key signed the note');
  return { text, verified: [...verified.values()], ignored };
}

/** A key name has no plus sign, so no two keys share a label. */
function labelOf({ name, keyId }: { readonly name: string; readonly keyId: number }): string {
  return `${name}+${keyId.toString(16).padStart(8, '0')}`;
}
