import { queries } from '@countersign/contract';
import { showPolicy } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getPolicy = resolve(queries.getPolicy, async ({ organization, showBeyondSpec }, { policyId }) => {
  const policy = organization.policies.get(policyId);
  if (policy === undefined) throw notFound('policy', 'policyId');
  return { policy: showPolicy(policyId, policy, showBeyondSpec) };
});
