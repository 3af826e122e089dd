import { someNode, type Typed } from '../check/typed.ts';
import { compileNode } from '../evaluate/compile.ts';
import { StepBudget } from '../evaluate/step-budget.ts';
import { type CompiledExpression, evaluateExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { ActivityWords, PolicyUser } from '../request.ts';
import { activityKind, approvers, credentials } from '../schema/engine.ts';
import { kindsOf, type Namespace } from '../schema/namespace.ts';
import { credential, user } from '../schema/people.ts';
import type { PolicyValue } from '../value.ts';
import { scalarKey } from './bucket-counts.ts';
import { type ConsensusShape, consensusShape, type PeopleShape, type Predicate } from './consensus-shape.ts';
import { pathOf } from './index-key.ts';
import { HYPOTHETICAL_STEPS } from './pending.ts';
import type { IndexedPolicy, PolicyIndex } from './policy-index.ts';

/** The words of an activity by the paths that conditions read. */
type WordsByPath = ReadonlyMap<string, string>;

/**
 * Whether any policy could grant the activity to the user, or make it pending. Without a user: to any user.
 * INVARIANT: the result equals that of `couldApply` and `couldCount` for all policies. The index only skips policies for which one of them
 * is false.
 */
export function couldGrant(
  index: PolicyIndex,
  activity: ActivityWords,
  approver: PolicyUser | undefined,
  budget: StepBudget = new StepBudget(),
): boolean {
  const words = byPath(activity);
  const elements = approver && elementsOf(approver);
  for (const { policy } of possibleGrants(index, words, approver)) {
    budget.spend(1 + (policy.condition?.cost ?? 0) + (policy.consensus?.cost ?? 0));
    // The decision itself finds out.
    if (budget.isExhausted) return true;
    if (isApplicable(policy, words) && (elements === undefined || isCounted(policy, elements, budget))) return true;
  }
  return budget.isExhausted;
}

/**
 * Whether a DENY applies to every request of this type that the user stamps with one of their credentials. False if that takes more steps
 * than are left.
 * INVARIANT: if this is true, only the root quorum or a one-time key allows such a request.
 */
export function alwaysDenies(index: PolicyIndex, activity: ActivityWords, approver: PolicyUser, budget: StepBudget): boolean {
  const words = byPath(activity);
  for (const { policy } of fixedPolicies(index, words, approver)) {
    budget.spend(1 + (policy.condition?.cost ?? 0) + (policy.consensus?.cost ?? 0));
    if (budget.isExhausted) return false;
    if (appliesAlways(policy, words) && isMetAlways(policy, approver, budget)) return !budget.isExhausted;
  }
  return false;
}

/**
 * The policies that can apply to every request with these words: those without an index key, and those stored under the user, a word or
 * the namespace of a word, which every request has.
 */
function* fixedPolicies(index: PolicyIndex, words: WordsByPath, { id }: PolicyUser): Generator<IndexedPolicy, undefined> {
  yield* index.always.values();
  yield* index.byApprover.get(scalarKey(id))?.values() ?? [];
  for (const [path, word] of words) {
    yield* index.byNamespace.get(path)?.group.values() ?? [];
    yield* index.byPath.get(path)?.byValue.get(scalarKey(word))?.values() ?? [];
  }
  return undefined;
}

function appliesAlways({ effect, invalid, condition, time }: CompiledPolicy, words: WordsByPath): boolean {
  if (effect !== 'EFFECT_DENY' || invalid.length > 0 || time !== undefined) return false;
  return condition === undefined || fixedResult(condition.typed, words) === true;
}

/** Whether the user alone meets a consensus, with each of their credentials. False if it reads more than people. */
function isMetAlways({ consensus }: CompiledPolicy, approver: PolicyUser, budget: StepBudget): boolean {
  if (consensus === undefined) return true;
  const { credentials: own = [] } = approver;
  if (own.length === 0 || !consensus.uses.every(({ namespace }) => people.includes(namespace))) return false;
  const approverRecords = [user.toRecord(approver)];
  return own.every((each) => {
    const values = new Map([
      [approvers.path, approverRecords],
      [credentials.path, [credential.toRecord(each)]],
    ]);
    return evaluateExpression(consensus, values, undefined, budget) === true;
  });
}

const people: readonly Namespace[] = [approvers, credentials];

/**
 * The result of a condition for every request with these words. Undefined if it reads anything else: that could be in error, and an error of
 * a part decides differently.
 */
function fixedResult(node: Typed, words: WordsByPath): boolean | undefined {
  switch (node.kind) {
    case 'constant':
      return node.value === true;
    case 'not': {
      const result = fixedResult(node.operand, words);
      return result === undefined ? undefined : !result;
    }
    case 'and':
    case 'or': {
      const results = node.operands.map((operand) => fixedResult(operand, words));
      if (results.includes(undefined)) return undefined;
      return node.kind === 'and' ? !results.includes(false) : results.includes(true);
    }
    case 'oneOf': {
      const word = node.operand.kind === 'read' ? words.get(pathOf(node.operand)) : undefined;
      return word === undefined ? undefined : node.values.has(word) !== node.negated;
    }
    default:
      return undefined;
  }
}

/** All policies except those whose index key the activity or the user does not meet. */
function* possibleGrants(
  index: PolicyIndex,
  words: WordsByPath,
  approver: PolicyUser | undefined,
): Generator<IndexedPolicy, undefined> {
  yield* index.always.values();
  if (approver === undefined) for (const group of index.byApprover.values()) yield* group.values();
  else yield* index.byApprover.get(scalarKey(approver.id))?.values() ?? [];
  for (const { namespace, group } of index.byNamespace.values()) if (canHave(namespace, words)) yield* group.values();
  for (const { read, byValue } of index.byPath.values()) {
    const word = words.get(pathOf(read));
    if (word !== undefined) yield* byValue.get(scalarKey(word))?.values() ?? [];
    else if (canHave(read.namespace, words)) for (const group of byValue.values()) yield* group.values();
  }
  return undefined;
}

/**
 * Whether a policy could allow an activity of this type, or make it pending, for some parameters.
 * INVARIANT: if this is false, the policy does neither for any request of this type.
 */
export function couldApply(policy: CompiledPolicy, activity: ActivityWords): boolean {
  return isApplicable(policy, byPath(activity));
}

function isApplicable({ effect, invalid, condition }: CompiledPolicy, words: WordsByPath): boolean {
  if (effect !== 'EFFECT_ALLOW' || invalid.length > 0) return false;
  if (condition === undefined) return true;
  return condition.uses.every(({ namespace }) => canHave(namespace, words)) && canBeTrue(condition.typed, words);
}

/** Whether an expression could be true for a request with these words and any other content. */
export function canBeTrue(node: Typed, words: WordsByPath): boolean {
  return (possibleResults(node, words) & TRUE) !== 0;
}

/** Whether the approval of this user could help to meet the consensus of a policy. The same INVARIANT holds. */
export function couldCount(policy: CompiledPolicy, approver: PolicyUser): boolean {
  return isCounted(policy, elementsOf(approver), new StepBudget());
}

function byPath({ type, kind, resource, action }: ActivityWords): WordsByPath {
  return new Map([
    ['activity.type', type],
    [activityKind.path, kind],
    ['activity.resource', resource],
    ['activity.action', action],
  ]);
}

/** Whether activities of this kind can have a namespace. */
function canHave(namespace: Namespace, words: WordsByPath): boolean {
  return kindsOf(namespace)?.has(words.get(activityKind.path) ?? '') !== false;
}

/** Whether a predicate reads more of the request than its element. */
function readsRequest(body: Typed): boolean {
  return someNode(body, (node) => node.kind === 'read' || (node.kind === 'apply' && node.reads.length > 0));
}

/** The possible results of a condition for a request that has not been read, as bits. */
const TRUE = 1;
const FALSE = 2;
const EITHER = TRUE | FALSE;

function possibleResults(node: Typed, words: WordsByPath): number {
  switch (node.kind) {
    case 'constant':
      return node.value === true ? TRUE : FALSE;
    case 'not': {
      const results = possibleResults(node.operand, words);
      return ((results & TRUE) << 1) | ((results & FALSE) >> 1);
    }
    case 'and':
      return node.operands.reduce((all, operand) => {
        const results = possibleResults(operand, words);
        return (all & results & TRUE) | ((all | results) & FALSE);
      }, TRUE);
    case 'or':
      return node.operands.reduce((all, operand) => {
        const results = possibleResults(operand, words);
        return ((all | results) & TRUE) | (all & results & FALSE);
      }, FALSE);
    case 'oneOf': {
      const word = node.operand.kind === 'read' ? words.get(pathOf(node.operand)) : undefined;
      if (word === undefined) return EITHER;
      return node.values.has(word) !== node.negated ? TRUE : FALSE;
    }
    default:
      return EITHER;
  }
}

/** One user, as elements of the lists that a consensus reads. */
type Elements = Readonly<Record<PeopleShape['source'], readonly PolicyValue[]>>;

const elementsOf = (approver: PolicyUser): Elements => ({
  approvers: [user.toRecord(approver)],
  credentials: (approver.credentials ?? []).map(credential.toRecord),
});

type Counts = (elements: Elements, budget: StepBudget) => boolean;

/** Memoized per consensus, because one early denial can evaluate thousands of them. */
const countsOf = new WeakMap<CompiledExpression, Counts>();

function isCounted({ consensus }: CompiledPolicy, elements: Elements, budget: StepBudget): boolean {
  if (consensus === undefined) return true;
  let counts = countsOf.get(consensus);
  if (counts === undefined) {
    const shape = consensusShape(consensus.typed);
    counts = shape === undefined ? () => true : compileCounts(shape, consensus.asks);
    countsOf.set(consensus, counts);
  }
  return counts(elements, budget);
}

/**
 * Whether a monotone consensus could count the user in one of its numbers of people. A consensus that holds, or that other approvals can
 * still satisfy, counts a present approver in some part, or requires no approver.
 */
function compileCounts(part: ConsensusShape, asks: CompiledExpression['asks']): Counts {
  if (part.kind === 'fixed') return () => true;
  if (part.kind === 'people') {
    const { source, atLeast, predicates } = part;
    if (atLeast <= 0n) return () => true;
    const matches = predicates.map((predicate) => compilePredicate(predicate, asks));
    return (elements, budget) => elements[source].some((element) => matches.every((match) => match(element, budget)));
  }
  const people = part.all ? part.parts.filter(({ kind }) => kind !== 'fixed') : part.parts;
  const counts = people.map((each) => compileCounts(each, asks));
  return counts.length === 0 ? () => true : (elements, budget) => counts.some((count) => count(elements, budget));
}

function compilePredicate(
  { slot, body }: Predicate,
  asks: CompiledExpression['asks'],
): (element: PolicyValue, budget: StepBudget) => boolean {
  // The rest of the request is not known yet.
  if (readsRequest(body)) return () => true;
  const evaluate = compileNode(body, asks);
  return (element, budget) => {
    const variables: PolicyValue[] = [];
    variables[slot] = element;
    return evaluate({ values: new Map(), variables, steps: 0, maxSteps: HYPOTHETICAL_STEPS, budget }) === true;
  };
}
