import type { CheckOptions } from '../check/options.ts';
import { type CompiledPolicy, compilePolicy, type PolicySource } from '../policy.ts';
import { type IndexKey, indexKeys } from './index-key.ts';

/** A compiled policy and what a request must meet for it to matter. */
interface Compiled {
  readonly policy: CompiledPolicy;
  readonly keys: readonly IndexKey[];
}

/** How much text the policies have that are kept compiled, for each set of options. */
const MAX_CHARACTERS = 16_777_216;
/** How much is left when the oldest are forgotten: many at a time, because a map is slow to tell its oldest entry after deletions. */
const KEPT_CHARACTERS = MAX_CHARACTERS * 0.75;
/** What a policy counts beside its text. */
const BASE_CHARACTERS = 256;

interface Cache {
  readonly byContent: Map<string, Compiled>;
  characters: number;
}

const caches = new WeakMap<CheckOptions, Cache>();

/**
 * Compiles a policy, unless one of the same content was compiled before. Those that were used longest ago are forgotten first.
 * INVARIANT: what a policy compiles to follows from its effect, its expressions and the options. Its id plays no part.
 */
export function compileKept(source: PolicySource, options: CheckOptions): Compiled {
  const cache = cacheOf(options);
  const { id, effect, condition, consensus, time } = source;
  const content = JSON.stringify([effect, condition ?? null, consensus ?? null, time ?? null]);
  const known = cache.byContent.get(content);
  const compiled = known ?? compile(source, options);
  if (known !== undefined) cache.byContent.delete(content);
  else cache.characters += content.length + BASE_CHARACTERS;
  cache.byContent.set(content, compiled);
  if (cache.characters > MAX_CHARACTERS) forgetOldest(cache);
  return { policy: { ...compiled.policy, id, source }, keys: compiled.keys };
}

function forgetOldest(cache: Cache): void {
  for (const oldest of cache.byContent.keys()) {
    if (cache.characters <= KEPT_CHARACTERS) return;
    cache.byContent.delete(oldest);
    cache.characters -= oldest.length + BASE_CHARACTERS;
  }
}

function compile(source: PolicySource, options: CheckOptions): Compiled {
  const policy = compilePolicy(source, options);
  return { policy, keys: policy.invalid.length > 0 ? [] : indexKeys(policy) };
}

function cacheOf(options: CheckOptions): Cache {
  const cache = caches.get(options) ?? { byContent: new Map<string, Compiled>(), characters: 0 };
  caches.set(options, cache);
  return cache;
}
