import { queries } from '@countersign/contract';
import { policySetOf } from '@countersign/judgement';
import { timeStatus } from '@countersign/policy';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const getActivePolicies = resolve(
  queries.getActivePolicies,
  async ({ organization, nowMs, endSlice }, { paginationOptions }) => {
    const compiled = policySetOf(organization);
    return {
      statuses: await listRecords(endSlice, organization.policies, paginationOptions, (policyId) => {
        const policy = compiled.get(policyId);
        if (policy === undefined) return undefined;
        const { time } = policy.source;
        return {
          organizationId: organization.id,
          policyId,
          ...timeStatus(policy, nowMs),
          ...(time !== undefined && time !== '' && { timeExpr: time }),
        };
      }),
      evaluatedAtMs: String(nowMs),
    };
  },
);
