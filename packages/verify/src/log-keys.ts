import {
  cosignatureVerifier,
  ed25519Verifier,
  type NoteVerifier,
  openCheckpoint,
  parseVerifierKey,
  TlogError,
  type VerifierKey,
} from '@countersign/tlog';
import { bytesToHex } from '@noble/hashes/utils.js';
import { AuditError, must } from './audit-error.ts';

/** The keys that a verification trusts. */
export interface TrustedKeys {
  /** The key of the log, as `/log/key` shows it. */
  readonly logKey: string;
  /** The keys of witnesses. All of them must have cosigned. */
  readonly witnessKeys?: readonly string[];
}

/** A checkpoint that all trusted keys signed. */
export interface SeenTree {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly extensions: readonly string[];
  readonly witnesses: readonly string[];
}

/** Opens checkpoints with the trusted keys. */
export interface LogKeys {
  /** Throws AuditError unless the log and every witness signed the checkpoint. */
  open(checkpoint: string): SeenTree;
  /** Throws AuditError unless the log signed the checkpoint. `witnesses` are those that cosigned it. */
  openHead(checkpoint: string): SeenTree;
}

/** Converts errors of the log package into errors of the file. */
export function asAuditError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TlogError) throw new AuditError(error.message);
    throw error;
  }
}

/** Reads the keys. Throws AuditError for a text that is no key. */
export function readKeys({ logKey, witnessKeys = [] }: TrustedKeys): LogKeys {
  const { key, verifiers, log } = asAuditError(() => {
    const parsed = parseVerifierKey(logKey.trim());
    const signer = ed25519Verifier(parsed);
    const witnesses = witnessKeys.map((text) => parseVerifierKey(text.trim()));
    requireOthers([parsed, ...witnesses]);
    return { key: parsed, log: signer, verifiers: [signer, ...witnesses.map(witness)] };
  });
  function read(checkpoint: string): { readonly tree: SeenTree; readonly missing: NoteVerifier | undefined } {
    const { size, root, extensions, note } = asAuditError(() => openCheckpoint(checkpoint, key.name, verifiers));
    const signed = (verifier: NoteVerifier) =>
      note.verified.some(({ name, keyId }) => name === verifier.name && keyId === verifier.keyId);
    must(signed(log), 'the key of the log did not sign the checkpoint');
    const witnesses = verifiers.slice(1).filter(signed);
    const tree = { origin: key.name, size, root, extensions, witnesses: witnesses.map(({ name }) => name) };
    return { tree, missing: verifiers.find((verifier) => !signed(verifier)) };
  }
  return {
    openHead: (checkpoint) => read(checkpoint).tree,
    open(checkpoint) {
      const { tree, missing } = read(checkpoint);
      must(missing === undefined, () => `the witness ${missing?.name} did not cosign the checkpoint`);
      return tree;
    },
  };
}

function witness(key: VerifierKey): NoteVerifier {
  return key.type === 'cosignature' ? cosignatureVerifier(key) : ed25519Verifier(key);
}

/** SECURITY: D106: the key of the log does not count as a witness, and one key under two names counts once. */
function requireOthers(keys: readonly VerifierKey[]): void {
  const publicKeys = new Set(keys.map(({ publicKey }) => bytesToHex(publicKey)));
  must(publicKeys.size === keys.length, 'two of the given keys are equal: a witness needs its own key');
}
