import { activities } from '@countersign/contract';
import { worstCases } from '../../organizations/worst-cases.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { removePolicy } from './remove-policy.ts';

export const deletePolicy = execute(activities.deletePolicy, {
  locksOrganization: true,

  async notes({ organization, nowMs, endSlice }, { policyId }) {
    return worstCases(organization, new Map([[policyId, undefined]]), nowMs, endSlice);
  },

  async plan({ organization }, params) {
    return { intent: params, subject: {}, prepared: removePolicy(organization, params.policyId, 'policyId') };
  },

  async run(_context, { prepared: change }) {
    return { result: { policyId: change.id }, changes: [change] };
  },
});
