import { queries } from '@countersign/contract';
import { showMfaPolicies } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getMfaPolicies = resolve(queries.getMfaPolicies, async ({ organization }, { userId }) => {
  if (!organization.users.has(userId)) throw notFound('user', 'userId');
  return { mfaPolicies: showMfaPolicies(organization, userId) };
});
