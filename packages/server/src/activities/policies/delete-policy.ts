import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { removePolicy } from './remove-policy.ts';

export const deletePolicy = execute(activities.deletePolicy, {
  locksOrganization: true,

  async ruleChange({ organization }, { policyId }) {
    return organization.policies.has(policyId) ? { policies: new Map([[policyId, undefined]]) } : undefined;
  },

  async plan({ organization }, params) {
    return { intent: params, subject: {}, prepared: removePolicy(organization, params.policyId, 'policyId') };
  },

  async run(_context, { prepared: change }) {
    return { result: { policyId: change.id }, changes: [change] };
  },
});
