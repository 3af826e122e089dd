import { queries } from '@countersign/contract';
import { showMfaPolicies } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireSelf } from '../own.ts';

export const getMfaPolicies = resolveScoped(queries.getMfaPolicies, {
  all: show,
  own: async (context, { userId }) => show(context, { userId: requireSelf(context, queries.getMfaPolicies, userId) }),
});

async function show({ organization }: QueryContext, { userId }: { readonly userId: string }) {
  if (!organization.users.has(userId)) throw notFound('user', 'userId');
  return { mfaPolicies: showMfaPolicies(organization, userId) };
}
