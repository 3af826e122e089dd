import { decide } from '../decide/decide.ts';
import { compilePolicies, type PolicySet } from '../decide/policy-set.ts';
import { type CompiledExpression, compileExpression } from '../expression.ts';
import { decisionLimits } from '../limits.ts';
import { type Candidate, type CounterExample, confirm, type Decide, smallest, withApprover } from './counter-example.ts';
import { LONGEST_LIST, prefixLength, sufficientListSize } from './list-bound.ts';
import { type AskOptions, ask, askWhetherPossible, type Property, type Question } from './question.ts';
import type { World } from './symbolic-request.ts';
import { type Model, readAnswer } from './symbols.ts';
import { NotUnderstoodError, requireExpression, requireUnderstood } from './understood.ts';

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
  /** No request with lists of the tried length satisfies `forbid`. Longer lists may. */
  | 'LISTS'
  /** The solver returned a request that the engine does not allow. */
  | 'NOT_CONFIRMED'
  /** The policies allow a request that violates it, but a rule of the service that no policy can lift denies it. */
  | 'GUARDED'
  /** No policy allows it, but a key that was sent by mail does, regardless of policies. */
  | 'ONE_TIME_KEY';

export interface ProveSettings {
  /** Runs a script in SMT-LIB 2. Returns a line `sat`, `unsat` or `unknown`, and after `sat` the model. */
  readonly solve: (script: string) => Promise<string>;
  /** The maximum length of each list, if no bound covers all lengths. */
  readonly listSize: number;
  /** Include requests of the root quorum. By default they are excluded, because the root quorum may do everything. */
  readonly includeRoot: boolean;
  /** Decides counter-examples like the service. By default, the policies alone decide. */
  readonly decide?: Decide;
}

/**
 * Proves or refutes that a set of policies guarantees a property, over all requests of one kind of activity.
 * INVARIANT: PROVEN means that the service allows no such request. Rules of the service other than policies only deny, so a proof that ignores
 * them holds with them. They matter for counter-examples, which the service has to allow.
 */
export async function prove(set: PolicySet, property: Property, world: World, settings: ProveSettings): Promise<Verdict> {
  try {
    set.policies.forEach(requireUnderstood);
    for (const expression of [property.forbid, property.unless]) requireExpression(expression);
    return await proveUnderstood(set, property, world, settings);
  } catch (error) {
    if (!(error instanceof NotUnderstoodError)) throw error;
    return { verdict: 'UNKNOWN', reason: 'OUTSIDE', parts: [error.part] };
  }
}

async function proveUnderstood(set: PolicySet, property: Property, world: World, settings: ProveSettings): Promise<Verdict> {
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
  if (possible.kind === 'unsat')
    return { verdict: 'UNKNOWN', reason: enough === undefined ? 'LISTS' : 'NOTHING_FORBIDDEN', parts: [] };
  if (world.activity.oneTimeKeySuffices === true) return { verdict: 'UNKNOWN', reason: 'ONE_TIME_KEY', parts: [] };
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
  const attempt = async (more: Partial<AskOptions>) => {
    const question = ask(set, property, world, { ...options, ...more });
    const answer = await run(question, settings);
    const checked = answer.kind === 'sat' ? check({ set, property, world, settings }, question, answer.model) : {};
    return { kind: answer.kind, ...checked, abstractions: question.abstractions };
  };
  const first = await attempt({});
  if (first.kind === 'unsat') return undefined;
  if (first.counterExample !== undefined) return { verdict: 'REFUTED', counterExample: first.counterExample };
  if (first.kind === 'unknown') return { verdict: 'UNKNOWN', reason: 'TIME', parts: [] };
  if (first.guarded !== undefined) {
    for (const more of [{ plainOnly: true }, { plainOnly: true, without: first.guarded }]) {
      const { counterExample } = await attempt(more);
      if (counterExample !== undefined) return { verdict: 'REFUTED', counterExample };
    }
  }
  if (first.abstractions.length > 0) {
    const { counterExample } = await attempt({ describedOnly: true });
    if (counterExample !== undefined) return { verdict: 'REFUTED', counterExample };
  }
  if (first.guarded !== undefined) return { verdict: 'UNKNOWN', reason: 'GUARDED', parts: first.guarded };
  if (first.abstractions.length === 0) return { verdict: 'UNKNOWN', reason: 'NOT_CONFIRMED', parts: [] };
  return { verdict: 'UNKNOWN', reason: 'OUTSIDE', parts: outermost(first.abstractions) };
}

interface Asked {
  readonly set: PolicySet;
  readonly property: Property;
  readonly world: World;
  readonly settings: ProveSettings;
}

/** The counter-example of a model, if the service allows it. */
function check(asked: Asked, { request: symbolic }: Question, model: Model) {
  const { includeRoot, decide: decideRequest = byPolicies } = asked.settings;
  const read = readWithout(asked, symbolic.absentControls(model));
  if (read === undefined) return {};
  const retry = (request: CounterExample['request']) => confirm({ ...read, request }, includeRoot, decideRequest);
  const requests = [true, false].map((readable) => symbolic.decode(model, readable));
  // Requests without an approver are rare and hard to read.
  const found = firstOf([...requests.flatMap(withApprover), ...requests], (each) => retry(each).found);
  if (found !== undefined) return { counterExample: smallest(found, (each) => retry(each).found) };
  const guarded = firstOf(requests, (each) => retry(each).guarded);
  return guarded === undefined ? {} : { guarded };
}

function firstOf<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

const byPolicies: Decide = (set, request) => decide(set, request, decisionLimits);

/** The policies and the property as they are read if some controls do not exist for this kind of activity. */
function readWithout({ set, property, world }: Asked, absent: readonly string[]): Omit<Candidate, 'request'> | undefined {
  const { controls = [] } = world.options;
  const missing = controls.filter(({ name, uncertainIn }) => absent.includes(name) && uncertainIn?.includes(world.activity.kind));
  if (missing.length === 0) return { set, property };
  const { kind } = world.activity;
  const options = {
    ...world.options,
    controls: controls.map((each) =>
      missing.includes(each) ? { ...each, kinds: each.kinds.filter((one) => one !== kind) } : each,
    ),
  };
  const again = ({ text, field, asks }: CompiledExpression) => compileExpression(text, field, options, asks).expression;
  const forbid = again(property.forbid);
  if (forbid === undefined) return undefined;
  return {
    set: compilePolicies(
      set.policies.map(({ source }) => source),
      options,
    ),
    property: { ...property, forbid },
  };
}

async function run(question: Question, { solve }: ProveSettings) {
  return readAnswer(await solve(question.script));
}

/** The parts that are not inside another part. */
function outermost(parts: readonly string[]): readonly string[] {
  return parts.filter((part) => !parts.some((other) => other !== part && other.includes(part)));
}
