import { queries } from '@countersign/contract';
import { policySetOf } from '@countersign/judgement';
import { timeStatus } from '@countersign/policy';
import { resolve } from '../../pipeline/query.ts';

export const getActivePolicies = resolve(queries.getActivePolicies, async ({ organization, nowMs }) => ({
  statuses: policySetOf(organization).policies.map((policy) => {
    const { time } = policy.source;
    return {
      organizationId: organization.id,
      policyId: policy.id,
      ...timeStatus(policy, nowMs),
      ...(time !== undefined && time !== '' && { timeExpr: time }),
    };
  }),
  evaluatedAtMs: String(nowMs),
}));
