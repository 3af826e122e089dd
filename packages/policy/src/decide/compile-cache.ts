import type { CheckOptions } from '../check/options.ts';
import { type CompiledPolicy, compilePolicy, type PolicySource } from '../policy.ts';
import { type IndexKey, indexKeys } from './index-key.ts';

/** A compiled policy, and the keys that a request must meet for the policy to matter. */
export interface Compiled {
  readonly policy: CompiledPolicy;
  readonly keys: readonly IndexKey[];
}

/** The most characters of text that one cache holds. */
const MAX_CHARACTERS = 16_777_216;
/** Eviction stops here. It evicts entries in batches, because finding the oldest entry of a map is slow after deletions. */
const EVICT_TO_CHARACTERS = MAX_CHARACTERS * 0.75;
/** The overhead of an entry, in addition to its text. */
const ENTRY_CHARACTERS = 256;

interface Cache {
  readonly byContent: Map<string, Compiled>;
  characters: number;
}

const caches = new WeakMap<CheckOptions, Cache>();

/**
 * Compiles a policy, or returns the cached result for the same content. Evicts the least recently used.
 * INVARIANT: the result depends on the effect, the expressions, their language and the options, not on the id.
 * SECURITY: checking an address can take 0.2 ms, and a policy can name hundreds. With the cache, only the first load pays for that.
 */
export function compileCached(source: PolicySource, options: CheckOptions): Compiled {
  const cache = cacheOf(options);
  const { id, effect, condition, consensus, time, language } = source;
  const content = JSON.stringify([effect, condition ?? null, consensus ?? null, time ?? null, language ?? null]);
  const cached = cache.byContent.get(content);
  const compiled = cached ?? compile(source, options);
  if (cached === undefined) cache.characters += content.length + ENTRY_CHARACTERS;
  else cache.byContent.delete(content);
  cache.byContent.set(content, compiled);
  if (cache.characters > MAX_CHARACTERS) evictOldest(cache);
  return { ...compiled, policy: { ...compiled.policy, id, source } };
}

function compile(source: PolicySource, options: CheckOptions): Compiled {
  const policy = compilePolicy(source, options);
  return { policy, keys: policy.invalid.length > 0 ? [] : indexKeys(policy) };
}

function evictOldest(cache: Cache): void {
  for (const oldest of cache.byContent.keys()) {
    if (cache.characters <= EVICT_TO_CHARACTERS) return;
    cache.byContent.delete(oldest);
    cache.characters -= oldest.length + ENTRY_CHARACTERS;
  }
}

function cacheOf(options: CheckOptions): Cache {
  const known = caches.get(options);
  if (known !== undefined) return known;
  const cache = { byContent: new Map<string, Compiled>(), characters: 0 };
  caches.set(options, cache);
  return cache;
}
