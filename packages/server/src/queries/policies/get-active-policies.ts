import { queries } from '@countersign/contract';
import { activeAt, Fault } from '@countersign/policy';
import { resolve } from '../../pipeline/query.ts';
import { policySetOf } from '../../policies/authorize-by-policy.ts';

export const getActivePolicies = resolve(queries.getActivePolicies, async ({ organization, nowMs }) => ({
  statuses: policySetOf(organization).policies.map((policy) => {
    const active = activeAt(policy, nowMs);
    const { time } = policy.source;
    return {
      organizationId: organization.id,
      policyId: policy.id,
      active: active === true,
      ...(time !== undefined && time !== '' && { timeExpr: time }),
      ...(active instanceof Fault && { error: active.message }),
    };
  }),
  evaluatedAtMs: String(nowMs),
}));
