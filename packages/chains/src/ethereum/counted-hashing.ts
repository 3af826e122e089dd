import { keccak_256 } from '@noble/hashes/sha3.js';
import { invalidTypedData } from '../shared/refusal.ts';
import type { Hash } from '../transaction.ts';

/** The block size of Keccak-256 in bytes. */
const BLOCK_BYTES = 136;
/** Work between two steps: less than a millisecond of the portable code. */
const STEP_WORK = 64;

/**
 * Hashes the parts of typed data and counts the work: one for each value and for each hashed block.
 * SECURITY: D354: three characters of JSON can be a value that is hashed separately, and each used type hashes the text of every type that it
 * refers to.
 */
export class CountedHashing {
  readonly #keccak256: Hash;
  readonly #max: number;
  #work = 0;
  #pausedAt = 0;

  /** `max` bounds the work. `keccak256` is a faster engine than the portable one. */
  constructor(max = Number.POSITIVE_INFINITY, keccak256: Hash = keccak_256) {
    this.#max = max;
    this.#keccak256 = keccak256;
  }

  /** Counts a value. Throws ChainError INVALID_TYPED_DATA if that exceeds the bound. */
  countValue(): void {
    this.#count(1);
  }

  /** Keccak-256 of the bytes. Throws ChainError INVALID_TYPED_DATA if that exceeds the bound. */
  hash(bytes: Uint8Array): Uint8Array {
    this.#count(1 + Math.floor(bytes.length / BLOCK_BYTES));
    return this.#keccak256(bytes);
  }

  /** Whether a step is complete. The next one then begins. */
  endsStep(): boolean {
    if (this.#work - this.#pausedAt < STEP_WORK) return false;
    this.#pausedAt = this.#work;
    return true;
  }

  #count(work: number): void {
    this.#work += work;
    if (this.#work > this.#max)
      throw invalidTypedData(`more than ${this.#max} values and blocks to hash; sign less data, or several messages`);
  }
}
