import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { notFound } from '../refuse.ts';

export const deletePolicy = execute(activities.deletePolicy, {
  exclusive: true,

  async plan({ organization }, params) {
    if (!organization.policies.has(params.policyId)) throw notFound('policy', 'policyId');
    return { intent: params, subject: {}, prepared: params.policyId };
  },

  async run(_context, { prepared: policyId }) {
    return { result: { policyId }, changes: [{ op: 'deleteRecord', kind: 'policy', id: policyId }] };
  },
});
