import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showUser } from '../show.ts';

export const listUsers = resolve(queries.listUsers, async ({ organization }) => ({
  users: [...organization.users.keys()].flatMap((userId) => showUser(organization, userId) ?? []),
}));
