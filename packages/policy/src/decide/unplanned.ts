import { someNode, type Typed } from '../check/typed.ts';
import { compileNode } from '../evaluate/compile.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { PolicyUser } from '../request.ts';
import { kindsOf } from '../schema/namespace.ts';
import { credential, user } from '../schema/people.ts';
import type { PolicyValue } from '../value.ts';
import { type ConsensusShape, consensusShape, type PeopleShape } from './consensus-shape.ts';
import { HYPOTHETICAL_STEPS } from './pending.ts';

/** The words of an activity that conditions compare. They are known before anything else of a request is. */
export interface UnplannedActivity {
  readonly type: string;
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
}

/**
 * Whether a policy could allow an activity of this type, or wait for approvals of it, judging by its text alone.
 * INVARIANT: where this says no, the policy gives neither, whatever the request holds. Everything that the text does not settle counts
 * as possible.
 */
export function couldApply({ effect, invalid, condition }: CompiledPolicy, activity: UnplannedActivity): boolean {
  if (effect !== 'EFFECT_ALLOW' || invalid.length > 0) return false;
  if (condition === undefined) return true;
  const isPresent = condition.uses.every(({ namespace }) => kindsOf(namespace)?.has(activity.kind) !== false);
  return isPresent && could(condition.typed, activityWords(activity)).hold;
}

/** Whether the approval of this user could help to meet the consensus of a policy. The same INVARIANT holds. */
export function couldCount({ consensus }: CompiledPolicy, approver: PolicyUser): boolean {
  const shape = consensus && consensusShape(consensus.typed);
  return consensus === undefined || shape === undefined || countsIn(consensus, shape, approver);
}

/** The words of an activity by the paths that conditions name them by. */
export function activityWords({ type, kind, resource, action }: UnplannedActivity): ReadonlyMap<string, string> {
  return new Map([
    ['activity.type', type],
    ['activity.kind', kind],
    ['activity.resource', resource],
    ['activity.action', action],
  ]);
}

const wordPaths: ReadonlySet<string> = new Set(['activity.type', 'activity.kind', 'activity.resource', 'activity.action']);

/** The path of the word of an activity that a node compares with literals. */
export function wordOf(node: Typed): string | undefined {
  if (node.kind !== 'oneOf' || node.operand.kind !== 'read' || node.operand.path.length > 0) return undefined;
  const { path } = node.operand.namespace;
  return wordPaths.has(path) ? path : undefined;
}

/** Whether a predicate reads more of the request than its one element. */
export function readsBeyond(body: Typed): boolean {
  return someNode(body, (node) => node.kind === 'read' || (node.kind === 'apply' && node.reads.length > 0));
}

/** The values that an expression could have. */
interface Could {
  readonly hold: boolean;
  readonly fail: boolean;
}

function could(node: Typed, known: ReadonlyMap<string, string>): Could {
  switch (node.kind) {
    case 'constant':
      return exactly(node.value === true);
    case 'not': {
      const { hold, fail } = could(node.operand, known);
      return { hold: fail, fail: hold };
    }
    case 'and': {
      const parts = node.operands.map((operand) => could(operand, known));
      return { hold: parts.every(({ hold }) => hold), fail: parts.some(({ fail }) => fail) };
    }
    case 'or': {
      const parts = node.operands.map((operand) => could(operand, known));
      return { hold: parts.some(({ hold }) => hold), fail: parts.every(({ fail }) => fail) };
    }
    case 'oneOf': {
      const { values, negated } = node;
      const word = known.get(wordOf(node) ?? '');
      return word === undefined ? { hold: true, fail: true } : exactly(values.has(word) !== negated);
    }
    default:
      return { hold: true, fail: true };
  }
}

function exactly(value: boolean): Could {
  return { hold: value, fail: !value };
}

/**
 * Whether one of the numbers of people that a monotone consensus asks for could count this user.
 * A consensus that holds, or that others could still make hold, counts a present approver somewhere, or asks for nobody.
 */
function countsIn(expression: CompiledExpression, part: ConsensusShape, approver: PolicyUser): boolean {
  if (part.kind === 'fixed') return true;
  if (part.kind === 'people')
    return part.atLeast <= 0n || elementsOf(part, approver).some((each) => matches(expression, part, each));
  const people = part.all ? part.parts.filter(({ kind }) => kind !== 'fixed') : part.parts;
  return people.length === 0 || people.some((each) => countsIn(expression, each, approver));
}

function elementsOf({ source }: PeopleShape, approver: PolicyUser): readonly PolicyValue[] {
  return source === 'approvers' ? [user.toRecord(approver)] : (approver.credentials ?? []).map(credential.toRecord);
}

function matches({ asks }: CompiledExpression, { predicates }: PeopleShape, element: PolicyValue): boolean {
  return predicates.every(({ slot, body }) => {
    // What else of the request it reads is not known yet.
    if (readsBeyond(body)) return true;
    const variables: PolicyValue[] = [];
    variables[slot] = element;
    return compileNode(body, asks)({ values: new Map(), variables, steps: 0, maxSteps: HYPOTHETICAL_STEPS }) === true;
  });
}
