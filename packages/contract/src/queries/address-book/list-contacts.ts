import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { contact } from '../../shapes/address-book.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';

export const listContacts = defineQuery({
  name: 'listContacts',
  path: 'list_contacts',
  subject: 'address-book',
  summary: 'List the address book',
  reads: { resources: ['CONTACT'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ contacts: z.array(contact) }),
});
