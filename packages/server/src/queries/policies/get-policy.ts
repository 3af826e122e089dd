import { queries } from '@countersign/contract';
import { notFound } from '../../activities/refuse.ts';
import { resolve } from '../../pipeline/query.ts';
import { showPolicy } from '../show.ts';

export const getPolicy = resolve(queries.getPolicy, async ({ organization, showBeyondSpec }, { policyId }) => {
  const policy = organization.policies.get(policyId);
  if (policy === undefined) throw notFound('policy', 'policyId');
  return { policy: showPolicy(policyId, policy, showBeyondSpec) };
});
