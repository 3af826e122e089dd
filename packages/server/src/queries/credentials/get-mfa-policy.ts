import { queries } from '@countersign/contract';
import { showMfaPolicy } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireSelf } from '../own.ts';

export const getMfaPolicy = resolveScoped(queries.getMfaPolicy, {
  all: show,
  async own(context, input) {
    requireSelf(context, queries.getMfaPolicy, input.userId);
    return show(context, input);
  },
});

interface Asked {
  readonly userId: string;
  readonly mfaPolicyId: string;
}

async function show({ organization }: QueryContext, { userId, mfaPolicyId }: Asked) {
  if (!organization.users.has(userId)) throw notFound('user', 'userId');
  const policy = organization.records.mfaPolicy.get(mfaPolicyId);
  if (policy === undefined || policy.userId !== userId) throw notFound('MFA policy of this user', 'mfaPolicyId');
  return { mfaPolicy: showMfaPolicy(mfaPolicyId, policy) };
}
