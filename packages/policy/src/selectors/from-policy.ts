import { any, contains } from '../builtins/list-methods.ts';
import type { CheckOptions } from '../check/options.ts';
import type { PolicyExpressions } from '../policy.ts';
import type { Expression } from '../syntax/ast.ts';
import { formatExpression } from '../syntax/format.ts';
import { parseExpression } from '../syntax/parser.ts';
import { comparisonOperators, type SelectorOperator, type SelectorV1, type SelectorV2, toSelectorV1 } from './selector.ts';
import { subjectType } from './to-policy.ts';

const operatorOf: ReadonlyMap<string, SelectorOperator> = new Map(
  Object.entries(comparisonOperators).map(([operator, symbol]) => [symbol, operator as SelectorOperator]),
);
const flipped: Readonly<Record<string, string>> = { '==': '==', '!=': '!=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
const variables: Readonly<Record<string, string>> = { approvers: 'user', credentials: 'credential' };

/**
 * The selectors of a policy: one for each top-level clause of the form `subject operator literal`, in text order, condition first. Clauses
 * that selectors cannot express are left out, so selectors describe a policy but do not define it.
 */
export function policyToSelectors(
  { condition, consensus }: PolicyExpressions,
  options: CheckOptions = {},
): readonly SelectorV2[] {
  const fromCondition = clausesOf(condition).flatMap((clause) => fromClause(clause, undefined, options) ?? []);
  const fromConsensus = clausesOf(consensus).flatMap((clause) => {
    const person =
      clause.kind === 'method' && clause.name === any.name && clause.base.kind === 'name'
        ? variables[clause.base.name]
        : undefined;
    const [variable, body] = clause.kind === 'method' ? clause.args : [];
    if (person === undefined || variable?.kind !== 'name' || body === undefined) return [];
    return group(conjuncts(body)).flatMap((each) => fromClause(each, { variable: variable.name, person }, options) ?? []);
  });
  return [...fromCondition, ...fromConsensus];
}

/** The selectors in the first form. Selectors that it cannot express are left out. */
export function policyToSelectorsV1(policy: PolicyExpressions, options: CheckOptions = {}): readonly SelectorV1[] {
  return policyToSelectors(policy, options).flatMap((selector) => toSelectorV1(selector) ?? []);
}

interface Renaming {
  readonly variable: string;
  readonly person: string;
}

function clausesOf(text: string | undefined): readonly Expression[] {
  const expression = text === undefined ? undefined : parseExpression(text).expression;
  return expression === undefined ? [] : group(conjuncts(expression));
}

function conjuncts(expression: Expression): readonly Expression[] {
  return expression.kind === 'and' ? expression.operands : [expression];
}

/** A run of `contains` on one list is one clause. */
function group(clauses: readonly Expression[]): readonly Expression[] {
  const [first] = clauses;
  if (clauses.length < 2 || first === undefined || containment(clauses) === undefined) return clauses;
  return [{ kind: 'and', operands: clauses, span: first.span }];
}

function fromClause(clause: Expression, renaming: Renaming | undefined, options: CheckOptions): SelectorV2 | undefined {
  const found = read(clause);
  if (found === undefined) return undefined;
  const subject = subjectOf(found.subject, renaming);
  const targets = found.literals.map(literalText);
  if (subject === undefined || !targets.every((target) => target !== undefined)) return undefined;
  return subjectType(subject, options) === undefined ? undefined : { subject, operator: found.operator, targets };
}

interface Clause {
  readonly subject: Expression;
  readonly operator: SelectorOperator;
  readonly literals: readonly Expression[];
}

function read(clause: Expression): Clause | undefined {
  switch (clause.kind) {
    case 'compare': {
      const literalFirst = literalText(clause.left) !== undefined;
      const operator = operatorOf.get(literalFirst ? (flipped[clause.operator] as string) : clause.operator);
      const [subject, literal] = literalFirst ? [clause.right, clause.left] : [clause.left, clause.right];
      return operator === undefined ? undefined : { subject, operator, literals: [literal] };
    }
    case 'in': {
      if (clause.list.kind === 'list') return { subject: clause.item, operator: 'OPERATOR_IN', literals: clause.list.items };
      return { subject: clause.list, operator: 'OPERATOR_CONTAINS', literals: [clause.item] };
    }
    case 'not': {
      const { operand } = clause;
      if (operand.kind !== 'in' || operand.list.kind !== 'list') return undefined;
      return { subject: operand.item, operator: 'OPERATOR_NOT_IN', literals: operand.list.items };
    }
    case 'and':
    case 'or': {
      const found = containment(clause.operands);
      return found && { ...found, operator: clause.kind === 'and' ? 'OPERATOR_CONTAINS_ALL' : 'OPERATOR_CONTAINS_ONE' };
    }
    case 'method':
      return containment([clause]) && { subject: clause.base, operator: 'OPERATOR_CONTAINS', literals: clause.args };
    default:
      return undefined;
  }
}

/** The list and the values, if every clause is `list.contains(value)` on the same list. */
function containment(clauses: readonly Expression[]): { subject: Expression; literals: readonly Expression[] } | undefined {
  const literals: Expression[] = [];
  let subject: Expression | undefined;
  for (const clause of clauses) {
    if (clause.kind !== 'method' || clause.name !== contains.name || clause.args.length !== 1) return undefined;
    subject ??= clause.base;
    if (formatExpression(clause.base) !== formatExpression(subject)) return undefined;
    literals.push(clause.args[0] as Expression);
  }
  return subject && { subject, literals };
}

/** The dotted path of a subject. The variable of a predicate is renamed to the name in selectors. */
function subjectOf(expression: Expression, renaming: Renaming | undefined): string | undefined {
  if (expression.kind === 'field') {
    const base = subjectOf(expression.base, renaming);
    return base === undefined ? undefined : `${base}.${expression.name}`;
  }
  if (expression.kind !== 'name') return undefined;
  if (renaming === undefined) return expression.name;
  return expression.name === renaming.variable ? renaming.person : undefined;
}

function literalText(expression: Expression): string | undefined {
  return ['string', 'integer', 'boolean'].includes(expression.kind) && 'value' in expression
    ? String(expression.value)
    : undefined;
}
