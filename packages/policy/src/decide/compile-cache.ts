import { type CheckOptions, forStored } from '../check/options.ts';
import type { CompiledExpression } from '../expression.ts';
import { FormCache } from '../forms/form-cache.ts';
import { asksOf, type CompiledPolicy, compilePolicy, expressionsOf, type PolicySource } from '../policy.ts';
import type { PolicyField } from '../value.ts';
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
  readonly forms: FormCache;
  readonly byContent: Map<string, Compiled>;
  characters: number;
}

const caches = new WeakMap<CheckOptions, Cache>();

/**
 * Compiles a policy, unless one of the same content was compiled before, or one that is the same but for some literals. Those that were
 * used longest ago are forgotten first.
 * INVARIANT: what a policy compiles to follows from its effect, its expressions and the options. Its id plays no part.
 */
export function compileKept(source: PolicySource, options: CheckOptions): Compiled {
  const cache = cacheOf(options);
  const formed = ofForms(source, cache.forms);
  if (formed !== undefined) return { policy: formed, keys: indexKeys(formed) };
  const { id, effect, condition, consensus, time } = source;
  const content = JSON.stringify([effect, condition ?? null, consensus ?? null, time ?? null]);
  const known = cache.byContent.get(content);
  const compiled = known ?? compile(source, options, cache.forms);
  if (known !== undefined) cache.byContent.delete(content);
  else cache.characters += content.length + BASE_CHARACTERS;
  cache.byContent.set(content, compiled);
  if (cache.characters > MAX_CHARACTERS) forgetOldest(cache);
  return { policy: { ...compiled.policy, id, source }, keys: compiled.keys };
}

const nothing: CompiledPolicy['invalid'] = [];

/** The policy, if the forms of all its expressions are known. */
function ofForms(source: PolicySource, forms: FormCache): CompiledPolicy | undefined {
  const { id, effect } = source;
  const asks = asksOf(effect);
  const compiled: Partial<Record<PolicyField, CompiledExpression>> = {};
  for (const [field, text] of expressionsOf(source)) {
    const expression = forms.find(text, field, asks);
    if (expression === undefined) return undefined;
    compiled[field] = expression;
  }
  return { id, effect, source, ...compiled, invalid: nothing };
}

function forgetOldest(cache: Cache): void {
  for (const oldest of cache.byContent.keys()) {
    if (cache.characters <= KEPT_CHARACTERS) return;
    cache.byContent.delete(oldest);
    cache.characters -= oldest.length + BASE_CHARACTERS;
  }
}

function compile(source: PolicySource, options: CheckOptions, forms: FormCache): Compiled {
  const asks = asksOf(source.effect);
  const policy = compilePolicy(source, options, (text, field) => forms.compile(text, field, asks));
  return { policy, keys: policy.invalid.length > 0 ? [] : indexKeys(policy) };
}

function cacheOf(options: CheckOptions): Cache {
  const known = caches.get(options);
  if (known !== undefined) return known;
  const cache = { forms: new FormCache(forStored(options)), byContent: new Map<string, Compiled>(), characters: 0 };
  caches.set(options, cache);
  return cache;
}
