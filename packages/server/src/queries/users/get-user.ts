import { queries } from '@countersign/contract';
import { notFound } from '../../activities/refuse.ts';
import { resolve } from '../../pipeline/query.ts';
import { showUser } from '../show.ts';

export const getUser = resolve(queries.getUser, async ({ organization }, { userId }) => {
  const user = showUser(organization, userId);
  if (user === undefined) throw notFound('user', 'userId');
  return { user };
});
