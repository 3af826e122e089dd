import { z } from 'zod';
import { email, id, label, timestamp } from './primitives.ts';
import { accessTypes, userTags } from './users.ts';

/** A person to invite. */
export const invitationParams = z
  .strictObject({
    receiverUserName: label,
    receiverUserEmail: email,
    receiverUserTags: userTags,
    accessType: z.enum(accessTypes),
    senderUserId: id.describe('The user who sends the invitation. It must be the caller'),
  })
  .meta({ id: 'InvitationParams' });

/** The status of an invitation. */
export const invitationStatus = z.enum(['INVITATION_STATUS_CREATED', 'INVITATION_STATUS_ACCEPTED', 'INVITATION_STATUS_REVOKED']);

/** An invitation as queries show it. */
export const invitation = z
  .object({
    invitationId: z.string(),
    receiverUserName: z.string(),
    receiverEmail: z.string(),
    receiverUserTags: z.array(z.string()),
    accessType: z.enum(accessTypes),
    status: invitationStatus,
    createdAt: timestamp,
    updatedAt: timestamp,
    senderUserId: z.string(),
  })
  .meta({ id: 'Invitation' });

/** An invitation as queries show it. */
export type InvitationShape = z.output<typeof invitation>;
