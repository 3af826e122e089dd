import { LRUCache } from 'lru-cache';
import type { WrittenJson } from '../wire/written-json.ts';

/** The most bytes that are kept: a few of the largest organizations, or thousands of the usual ones. */
const MAX_BYTES = 16_777_216;
/** What an entry takes beside its JSON. */
const ENTRY_BYTES = 1_000;

/** An answer, and whether it is exactly of what its key names. */
interface Made<T> {
  readonly answer: WrittenJson<T>;
  readonly mayKeep: boolean;
}

/** Answers that many ask for and that are long to write, by all that they depend on. */
export interface KeptAnswers {
  /** The answer of a key. Who asks while it is being written gets the same one. */
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
    // Why it fails may have to do with whoever asked first.
    if (going !== undefined) return going.catch(() => get(key, make));
    const writing = write(key, make);
    underWay.set(key, writing);
    return writing;
  }

  return { get };
}
