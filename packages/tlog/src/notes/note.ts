import { concatBytes } from '@noble/hashes/utils.js';
import { fromBase64, toBase64, utf8Bytes, utf8Text } from '../bytes.ts';
import { TlogError } from '../errors.ts';

/** One signature line: who signed with which key, and the bytes after the key id. The key's type defines their meaning. */
export interface NoteSignature {
  readonly name: string;
  /** The key id as a uint32. */
  readonly keyId: number;
  readonly signature: Uint8Array;
}

/** A text that ends with a newline, and the signatures on it (C2SP signed-note). */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** The specification asks for a limit. Go's note package has the same two. */
export const MAX_NOTE_BYTES = 1_000_000;
export const MAX_NOTE_SIGNATURES = 100;

const LINE_START = '\u2014 ';
const KEY_ID_BYTES = 4;
// biome-ignore lint/suspicious/noControlCharactersInRegex: notes hold no ASCII control character but newline
const CONTROL_CHARACTER = /[\0-\x09\x0b-\x1f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name that no note can hold is no name
const NOT_IN_NAMES = /[\p{White_Space}+\0-\x1f]/u;

/** Whether a key may have this name: not empty, without Unicode spaces and without a plus sign. */
export function isKeyName(name: string): boolean {
  return name !== '' && !NOT_IN_NAMES.test(name) && !/\p{Surrogate}/u.test(name);
}

/** Throws TlogError unless the text can be that of a note. */
export function requireNoteText(text: string): void {
  if (!text.endsWith('\n')) throw new TlogError('the text of a note must end with a newline');
  if (CONTROL_CHARACTER.test(text)) throw new TlogError('a note must not hold control characters other than newline');
}

/**
 * Reads a signed note without checking its signatures. Throws TlogError for anything that `formatNote` does not write.
 * SECURITY: do not use the text before a signature of a trusted key is verified. `openNote` does both.
 */
export function parseNote(source: Uint8Array | string): Note {
  const text = decode(source);
  if (CONTROL_CHARACTER.test(text)) throw new TlogError('a note must not hold control characters other than newline');
  // The text may hold empty lines: the last empty line is the one that ends it.
  const split = text.lastIndexOf('\n\n');
  if (split < 0) throw new TlogError('the note has no empty line between its text and its signatures');
  if (!text.endsWith('\n')) throw new TlogError('the last line of the note has no newline');
  const lines = text.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_NOTE_SIGNATURES) throw new TlogError(`the note has more than ${MAX_NOTE_SIGNATURES} signatures`);
  return { text: text.slice(0, split + 1), signatures: lines.map(parseLine) };
}

/** Writes a signed note. Throws TlogError for what `parseNote` would refuse. */
export function formatNote({ text, signatures }: Note): string {
  requireNoteText(text);
  if (signatures.length < 1 || signatures.length > MAX_NOTE_SIGNATURES)
    throw new TlogError(`a note has 1 to ${MAX_NOTE_SIGNATURES} signatures`);
  const note = `${text}\n${signatures.map(formatLine).join('')}`;
  if (utf8Bytes(note).length > MAX_NOTE_BYTES) throw new TlogError(`a note has at most ${MAX_NOTE_BYTES} bytes`);
  return note;
}

function decode(source: Uint8Array | string): string {
  // A string has at most as many UTF-16 code units as bytes, so this length is a quick first check.
  if (source.length > MAX_NOTE_BYTES) throw new TlogError(`a note has at most ${MAX_NOTE_BYTES} bytes`);
  if (source instanceof Uint8Array) return utf8Text(source);
  if (utf8Bytes(source).length > MAX_NOTE_BYTES) throw new TlogError(`a note has at most ${MAX_NOTE_BYTES} bytes`);
  return source;
}

/** Em dash, space, key name, space, base64 of the key id and the signature. */
function formatLine({ name, keyId, signature }: NoteSignature): string {
  if (!isKeyName(name))
    throw new TlogError('the name of a key must not be empty or hold spaces, plus signs or control characters');
  if (signature.length === 0) throw new TlogError('a signature must not be empty');
  return `${LINE_START}${name} ${toBase64(concatBytes(keyIdBytes(keyId), signature))}\n`;
}

function parseLine(line: string): NoteSignature {
  const [name, base64, ...rest] = line.startsWith(LINE_START) ? line.slice(LINE_START.length).split(' ') : [];
  const bytes = base64 === undefined || rest.length > 0 ? undefined : fromBase64(base64);
  if (name === undefined || !isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES)
    throw new TlogError('a line after the text of the note is not a signature line');
  return { name, keyId: new DataView(bytes.buffer).getUint32(0), signature: bytes.slice(KEY_ID_BYTES) };
}

function keyIdBytes(keyId: number): Uint8Array {
  if (!Number.isInteger(keyId) || keyId < 0 || keyId > 0xffffffff) throw new TlogError('a key id must be a uint32');
  const bytes = new Uint8Array(KEY_ID_BYTES);
  new DataView(bytes.buffer).setUint32(0, keyId);
  return bytes;
}
