import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, authenticatorIds: idList });

export const deleteAuthenticators = defineActivity({
  name: 'deleteAuthenticators',
  path: 'delete_authenticators',
  subject: 'credentials',
  summary: 'Remove passkeys from a user',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_AUTHENTICATORS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ authenticatorIds: z.array(z.string()) }),
});
