import { queries } from '@countersign/contract';
import { showMfaPolicy } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getMfaPolicy = resolve(queries.getMfaPolicy, async ({ organization }, { userId, mfaPolicyId }) => {
  if (!organization.users.has(userId)) throw notFound('user', 'userId');
  const policy = organization.records.mfaPolicy.get(mfaPolicyId);
  if (policy === undefined || policy.userId !== userId) throw notFound('MFA policy of this user', 'mfaPolicyId');
  return { mfaPolicy: showMfaPolicy(mfaPolicyId, policy) };
});
