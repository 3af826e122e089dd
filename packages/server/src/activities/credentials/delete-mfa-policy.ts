import { activities } from '@countersign/contract';
import { demandedStrength } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireMfaPolicy } from './mfa-policies.ts';

export const deleteMfaPolicy = execute(activities.deleteMfaPolicy, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const { userId, mfaPolicyId } = params;
    const strength = demandedStrength(requireMfaPolicy(organization, userId, mfaPolicyId));
    return {
      intent: params,
      subject: { touches: [{ what: 'MFA', userId, strength, ends: true }] },
      prepared: mfaPolicyId,
    };
  },

  async run(_context, { prepared: mfaPolicyId }) {
    return { result: { mfaPolicyId }, changes: [{ op: 'deleteRecord', kind: 'mfaPolicy', id: mfaPolicyId }] };
  },
});
