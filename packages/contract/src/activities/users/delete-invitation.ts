import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ invitationId: id });

export const deleteInvitation = defineActivity({
  name: 'deleteInvitation',
  path: 'delete_invitation',
  subject: 'users',
  summary: 'Revoke a pending invitation',
  policy: { resource: 'INVITATION', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_INVITATION',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ invitationId: z.string() }),
});
