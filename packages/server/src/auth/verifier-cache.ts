import { LRUCache } from 'lru-cache';
import type { Verifier } from './schemes.ts';

/** Keeps the verifiers of credentials that are in use: preparing a key costs two to three times the check itself. */
export class VerifierCache {
  private readonly verifiers: LRUCache<string, Verifier>;

  /** `capacity` counts keys, about 2 KB each. */
  constructor(capacity = 10_000) {
    this.verifiers = new LRUCache({ max: capacity });
  }

  /** How many keys are held. */
  get size(): number {
    return this.verifiers.size;
  }

  /**
   * Whether the signature over the message holds for the key that `id` names. `prepare` makes its verifier where none is held.
   * SECURITY: a key is held only after one of its signatures was good, and callers ask for registered keys only. Made-up keys and
   * made-up signatures therefore push nothing out.
   */
  verify(id: string, prepare: () => Verifier, message: Uint8Array, signature: Uint8Array): boolean {
    const held = this.verifiers.get(id);
    if (held !== undefined) return held(message, signature);
    const verifier = prepare();
    const holds = verifier(message, signature);
    if (holds) this.verifiers.set(id, verifier);
    return holds;
  }
}
