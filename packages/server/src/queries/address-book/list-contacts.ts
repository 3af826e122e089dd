import { queries } from '@countersign/contract';
import { showContact } from '../../organizations/address-book.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listContacts = resolve(queries.listContacts, async (context, { paginationOptions }) => ({
  contacts: await listRecords(context, context.organization.records.contact, paginationOptions, showContact),
}));
