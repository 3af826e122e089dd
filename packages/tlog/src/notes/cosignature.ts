import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { utf8Bytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { COSIGNATURE_HEADER, type NoteVerifier, verifyBytes } from './ed25519.ts';
import { keyId, requireVerifierKey, type SignerKey, type VerifierKey, verifierKeyOf } from './key.ts';
import type { NoteSignature } from './note.ts';

/** The specification's largest time, in seconds since 1970. */
const MAX_TIME = 2n ** 63n - 1n;
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + 64;

/**
 * A verifier for cosignatures with a time, type 0x04 (C2SP tlog-cosignature). Only a checkpoint can be cosigned.
 * `cosignatureTime` gives the time of a cosignature that is verified; whether it is recent enough is for the caller to judge.
 */
export function cosignatureVerifier(key: VerifierKey): NoteVerifier {
  if (key.type !== 'cosignature') throw new TlogError('this is not a key for cosignatures');
  requireVerifierKey(key);
  return {
    name: key.name,
    keyId: keyId(key),
    verify(text, signature) {
      if (signature.length !== COSIGNATURE_BYTES || !isCheckpoint(text)) return false;
      const time = timeOf(signature);
      return time <= MAX_TIME && verifyBytes(key, cosignedMessage(text, time), signature.slice(TIME_BYTES));
    },
  };
}

/**
 * Cosigns the text of a checkpoint at a time in seconds since 1970. It states that the cosigner has seen no larger tree of this
 * log, and that all its earlier trees are consistent with this one: verify that first. Throws TlogError for another text.
 */
export function cosign(text: string, key: SignerKey, time: bigint): NoteSignature {
  if (key.type !== 'cosignature') throw new TlogError('this is not a key for cosignatures');
  if (time < 0n || time > MAX_TIME) throw new TlogError('the time of a cosignature must be from 0 to 2^63 - 1 seconds');
  parseCheckpoint(text);
  const verifierKey = verifierKeyOf(key);
  const timeBytes = new Uint8Array(TIME_BYTES);
  new DataView(timeBytes.buffer).setBigUint64(0, time);
  const signature = concatBytes(timeBytes, ed25519.sign(utf8Bytes(cosignedMessage(text, time)), key.seed));
  return { name: key.name, keyId: keyId(verifierKey), signature };
}

/** The time that a cosignature states, in seconds since 1970. Throws TlogError if the bytes are no cosignature. */
export function cosignatureTime({ signature }: NoteSignature): bigint {
  if (signature.length !== COSIGNATURE_BYTES) throw new TlogError(`a cosignature has ${COSIGNATURE_BYTES} bytes`);
  return timeOf(signature);
}

/** What is signed: two lines, then the whole text of the checkpoint. The name of the cosigner is not part of it. */
function cosignedMessage(text: string, time: bigint): string {
  return `${COSIGNATURE_HEADER}time ${time}\n${text}`;
}

function timeOf(signature: Uint8Array): bigint {
  return new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
}

function isCheckpoint(text: string): boolean {
  try {
    parseCheckpoint(text);
    return true;
  } catch (error) {
    // A text that is no checkpoint has no valid cosignature. Anything else is a bug.
    if (error instanceof TlogError) return false;
    throw error;
  }
}
