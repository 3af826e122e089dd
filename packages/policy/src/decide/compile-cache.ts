import { type CheckOptions, forStored } from '../check/options.ts';
import type { Asks } from '../evaluate/compile.ts';
import type { CompiledExpression } from '../expression.ts';
import { FormCache } from '../forms/form-cache.ts';
import { asksOf, type CompiledPolicy, compilePolicy, expressionsOf, type PolicySource } from '../policy.ts';
import type { PolicyField } from '../value.ts';
import { type IndexKey, indexKeys } from './index-key.ts';

/** A compiled policy, and what a request must meet for it to matter. */
export interface Compiled {
  readonly policy: CompiledPolicy;
  readonly keys: readonly IndexKey[];
}

/** How much text the policies have that are kept compiled, for each set of options. */
const MAX_CHARACTERS = 16_777_216;
/** How much is left when the oldest are forgotten: many at a time, because a map is slow to tell its oldest entry after deletions. */
const KEPT_CHARACTERS = MAX_CHARACTERS * 0.75;
/** What a policy counts beside its text. */
const BASE_CHARACTERS = 256;

/** How much text a policy has that is kept even where its form is known. */
const LONG_CHARACTERS = 1_024;

/** The forms of each field, by what its expressions ask. */
type Forms = Readonly<Record<Asks, Readonly<Record<PolicyField, FormCache>>>>;

interface Cache {
  readonly forms: Forms;
  readonly byContent: Map<string, Compiled>;
  characters: number;
}

const caches = new WeakMap<CheckOptions, Cache>();

/**
 * Compiles a policy, unless one of the same content was compiled before, or one that is the same but for some literals. Those that were
 * used longest ago are forgotten first.
 * INVARIANT: what a policy compiles to follows from its effect, its expressions and the options. Its id plays no part.
 */
export function compileCached(source: PolicySource, options: CheckOptions): Compiled {
  const cache = cacheOf(options);
  const { id, effect, condition, consensus, time } = source;
  // SECURITY: a long policy may name hundreds of addresses, which take long to check. So it is kept, and checked once however often its
  // organization is read.
  const isLong = (condition?.length ?? 0) + (consensus?.length ?? 0) + (time?.length ?? 0) > LONG_CHARACTERS;
  const formed = isLong ? undefined : ofForms(source, cache.forms);
  if (formed !== undefined) return indexed(formed);
  const content = JSON.stringify([effect, condition ?? null, consensus ?? null, time ?? null]);
  const known = cache.byContent.get(content);
  const compiled = known ?? compile(source, options, cache.forms);
  if (known !== undefined) cache.byContent.delete(content);
  else cache.characters += content.length + BASE_CHARACTERS;
  cache.byContent.set(content, compiled);
  if (cache.characters > MAX_CHARACTERS) forgetOldest(cache);
  return { ...compiled, policy: { ...compiled.policy, id, source } };
}

const nothing: CompiledPolicy['invalid'] = [];

/** The policy, if the forms of all its expressions are known. */
function ofForms(source: PolicySource, caches: Forms): CompiledPolicy | undefined {
  const { id, effect } = source;
  const forms = caches[asksOf(effect)];
  const compiled: Partial<Record<PolicyField, CompiledExpression>> = {};
  for (const [field, text] of expressionsOf(source)) {
    const expression = forms[field].find(text);
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

function compile(source: PolicySource, options: CheckOptions, caches: Forms): Compiled {
  const forms = caches[asksOf(source.effect)];
  return indexed(compilePolicy(source, options, (text, field) => forms[field].compile(text)));
}

function indexed(policy: CompiledPolicy): Compiled {
  return { policy, keys: policy.invalid.length > 0 ? [] : indexKeys(policy) };
}

function cacheOf(options: CheckOptions): Cache {
  const known = caches.get(options);
  if (known !== undefined) return known;
  const stored = forStored(options);
  const formsOf = (asks: Asks) => ({
    condition: new FormCache('condition', stored, asks),
    consensus: new FormCache('consensus', stored, asks),
    time: new FormCache('time', stored, asks),
  });
  const forms = { EVERY_OPERAND: formsOf('EVERY_OPERAND'), UNTIL_DECIDED: formsOf('UNTIL_DECIDED') };
  const cache = { forms, byContent: new Map<string, Compiled>(), characters: 0 };
  caches.set(options, cache);
  return cache;
}
