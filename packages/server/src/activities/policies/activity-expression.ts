import { ServiceError } from '@countersign/contract';
import { foreignUse, policyOptions } from '@countersign/judgement';
import {
  type ActivityExpressionUse,
  compileExpression,
  lintActivityExpression,
  renderDiagnostic,
  tagCalls,
} from '@countersign/policy';
import { invalidField } from '../../wire/refuse.ts';

/** Rejects text that is not a valid policy expression, or that refers to anything but `activity`. `field` is its path. */
export function requireActivityExpression(text: string, field: string): void {
  const { expression, diagnostics } = compileExpression(text, 'condition', policyOptions);
  if (expression === undefined) {
    const violations = diagnostics.map((each) => ({ field, description: renderDiagnostic(text, each) }));
    throw new ServiceError('POLICY_INVALID', `invalid ${field}: ${diagnostics[0]?.message}`, { violations });
  }
  if (tagCalls(text).length > 0) throw invalidField(field, 'must contain the ids of tags in quotes, without `tag`');
  const foreign = foreignUse(expression);
  if (foreign !== undefined)
    throw invalidField(field, `must refer to \`activity\` only, but refers to \`${foreign.namespace.path}\``);
}

/** Warnings about such an expression. The activity stores them. */
export function activityExpressionWarnings(text: string, use: ActivityExpressionUse): string[] {
  return lintActivityExpression(text, use, policyOptions).map(
    ({ code, message, help }) => `${code}: ${message}${help === undefined ? '' : ` (${help})`}`,
  );
}
