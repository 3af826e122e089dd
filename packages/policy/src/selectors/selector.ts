/** The operators of selectors, by their names on the wire. */
export const selectorOperators = [
  'OPERATOR_EQUAL',
  'OPERATOR_NOT_EQUAL',
  'OPERATOR_MORE_THAN',
  'OPERATOR_MORE_THAN_OR_EQUAL',
  'OPERATOR_LESS_THAN',
  'OPERATOR_LESS_THAN_OR_EQUAL',
  'OPERATOR_CONTAINS',
  'OPERATOR_CONTAINS_ONE',
  'OPERATOR_CONTAINS_ALL',
  'OPERATOR_IN',
  'OPERATOR_NOT_IN',
] as const;

export type SelectorOperator = (typeof selectorOperators)[number];

/**
 * The first form of a selector. `subject` is a path of the language (`eth.tx.to`), or `user.…` and `credential.…` for the people
 * behind a request. Commas separate several targets.
 */
export interface SelectorV1 {
  readonly subject: string;
  readonly operator: SelectorOperator;
  readonly target: string;
}

/** The second form: the targets are a list. */
export interface SelectorV2 {
  readonly subject: string;
  readonly operator: SelectorOperator;
  readonly targets: readonly string[];
}

/** Operators with any number of targets. The others have exactly one. */
export const listOperators: ReadonlySet<SelectorOperator> = new Set([
  'OPERATOR_CONTAINS_ONE',
  'OPERATOR_CONTAINS_ALL',
  'OPERATOR_IN',
  'OPERATOR_NOT_IN',
]);

/** The comparison of the language for each operator. */
export const comparisonOperators = {
  OPERATOR_EQUAL: '==',
  OPERATOR_NOT_EQUAL: '!=',
  OPERATOR_MORE_THAN: '>',
  OPERATOR_MORE_THAN_OR_EQUAL: '>=',
  OPERATOR_LESS_THAN: '<',
  OPERATOR_LESS_THAN_OR_EQUAL: '<=',
} as const satisfies Partial<Record<SelectorOperator, string>>;

/** The second form of a selector. */
export function toSelectorV2(selector: SelectorV1 | SelectorV2): SelectorV2 {
  if ('targets' in selector) return selector;
  const { subject, operator, target } = selector;
  const targets = listOperators.has(operator) ? target.split(',').map((each) => each.trim()) : [target];
  return { subject, operator, targets };
}

/** The first form of a selector. Undefined if commas in its targets would be ambiguous. */
export function toSelectorV1({ subject, operator, targets }: SelectorV2): SelectorV1 | undefined {
  if (!listOperators.has(operator)) return targets.length === 1 ? { subject, operator, target: targets[0] as string } : undefined;
  if (targets.some((target) => target.includes(',') || target.trim() !== target)) return undefined;
  return { subject, operator, target: targets.join(',') };
}
