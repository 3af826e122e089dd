import { ed25519 } from '@noble/curves/ed25519.js';
import { utf8Bytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { keyId, requireVerifierKey, type SignerKey, type VerifierKey, verifierKeyOf } from './key.ts';
import { type NoteSignature, requireNoteText } from './note.ts';

/** Checks signatures of one key. */
export interface NoteVerifier {
  readonly name: string;
  readonly keyId: number;
  /** Whether the bytes after the key id are this key's signature on the text of a note. Never throws. */
  verify(text: string, signature: Uint8Array): boolean;
}

/**
 * The first line of what a cosignature signs (C2SP tlog-cosignature).
 * SECURITY: a plain signature is one on the text itself. A key that signs such a text as a note would make a cosignature of the
 * same key, and the other way round, so plain signatures on texts that begin with this line are neither made nor accepted.
 */
export const COSIGNATURE_HEADER = 'cosignature/v1\n';

const SIGNATURE_BYTES = 64;

/** A verifier for plain Ed25519 signatures, type 0x01 (C2SP signed-note, "Ed25519 signatures"). */
export function ed25519Verifier(key: VerifierKey): NoteVerifier {
  if (key.type !== 'ed25519') throw new TlogError('this is not a key for plain Ed25519 signatures');
  requireVerifierKey(key);
  return {
    name: key.name,
    keyId: keyId(key),
    verify: (text, signature) => !text.startsWith(COSIGNATURE_HEADER) && verifyBytes(key, text, signature),
  };
}

/** Signs the text of a note. Throws TlogError for a text that no note can have. */
export function signNote(text: string, key: SignerKey): NoteSignature {
  if (key.type !== 'ed25519') throw new TlogError('this is not a key for plain Ed25519 signatures');
  requireNoteText(text);
  if (text.startsWith(COSIGNATURE_HEADER)) throw new TlogError('the text of the note would be read as a cosignature');
  const verifierKey = verifierKeyOf(key);
  return { name: key.name, keyId: keyId(verifierKey), signature: ed25519.sign(utf8Bytes(text), key.seed) };
}

/** Whether this is an Ed25519 signature of the key on the UTF-8 bytes of the text, by the strict rules of RFC 8032 section 5.1.7. */
export function verifyBytes({ publicKey }: VerifierKey, text: string, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || /\p{Surrogate}/u.test(text)) return false;
  return ed25519.verify(signature, utf8Bytes(text), publicKey, { zip215: false });
}
