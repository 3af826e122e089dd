import {
  ADD_CHECKPOINT_PATH,
  cosignatureTime,
  cosignatureVerifier,
  formatAddCheckpoint,
  type NoteSignature,
  openNote,
  parseTreeSize,
  TlogError,
  TREE_SIZE_TYPE,
} from '@countersign/tlog';
import type { WitnessSetting } from '../../config/witnesses.ts';
import { type LogError, witnessAhead, witnessDisagrees } from '../log-error.ts';
import type { Tree } from '../tree.ts';
import { fetchText, type WitnessText } from './witness-fetch.ts';

/** A tree with the log's signature on it. */
export interface SignedTree extends Tree {
  /** The signed note. */
  readonly checkpoint: string;
}

/** Outcome of a request to a witness. */
export type WitnessOutcome =
  /** It cosigned this tree, after `askedAtMs` of the monotonic clock. */
  | { readonly kind: 'CONFIRMED'; readonly tree: SignedTree; readonly cosignature: NoteSignature; readonly askedAtMs: number }
  /** It has more entries than the log, or another history. */
  | { readonly kind: 'CONFLICT'; readonly error: LogError }
  /** It did not respond, or its response is not valid. */
  | { readonly kind: 'FAILED'; readonly reason: string };

export interface WitnessedLog {
  published(): SignedTree;
  /** Follows the stored log to its end and publishes it. Throws if the database does not respond. */
  catchUp(): Promise<void>;
  consistencyProof(oldSize: number, tree: Tree): Promise<readonly Uint8Array[]>;
  nowMs(): number;
}

/** Other processes of this installation ask the same witness, so its tree may grow between two requests. */
const MAX_ATTEMPTS = 5;
/** How far the clocks of a witness and of this machine may be apart. SECURITY: an older cosignature could be a recorded one. */
const MAX_SKEW_MS = 60_000;

const failed = (reason: string): WitnessOutcome => ({ kind: 'FAILED', reason });

/**
 * Requests a cosignature of the last published tree (C2SP tlog-witness). `knownSize` is the size that the witness cosigned last, if known.
 * INVARIANT: a larger tree at the witness is a conflict only if the database, read after the response, has a smaller one.
 */
export async function askWitness(
  { url, key }: WitnessSetting,
  knownSize: number | undefined,
  log: WitnessedLog,
): Promise<WitnessOutcome> {
  let tree = log.published();
  let oldSize = Math.min(knownSize ?? tree.size, tree.size);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const body = formatAddCheckpoint({
      oldSize,
      proof: await log.consistencyProof(oldSize, tree),
      checkpoint: tree.checkpoint,
    });
    const askedAtMs = performance.now();
    const answer = await fetchText(`${url}/${ADD_CHECKPOINT_PATH}`, body);
    if (answer.status === 200) return readCosignature(key, tree, answer.text, askedAtMs, log.nowMs());
    // The proof leads from every tree that this log ever had. So the witness has a tree that this log never had.
    if (answer.status === 422) return { kind: 'CONFLICT', error: witnessDisagrees(key.name, tree.size) };
    const size = sizeIn(answer);
    if (size === undefined) return failed(`it responded with ${answer.status}`);
    if (size === oldSize && size < tree.size) return failed('it rejected the tree size that it requested');
    if (size === oldSize) return { kind: 'CONFLICT', error: witnessDisagrees(key.name, size) };
    if (size > tree.size) {
      await log.catchUp();
      tree = log.published();
      if (size > tree.size) return { kind: 'CONFLICT', error: witnessAhead(key.name, size, tree.size) };
    }
    oldSize = size;
  }
  return failed('its tree grew with every request');
}

/** The tree size in the conflict response of a witness. */
function sizeIn({ status, contentType, text }: WitnessText): number | undefined {
  if (status !== 409 || contentType !== TREE_SIZE_TYPE || !text.endsWith('\n')) return undefined;
  return parseTreeSize(text.slice(0, -1));
}

/** SECURITY: a signature counts only if it is from the configured key, on the requested tree, and recent. */
function readCosignature(
  key: WitnessSetting['key'],
  tree: SignedTree,
  lines: string,
  askedAtMs: number,
  nowMs: number,
): WitnessOutcome {
  try {
    const { verified } = openNote(`${tree.checkpoint}${lines}`, [cosignatureVerifier(key)]);
    const [cosignature] = verified as [NoteSignature];
    const aheadMs = Number(cosignatureTime(cosignature)) * 1000 - nowMs;
    if (Math.abs(aheadMs) > MAX_SKEW_MS)
      return failed(`the time of its cosignature differs by ${Math.round(aheadMs / 1000)} seconds: correct both clocks`);
    return { kind: 'CONFIRMED', tree, cosignature, askedAtMs };
  } catch (error) {
    if (error instanceof TlogError) return failed(`its response is not a cosignature: ${error.message}`);
    throw error;
  }
}
