import { activities } from '@countersign/contract';
import { demandedStrength, strengths } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { activityExpressionWarnings } from '../policies/activity-expression.ts';
import { touchedByMfaPolicy } from '../touches.ts';
import { type MfaPolicyContent, requireMfaPolicy, requireSound } from './mfa-policies.ts';

export const updateMfaPolicy = execute(activities.updateMfaPolicy, {
  locksOrganization: true,

  async plan(context, params) {
    const { userId, mfaPolicyId, ...changed } = params;
    const before = requireMfaPolicy(context.organization, userId, mfaPolicyId);
    const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
    const after: MfaPolicyContent & { readonly createdAtMs: number } = { ...before, ...given };
    await requireSound(context, after, mfaPolicyId);
    const [old, next] = [demandedStrength(before), demandedStrength(after)];
    const strength = strengths[next] > strengths[old] ? next : old;
    const { requiredAuthenticationMethods, order, notes = '' } = after;
    const parameters = () => ({ requiredAuthenticationMethods, order, notes });
    return {
      intent: params,
      // Any change can weaken the policy.
      subject: { touches: [{ ...touchedByMfaPolicy(context.organization, userId, strength), ends: true }], parameters },
      prepared: { mfaPolicyId, after },
    };
  },

  async run({ nowMs }, { prepared: { mfaPolicyId, after } }) {
    const body = { ...after, updatedAtMs: nowMs };
    return {
      result: { mfaPolicyId },
      changes: [{ op: 'putRecord', kind: 'mfaPolicy', id: mfaPolicyId, body }],
      warnings: activityExpressionWarnings(after.condition, 'MFA_CONDITION'),
    };
  },
});
