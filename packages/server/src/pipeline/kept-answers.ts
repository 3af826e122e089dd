import { LRUCache } from 'lru-cache';
import type { WrittenJson } from '../wire/written-json.ts';

/** Cache size: a few of the largest organizations, or thousands of typical ones. */
const MAX_BYTES = 16_777_216;
/** Overhead of an entry in addition to its JSON. */
const ENTRY_BYTES = 1_000;

/** A response, and whether it may be cached: it matches its key exactly. */
interface Made<T> {
  readonly answer: WrittenJson<T>;
  readonly mayKeep: boolean;
}

/** A cache of responses that are requested often and expensive to serialize. The key contains everything that a response depends on. */
export interface KeptAnswers {
  /** Returns the response for a key. Concurrent calls with the same key share one computation. */
  get<T>(key: string, make: () => Promise<Made<T>>): Promise<WrittenJson<T>>;
}

export function createKeptAnswers(maxBytes = MAX_BYTES): KeptAnswers {
  const kept = new LRUCache<string, WrittenJson>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  });
  const underWay = new Map<string, Promise<WrittenJson>>();

  async function write<T>(key: string, make: () => Promise<Made<T>>): Promise<WrittenJson<T>> {
    try {
      const { answer, mayKeep } = await make();
      if (mayKeep) kept.set(key, answer);
      return answer;
    } finally {
      underWay.delete(key);
    }
  }

  function get<T>(key: string, make: () => Promise<Made<T>>): Promise<WrittenJson<T>> {
    const known = kept.get(key) as WrittenJson<T> | undefined;
    if (known !== undefined) return Promise.resolve(known);
    const going = underWay.get(key) as Promise<WrittenJson<T>> | undefined;
    // The failure may be specific to the first caller.
    if (going !== undefined) return going.catch(() => get(key, make));
    const writing = write(key, make);
    underWay.set(key, writing);
    return writing;
  }

  return { get };
}
