import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { contact } from '../../shapes/address-book.ts';
import { listPagination, matching, organizationId } from '../../shapes/primitives.ts';

const addresses = z
  .array(z.string().min(1).max(128))
  .min(1)
  .max(1000)
  .optional()
  .describe('Only contacts with one of these addresses, in any form. Send paginationOptions with it');

export const listContacts = defineQuery({
  name: 'listContacts',
  path: 'list_contacts',
  subject: 'address-book',
  summary: 'List the address book',
  reads: { resources: ['CONTACT'] },
  input: z.strictObject({ organizationId, matching, addresses, paginationOptions: listPagination }),
  output: z.object({ contacts: z.array(contact) }),
});
