import { LRUCache } from 'lru-cache';
import { lazyLru } from '../../admission/index.ts';
import type { Verifier } from './schemes.ts';

/** Caches the verifiers of credentials in use: preparing a key costs two to three times as much as a check. */
export class VerifierCache {
  private readonly verifiers: LRUCache<string, Verifier>;

  /** `capacity` counts keys, about 2 KB each. */
  constructor(capacity = 10_000) {
    this.verifiers = new LRUCache(lazyLru(capacity));
  }

  /** The number of cached keys. */
  get size(): number {
    return this.verifiers.size;
  }

  /**
   * Whether the signature over the message verifies for the key that `id` names. `prepare` creates the verifier if it is not cached.
   * SECURITY: a key is cached only after one of its signatures verified, and callers ask for registered keys only. So invented keys and
   * signatures evict nothing.
   * SECURITY: a refusal prepares the key once, cached or not. Callers prepare a key for unknown credentials too. So the time of a refusal
   * tells neither which credentials are registered nor which are in use.
   */
  verify(id: string, prepare: () => Verifier, message: Uint8Array, signature: Uint8Array): boolean {
    const held = this.verifiers.get(id);
    const verifier = held ?? prepare();
    const holds = verifier(message, signature);
    if (holds && held === undefined) this.verifiers.set(id, verifier);
    if (!holds && held !== undefined) prepare();
    return holds;
  }
}
