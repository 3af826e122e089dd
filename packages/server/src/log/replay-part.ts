import { TILE_WIDTH } from '@countersign/tlog';
import { LOSSES, type LogContent } from './entry.ts';
import { KEY_BYTES, KEY_WORDS, writeReplayKey } from './replay-key.ts';

/** Leaves of a part: the width of a tile, so that one node of the tree covers them. */
export const PART_LEAVES = TILE_WIDTH;

/** Two times of 8 bytes. */
const HEADER_BYTES = 16;
export const PART_BYTES = HEADER_BYTES + PART_LEAVES * KEY_BYTES;

/** What a leaf says about a body that could be replayed. */
export type ReplayLeaf = Pick<LogContent, 'fingerprint' | 'type' | 'timeMs'> & { readonly organizationId: string };

/**
 * What a process needs of the leaves of a part of the log to refuse bodies that were executed.
 * INVARIANT: it follows from the leaves alone, so all processes derive the same bytes from the same leaves. Only leaves in archive files
 * may be left out, which are days old.
 */
export class ReplayPart {
  /** The bytes that are stored. */
  readonly bytes: Buffer;
  /** The replay keys of its leaves. Zeros for a leaf that is not of an activity. */
  readonly keys: Uint32Array;
  readonly #times: Float64Array;

  constructor(bytes?: Uint8Array) {
    const memory = new ArrayBuffer(PART_BYTES);
    this.bytes = Buffer.from(memory);
    if (bytes !== undefined) this.bytes.set(bytes);
    this.#times = new Float64Array(memory, 0, 2);
    this.keys = new Uint32Array(memory, HEADER_BYTES);
  }

  /** The time of the newest leaf. */
  get newestMs(): number {
    return this.#times[0] as number;
  }

  /** When the operator last accepted a loss of activities, according to these leaves. 0 if never. */
  get lossAcceptedAtMs(): number {
    return this.#times[1] as number;
  }

  /** Adds the leaf at an index of the log. */
  add(leafIndex: number, { organizationId, fingerprint, type, timeMs }: ReplayLeaf): void {
    const at = (leafIndex % PART_LEAVES) * KEY_WORDS;
    if (fingerprint.startsWith('sha256:')) writeReplayKey(this.keys, at, organizationId, fingerprint);
    this.#times[0] = Math.max(this.newestMs, timeMs);
    // SECURITY: the type of an activity always begins with ACTIVITY_TYPE_, so no tenant can write such a leaf.
    if (LOSSES.has(type)) this.#times[1] = Math.max(this.lossAcceptedAtMs, timeMs);
  }

  /** The key of one leaf. */
  keyAt(leafIndex: number): Uint32Array {
    const at = (leafIndex % PART_LEAVES) * KEY_WORDS;
    return this.keys.subarray(at, at + KEY_WORDS);
  }
}
