import { createPublicKey, verify } from 'node:crypto';
import {
  type Checkpoint,
  ed25519Verifier,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  headsExtension,
  keyId,
  type NoteVerifier,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  type VerifierKey,
} from '@countersign/tlog';
import type { VaultService } from '../vault/vault.ts';
import type { MappedTree } from './tree.ts';

/** Signs checkpoints. */
export type CheckpointKey = Pick<VaultService, 'signCheckpoint' | 'logKey'>;

const verifierKey = (logKey: Uint8Array, name: string): VerifierKey => ({ name, type: 'ed25519', publicKey: logKey });

/** The verifier key of this log's checkpoints, as text. */
export function checkpointKeyText({ logKey }: CheckpointKey, origin: string): string {
  return formatVerifierKey(verifierKey(logKey, origin));
}

/**
 * A signed checkpoint of a tree (C2SP tlog-checkpoint), with the root of its head map in an extension line. INVARIANT: it is opened before it is returned, so that nothing leaves that
 * others would refuse.
 */
export async function signCheckpoint(key: CheckpointKey, origin: string, { size, root, mapRoot }: MappedTree): Promise<string> {
  const extensions = mapRoot.length === 0 ? [] : [headsExtension(mapRoot)];
  const text = formatCheckpoint({ origin, size, root, extensions });
  const verifier = verifierKey(key.logKey, origin);
  const signature = await key.signCheckpoint(Buffer.from(text, 'utf8'));
  const note = formatNote({ text, signatures: [{ name: origin, keyId: keyId(verifier), signature }] });
  openCheckpoint(note, origin, [nativeVerifier(verifier)]);
  return note;
}

// RFC 8410 section 4: the DER before the 32 bytes of an Ed25519 key.
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** The verifier of the package with the native check: a growing log is signed every second, and requests wait for it. */
function nativeVerifier(key: VerifierKey): NoteVerifier {
  const publicKey = createPublicKey({ key: Buffer.concat([ED25519_SPKI, key.publicKey]), format: 'der', type: 'spki' });
  return {
    ...ed25519Verifier(key),
    verify: (text, signature) => verify(null, Buffer.from(text, 'utf8'), publicKey, signature),
  };
}

/** Opens a checkpoint that this installation signed, under any origin. Throws TlogError for any other. */
export function openOwnCheckpoint(logKey: Uint8Array, note: string): Checkpoint {
  const { origin } = parseCheckpoint(parseNote(note).text);
  return openCheckpoint(note, origin, [nativeVerifier(verifierKey(logKey, origin))]);
}
