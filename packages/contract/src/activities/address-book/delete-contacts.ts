import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ contactIds: idList });

export const deleteContacts = defineActivity({
  name: 'deleteContacts',
  path: 'delete_contacts',
  subject: 'address-book',
  summary: 'Delete contacts: all of the given ones or none',
  policy: { resource: 'CONTACT', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_CONTACTS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ contactIds: z.array(z.string()) }),
});
