import { ServiceError } from '@countersign/contract';
import { foreignUse, policyOptions } from '@countersign/judgement';
import { compileExpression, renderDiagnostic } from '@countersign/policy';
import { invalidField } from '../../wire/refuse.ts';

/** Refuses a text that is no expression of the policy language, or that asks about anything but `activity`. `field` is its path. */
export function requireActivityExpression(text: string, field: string): void {
  const { expression, diagnostics } = compileExpression(text, 'condition', policyOptions);
  if (expression === undefined) {
    const violations = diagnostics.map((each) => ({ field, description: renderDiagnostic(text, each) }));
    throw new ServiceError('POLICY_INVALID', `invalid ${field}: ${diagnostics[0]?.message}`, { violations });
  }
  const foreign = foreignUse(expression);
  if (foreign !== undefined)
    throw invalidField(field, `must ask about \`activity\` alone, and it names \`${foreign.namespace.path}\``);
}
