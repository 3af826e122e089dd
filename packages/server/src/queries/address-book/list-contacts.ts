import { queries } from '@countersign/contract';
import { showContact } from '../../organizations/address-book.ts';
import { resolve } from '../../pipeline/query.ts';

export const listContacts = resolve(queries.listContacts, async ({ organization }) => ({
  contacts: [...organization.records.contact].map(([id, record]) => showContact(id, record)),
}));
