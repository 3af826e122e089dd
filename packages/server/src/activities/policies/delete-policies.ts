import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireDistinct } from '../../wire/refuse.ts';
import { removePolicy } from './remove-policy.ts';

export const deletePolicies = execute(activities.deletePolicies, {
  locksOrganization: true,

  async ruleChange({ organization }, { policyIds }) {
    const removed = policyIds.filter((id) => organization.policies.has(id));
    return { policies: new Map(removed.map((id) => [id, undefined])) };
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
