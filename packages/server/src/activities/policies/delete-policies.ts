import { activities } from '@countersign/contract';
import { worstCases } from '../../organizations/worst-cases.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireDistinct } from '../../wire/refuse.ts';
import { removePolicy } from './remove-policy.ts';

export const deletePolicies = execute(activities.deletePolicies, {
  locksOrganization: true,

  async notes({ organization, nowMs, endSlice }, { policyIds }) {
    const removed = policyIds.filter((id) => organization.policies.has(id));
    return worstCases(organization, new Map(removed.map((id) => [id, undefined])), nowMs, endSlice);
  },

  async plan({ organization }, params) {
    const { policyIds } = params;
    requireDistinct(policyIds, 'policy', 'policyIds');
    const prepared = policyIds.map((id, index) => removePolicy(organization, id, `policyIds.${index}`));
    return { intent: params, subject: {}, prepared };
  },

  async run(_context, { prepared: changes }) {
    return { result: { policyIds: changes.map(({ id }) => id) }, changes };
  },
});
