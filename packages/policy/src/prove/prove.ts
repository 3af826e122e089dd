import type { PolicySet } from '../decide/policy-set.ts';
import { type CounterExample, confirm, smallest } from './counter-example.ts';
import { LONGEST_LIST, prefixLength, sufficientListSize } from './list-bound.ts';
import { type AskOptions, ask, askWhetherPossible, type Property, type Question } from './question.ts';
import type { World } from './symbolic-request.ts';
import { readAnswer } from './symbols.ts';

/** Whether the policies guarantee a property. */
export type Verdict =
  /** No request violates it. `upTo`: proven only for lists of at most this length. Absent if proven for all lengths. */
  | { readonly verdict: 'PROVEN'; readonly upTo?: number }
  | { readonly verdict: 'REFUTED'; readonly counterExample: CounterExample }
  | { readonly verdict: 'UNKNOWN'; readonly reason: UnknownReason; readonly parts: readonly string[] };

/** Why there is no verdict. Codes are stable. */
export type UnknownReason =
  /** The solver timed out, or the question is too long for it. */
  | 'TIME'
  /** It depends on `parts` of the source texts that the encoding does not model. */
  | 'OUTSIDE'
  /** No request satisfies `forbid`, so the property is vacuous. */
  | 'NOTHING_FORBIDDEN'
  /** The solver returned a request that the engine does not allow. */
  | 'NOT_CONFIRMED';

export interface ProveSettings {
  /** Runs a script in SMT-LIB 2. Returns a line `sat`, `unsat` or `unknown`, and after `sat` the model. */
  readonly solve: (script: string) => Promise<string>;
  /** The maximum length of each list, if no bound covers all lengths. */
  readonly listSize: number;
  /** Include requests of the root quorum. By default they are excluded, because the root quorum may do everything. */
  readonly includeRoot: boolean;
}

/** Proves or refutes that a set of policies guarantees a property, over all requests of one kind of activity. */
export async function prove(set: PolicySet, property: Property, world: World, settings: ProveSettings): Promise<Verdict> {
  const { policies } = set;
  const enough = sufficientListSize(property.forbid.typed, policies);
  const least = Math.min(LONGEST_LIST, Math.max(1, prefixLength(property.forbid.typed, policies)));
  const size = enough ?? Math.max(least, settings.listSize);
  // Short lists first: a counter-example with one element is easier to read.
  for (const listSize of new Set([least, size])) {
    const verdict = await search(set, property, world, settings, { listSize, includeRoot: settings.includeRoot });
    if (verdict !== undefined) return verdict;
  }
  const possible = await run(askWhetherPossible(property, world, size), settings);
  if (possible.kind === 'unsat') return { verdict: 'UNKNOWN', reason: 'NOTHING_FORBIDDEN', parts: [] };
  return enough === undefined ? { verdict: 'PROVEN', upTo: size } : { verdict: 'PROVEN' };
}

/** A verdict other than PROVEN. Undefined if there is no counter-example of this size. */
async function search(
  set: PolicySet,
  property: Property,
  world: World,
  settings: ProveSettings,
  options: AskOptions,
): Promise<Verdict | undefined> {
  const attempt = async (describedOnly: boolean) => {
    const question = ask(set, property, world, { ...options, describedOnly });
    const answer = await run(question, settings);
    const retry = (request: CounterExample['request']) => confirm(set, property, request, options.includeRoot);
    const found = answer.kind === 'sat' ? retry(question.request.decode(answer.model)) : undefined;
    const counterExample = found === undefined ? undefined : smallest(found, retry);
    return { kind: answer.kind, counterExample, abstractions: question.abstractions };
  };
  const first = await attempt(false);
  if (first.kind === 'unsat') return undefined;
  if (first.counterExample !== undefined) return { verdict: 'REFUTED', counterExample: first.counterExample };
  if (first.kind === 'unknown') return { verdict: 'UNKNOWN', reason: 'TIME', parts: [] };
  if (first.abstractions.length === 0) return { verdict: 'UNKNOWN', reason: 'NOT_CONFIRMED', parts: [] };
  const { counterExample } = await attempt(true);
  if (counterExample !== undefined) return { verdict: 'REFUTED', counterExample };
  return { verdict: 'UNKNOWN', reason: 'OUTSIDE', parts: outermost(first.abstractions) };
}

async function run(question: Question, { solve }: ProveSettings) {
  return readAnswer(await solve(question.script));
}

/** The parts that are not inside another part. */
function outermost(parts: readonly string[]): readonly string[] {
  return parts.filter((part) => !parts.some((other) => other !== part && other.includes(part)));
}
