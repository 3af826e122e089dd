import { queries } from '@countersign/contract';
import { showUser } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getUser = resolve(queries.getUser, async ({ organization, showBeyondSpec }, { userId }) => {
  const user = showUser(organization, userId, showBeyondSpec);
  if (user === undefined) throw notFound('user', 'userId');
  return { user };
});
