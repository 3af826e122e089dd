import { PersistentMap } from '@countersign/collections';
import type { Scalar } from '../check/typed.ts';
import type { IndexKey } from './index-key.ts';

/** The number of policies for each key of the index. It determines the key under which a policy is stored. */
export class BucketCounts {
  readonly #counts: PersistentMap<number>;

  private constructor(counts: PersistentMap<number>) {
    this.#counts = counts;
  }

  static readonly empty = new BucketCounts(PersistentMap.empty());

  /** The counts after one policy with these keys is added (1) or removed (-1). */
  with(keys: readonly IndexKey[], change: 1 | -1): BucketCounts {
    let counts = this.#counts;
    for (const bucket of keys.flatMap(bucketsOf)) {
      const count = (counts.get(bucket) ?? 0) + change;
      counts = count === 0 ? counts.without(bucket) : counts.with(bucket, count);
    }
    return new BucketCounts(counts);
  }

  /** The key whose largest bucket is the smallest, so that the fewest requests evaluate the policy needlessly. */
  smallestBucket(keys: readonly IndexKey[]): IndexKey | undefined {
    let best: IndexKey | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const key of keys) {
      let size = 0;
      for (const bucket of bucketsOf(key)) size = Math.max(size, this.#counts.get(bucket) ?? 0);
      if (size >= least) continue;
      best = key;
      least = size;
      // The policy itself is in the bucket, so no bucket is smaller.
      if (least <= 1) break;
    }
    return best;
  }
}

/** A literal as a map key. The integer 5 and the text '5' have different keys. */
export const scalarKey = (value: Scalar) => `${typeof value} ${String(value)}`;

function bucketsOf(key: IndexKey): readonly string[] {
  if (key.kind === 'namespace') return [`namespace ${key.namespace.path}`];
  const [name, values] = key.kind === 'path' ? [key.path, key.values] : ['approver id', key.userIds];
  return [...values].map((value) => `${name} ${scalarKey(value)}`);
}
