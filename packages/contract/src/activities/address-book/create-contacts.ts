import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { contactParams } from '../../shapes/address-book.ts';

const params = z.strictObject({
  contacts: z.array(contactParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createContacts = defineActivity({
  name: 'createContacts',
  path: 'create_contacts',
  subject: 'address-book',
  summary: 'Add addresses to the address book: all of the given ones or none',
  policy: { resource: 'CONTACT', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_CONTACTS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ contactIds: z.array(z.string()) }),
});
