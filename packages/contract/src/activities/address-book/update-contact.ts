import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { contactChange } from '../../shapes/address-book.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ contactId: id, ...contactChange });

export const updateContact = defineActivity({
  name: 'updateContact',
  path: 'update_contact',
  subject: 'address-book',
  summary: 'Change the label, tags or notes of a contact',
  policy: { resource: 'CONTACT', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_CONTACT',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ contactId: z.string() }),
});
