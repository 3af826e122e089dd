import { type ActivePolicyShape, queries } from '@countersign/contract';
import { policySetOf } from '@countersign/judgement';
import { timeStatus } from '@countersign/policy';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';
import { shortenStatus } from '../shorten.ts';

export const getActivePolicies = resolve(queries.getActivePolicies, async (context, { paginationOptions }) => {
  const { organization, nowMs } = context;
  const compiled = policySetOf(organization);
  const show = (policyId: string): ActivePolicyShape | undefined => {
    const policy = compiled.get(policyId);
    if (policy === undefined) return undefined;
    const { time } = policy.source;
    return {
      organizationId: organization.id,
      policyId,
      ...timeStatus(policy, nowMs),
      ...(time !== undefined && time !== '' && { timeExpr: time }),
    };
  };
  return {
    statuses: await listRecords(context, organization.policies, paginationOptions, show, { shorten: shortenStatus }),
    evaluatedAtMs: String(nowMs),
  };
});
