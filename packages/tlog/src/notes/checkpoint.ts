import { equalBytes, fromBase64, toBase64 } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { emptyRoot, HASH_BYTES, isHash } from '../merkle/hash.ts';
import { isCount } from '../merkle/place.ts';
import type { NoteVerifier } from './ed25519.ts';
import { requireNoteText } from './note.ts';
import { type OpenNote, openNote } from './open.ts';

/** The head of a log: whose it is, how many leaves it has, and the root over them (C2SP tlog-checkpoint). */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** Opaque lines after the first three, without their newlines. */
  readonly extensions: readonly string[];
}

/** A checkpoint, and the note that carried it. */
export interface OpenCheckpoint extends Checkpoint {
  readonly note: OpenNote;
}

/** The text of the note that carries a checkpoint. Throws TlogError for what `parseCheckpoint` would refuse. */
export function formatCheckpoint(checkpoint: Checkpoint): string {
  const { origin, size, root, extensions } = checkpoint;
  if ([origin, ...extensions].some((line) => line === '' || line.includes('\n')))
    throw new TlogError('the origin and each extension of a checkpoint is one line that is not empty');
  requireTree(checkpoint);
  const text = `${[origin, size, toBase64(root), ...extensions].join('\n')}\n`;
  requireNoteText(text);
  return text;
}

/**
 * Reads the text of a note as a checkpoint. Throws TlogError for anything that `formatCheckpoint` does not write. A tree of more
 * than 2^53 - 1 leaves is refused, although the specification allows it.
 */
export function parseCheckpoint(text: string): Checkpoint {
  requireNoteText(text);
  const lines = text.slice(0, -1).split('\n');
  if (lines.includes('')) throw new TlogError('a line of the checkpoint is empty');
  const [origin, size, base64, ...extensions] = lines;
  if (origin === undefined || size === undefined || base64 === undefined)
    throw new TlogError('a checkpoint has an origin, a tree size and a root, each on a line');
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(size)) throw new TlogError('the tree size is not a decimal number below 2^53');
  const root = fromBase64(base64);
  if (root?.length !== HASH_BYTES) throw new TlogError(`the root is not base64 of ${HASH_BYTES} bytes`);
  const checkpoint = { origin, size: Number(size), root, extensions };
  requireTree(checkpoint);
  return checkpoint;
}

/**
 * Opens a signed checkpoint of the log with this origin. Throws TlogError unless a known key signed it.
 * SECURITY: a key can sign for several logs, so the origin is compared too.
 */
export function openCheckpoint(source: Uint8Array | string, origin: string, verifiers: readonly NoteVerifier[]): OpenCheckpoint {
  const note = openNote(source, verifiers);
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint.origin !== origin) throw new TlogError('the checkpoint is of another log: its origin is not the expected one');
  return { ...checkpoint, note };
}

function requireTree({ size, root }: Checkpoint): void {
  if (!isCount(size)) throw new TlogError('the tree size must be an integer from 0 to 2^53 - 1');
  if (!isHash(root)) throw new TlogError(`the root must have ${HASH_BYTES} bytes`);
  if (size === 0 && !equalBytes(root, emptyRoot())) throw new TlogError('the root is not that of the empty tree');
}
