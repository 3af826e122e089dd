import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { invitationParams } from '../../shapes/invitations.ts';

const params = z.strictObject({
  invitations: z.array(invitationParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createInvitations = defineActivity({
  name: 'createInvitations',
  path: 'create_invitations',
  subject: 'users',
  summary: 'Invite people by email to become users',
  policy: { resource: 'INVITATION', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_INVITATIONS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ invitationIds: z.array(z.string()) }),
});
