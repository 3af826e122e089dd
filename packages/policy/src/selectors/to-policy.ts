import { any, contains } from '../builtins/list-methods.ts';
import { Checker } from '../check/checker.ts';
import type { CheckOptions } from '../check/options.ts';
import { fieldOfName, scopesOf } from '../check/scope.ts';
import type { PolicyExpressions } from '../policy.ts';
import { formatString } from '../syntax/format.ts';
import { parseExpression } from '../syntax/parser.ts';
import type { Type } from '../types.ts';
import {
  comparisonOperators,
  listOperators,
  type SelectorOperator,
  type SelectorV1,
  type SelectorV2,
  selectorOperators,
  toSelectorV2,
} from './selector.ts';

/** A problem in a selector. */
export interface SelectorProblem {
  /** Its position in the list. */
  readonly index: number;
  readonly message: string;
}

/** The lists and variables of a consensus for subjects about people. */
const people = {
  user: { list: 'approvers', variable: 'user' },
  credential: { list: 'credentials', variable: 'credential' },
} as const;

type Person = keyof typeof people;

/**
 * Converts selectors to a policy: all of them must hold. Those about `user` must hold for one approver, and those about `credential` for
 * one credential. The result must still be checked like any other policy.
 */
export function selectorsToPolicy(
  selectors: readonly (SelectorV1 | SelectorV2)[],
  options: CheckOptions = {},
): { readonly policy: PolicyExpressions; readonly problems: readonly SelectorProblem[] } {
  const clauses: Record<Person | 'condition', string[]> = { condition: [], user: [], credential: [] };
  const problems: SelectorProblem[] = [];
  for (const [index, selector] of selectors.entries()) {
    const clause = toClause(toSelectorV2(selector), options);
    if ('message' in clause) problems.push({ index, message: clause.message });
    else clauses[clause.group].push(clause.text);
  }
  const consensus = (Object.keys(people) as Person[])
    .filter((person) => clauses[person].length > 0)
    .map((person) => `${people[person].list}.${any.name}(${people[person].variable}, ${clauses[person].join(' && ')})`);
  const policy: PolicyExpressions = {
    ...(clauses.condition.length > 0 ? { condition: clauses.condition.join(' && ') } : {}),
    ...(consensus.length > 0 ? { consensus: consensus.join(' && ') } : {}),
  };
  return { policy, problems };
}

function toClause(
  { subject, operator, targets }: SelectorV2,
  options: CheckOptions,
): { group: Person | 'condition'; text: string } | { message: string } {
  if (!selectorOperators.includes(operator)) return { message: 'the operator is not known' };
  const type = subjectType(subject, options);
  if (type === undefined) return { message: 'the subject is not a field that policies can see' };
  if (targets.length === 0 || (targets.length > 1 && !listOperators.has(operator))) {
    return { message: listOperators.has(operator) ? 'at least one target is needed' : 'exactly one target is needed' };
  }
  const forLists = operator.startsWith('OPERATOR_CONTAINS');
  if (forLists !== (type.kind === 'list'))
    return { message: forLists ? 'the subject is not a list' : 'the subject is a list, which only CONTAINS operators take' };
  const literals = targets.map((target) => toLiteral(target, type.kind === 'list' ? type.of : type));
  if (!literals.every((literal) => literal !== undefined)) return { message: 'the target does not have the type of the subject' };
  const head = subject.split('.')[0] as string;
  return { group: Object.hasOwn(people, head) ? (head as Person) : 'condition', text: clauseText(subject, operator, literals) };
}

function clauseText(subject: string, operator: SelectorOperator, literals: readonly string[]): string {
  switch (operator) {
    case 'OPERATOR_IN':
      return `${subject} in [${literals.join(', ')}]`;
    case 'OPERATOR_NOT_IN':
      return `!(${subject} in [${literals.join(', ')}])`;
    case 'OPERATOR_CONTAINS':
      return `${subject}.${contains.name}(${literals[0]})`;
    case 'OPERATOR_CONTAINS_ONE':
    case 'OPERATOR_CONTAINS_ALL': {
      const joined = literals
        .map((literal) => `${subject}.${contains.name}(${literal})`)
        .join(operator === 'OPERATOR_CONTAINS_ALL' ? ' && ' : ' || ');
      return literals.length === 1 ? joined : `(${joined})`;
    }
    default:
      return `${subject} ${comparisonOperators[operator]} ${literals[0]}`;
  }
}

/** The type of a subject, determined by checking it as an expression. Undefined unless it is the path of an existing field. */
export function subjectType(subject: string, options: CheckOptions): Type | undefined {
  if (!/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)+$/.test(subject)) return undefined;
  const head = subject.split('.')[0] as string;
  const person = Object.hasOwn(people, head) ? people[head as Person] : undefined;
  if (person === undefined && fieldOfName(scopesOf(options.parameters), head) !== 'condition') return undefined;
  const checker = new Checker(person === undefined ? 'condition' : 'consensus', options);
  const type = checker.typeOfPath(
    parseExpression(subject).recovered,
    person === undefined ? undefined : [person.variable, person.list],
  );
  return checker.diagnostics.length === 0 ? type : undefined;
}

function toLiteral(target: string, type: Type): string | undefined {
  switch (type.kind) {
    case 'int':
      return /^-?(?:0|[1-9][0-9]{0,77})$/.test(target) ? target : undefined;
    case 'bool':
      return target === 'true' || target === 'false' ? target : undefined;
    case 'string':
    case 'address':
      return formatString(target);
    default:
      return undefined;
  }
}
