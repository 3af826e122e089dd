import { queries } from '@countersign/contract';
import { showUser } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listUsers = resolve(queries.listUsers, async ({ organization, showBeyondSpec }) => ({
  users: [...organization.users.keys()].flatMap((userId) => showUser(organization, userId, showBeyondSpec) ?? []),
}));
