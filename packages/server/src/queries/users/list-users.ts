import { queries } from '@countersign/contract';
import { showUser } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listUsers = resolve(
  queries.listUsers,
  async ({ organization, showBeyondSpec, endSlice }, { paginationOptions }) => ({
    users: await listRecords(endSlice, organization.users, paginationOptions, (userId) =>
      showUser(organization, userId, showBeyondSpec),
    ),
  }),
);
