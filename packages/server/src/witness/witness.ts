import {
  type AddCheckpoint,
  type Checkpoint,
  emptyRoot,
  formatNote,
  formatVerifierKey,
  type Note,
  type NoteVerifier,
  openNote,
  parseAddCheckpoint,
  parseCheckpoint,
  parseNote,
  type SignerKey,
  TlogError,
  TREE_SIZE_TYPE,
  type VerifierKey,
  verifierKeyOf,
  verifyConsistency,
} from '@countersign/tlog';
import type { Logger } from 'pino';
import { nativeCosignatureVerifier, nativeCosigner, nativeLogVerifier } from './native-cosigner.ts';
import { originHash, type StoredCheckpoint, type WitnessStorage } from './witness-storage.ts';

/** An HTTP response. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly contentType: string;
  readonly body: string;
}

/** A witness of logs (C2SP tlog-witness). */
export interface Witness {
  /** The verifier key of its cosignatures, as text. */
  readonly keyText: string;
  /** Handles the body of a cosign request. */
  add(body: string): Promise<WitnessAnswer>;
  /** The newest checkpoint of a log that was cosigned, by the SHA-256 of the log's origin in hex. */
  newest(hash: string): Promise<WitnessAnswer>;
}

export interface WitnessServices {
  readonly key: SignerKey;
  /** The keys of the logs that are watched. The name of a key is the origin of its log; a log may have several keys. */
  readonly logs: readonly VerifierKey[];
  readonly storage: WitnessStorage;
  nowSeconds(): number;
  readonly log: Pick<Logger, 'info' | 'error'>;
}

const text = (status: WitnessAnswer['status'], body: string): WitnessAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});
const refusal = (status: WitnessAnswer['status'], what: string) => text(status, `${what}\n`);

/** A checkpoint with a signature of its log. */
interface Submitted {
  readonly note: Note;
  readonly tree: Checkpoint;
}

/**
 * INVARIANT: a witness never cosigns two trees of one log unless one extends the other, also if it dies between any two steps: requests
 * for a log are processed in sequence, and a checkpoint is stored durably before its cosignature is sent.
 */
export function createWitness({ key, logs, storage, nowSeconds, log }: WitnessServices): Witness {
  const cosign = nativeCosigner(key);
  const verifiers = new Map<string, NoteVerifier[]>();
  for (const each of logs) verifiers.set(each.name, [...(verifiers.get(each.name) ?? []), nativeLogVerifier(each)]);
  const origins = new Map([...verifiers.keys()].map((origin) => [originHash(origin), origin]));
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const result = (turns.get(origin) ?? Promise.resolve()).then(work, work);
    turns.set(
      origin,
      result.catch(() => undefined),
    );
    return result;
  }

  /** The checkpoint of a request, once its log's signature is verified. */
  function open(source: string): Submitted | WitnessAnswer {
    const tree = parseCheckpoint(parseNote(source).text);
    const known = verifiers.get(tree.origin);
    if (known === undefined) return refusal(404, 'this witness does not watch that log');
    try {
      const { text, verified } = openNote(source, known);
      return { note: { text, signatures: verified }, tree };
    } catch (error) {
      if (error instanceof TlogError) return refusal(403, error.message);
      throw error;
    }
  }

  async function judge({ oldSize, proof }: AddCheckpoint, { note, tree }: Submitted): Promise<WitnessAnswer> {
    const { origin, size, root } = tree;
    const last = await storage.read(origin);
    const lastSize = last?.size ?? 0;
    const conflict: WitnessAnswer = { status: 409, contentType: TREE_SIZE_TYPE, body: `${lastSize}\n` };
    if (oldSize !== lastSize) return conflict;
    const verdict = verifyConsistency(
      { oldSize: lastSize, oldRoot: last?.root ?? emptyRoot(), newSize: size, newRoot: root },
      proof,
    );
    if (!verdict.ok) {
      // Both checkpoints have the signature of the log. If the proof is genuine, they are evidence against the log.
      log.error({ origin, refused: formatNote(note), cosigned: last?.signed }, `a checkpoint was rejected: ${verdict.reason}`);
      const isOtherRoot = last?.size === size && Buffer.compare(last.root, root) !== 0;
      return isOtherRoot ? conflict : refusal(422, verdict.reason);
    }
    return text(200, await cosignAndStore(note, last, size));
  }

  /** The lines of the response. INVARIANT: the new tree is stored before they are returned. */
  async function cosignAndStore(note: Note, last: StoredCheckpoint | undefined, size: number): Promise<string> {
    const own = cosign(note.text, BigInt(nowSeconds()));
    const { origin } = parseCheckpoint(note.text);
    const signed = formatNote({ text: note.text, signatures: [...note.signatures, own] });
    // A repeated tree does not change the state, so nothing is written.
    if (last === undefined || last.note.text !== note.text) {
      await storage.write(origin, signed);
      log.info({ origin, size }, 'cosigned');
    }
    const lines = formatNote({ text: note.text, signatures: [own] });
    return lines.slice(note.text.length + 1);
  }

  return {
    keyText: formatVerifierKey(verifierKeyOf(key)),
    async add(body) {
      try {
        const request = parseAddCheckpoint(body);
        const submitted = open(request.checkpoint);
        if ('status' in submitted) return submitted;
        if (request.oldSize > submitted.tree.size) return refusal(400, 'the old tree is larger than the checkpoint');
        return await inTurn(submitted.tree.origin, () => judge(request, submitted));
      } catch (error) {
        if (error instanceof TlogError) return refusal(400, error.message);
        throw error;
      }
    },
    async newest(hash) {
      const origin = origins.get(hash);
      const last = origin === undefined ? undefined : await storage.read(origin);
      return last === undefined ? refusal(404, 'this witness has cosigned no such log') : text(200, last.signed);
    },
  };
}

/** The verifier of a witness's own cosignatures. */
export const ownVerifier = (key: SignerKey): NoteVerifier => nativeCosignatureVerifier(verifierKeyOf(key));
