import { queries } from '@countersign/contract';
import { showUser } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';
import { shortenUser } from '../shorten.ts';

export const listUsers = resolve(queries.listUsers, async (context, { paginationOptions }) => {
  const { organization, showBeyondSpec } = context;
  const show = (userId: string) => showUser(organization, userId, showBeyondSpec);
  return { users: await listRecords(context, organization.users, paginationOptions, show, { shorten: shortenUser }) };
});
