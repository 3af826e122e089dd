import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { authenticatorEcho, authenticatorParams, shortAttestation } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  invitationId: id,
  userId: id.describe('The user that the invitation created. The email contains this id'),
  authenticator: authenticatorParams,
});

const paramsV1 = params
  .extend({ authenticator: authenticatorEcho })
  .refine(({ authenticator, userId }) => authenticator.userId === userId, {
    message: 'must name the same user as userId',
    path: ['authenticator'],
  });

export const acceptInvitation = defineActivity({
  name: 'acceptInvitation',
  path: 'accept_invitation',
  subject: 'users',
  summary: 'Accept an invitation with the one-time key from the email and register a passkey',
  policy: { resource: 'INVITATION', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_ACCEPT_INVITATION_V2',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ invitationId: z.string(), userId: z.string() }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_ACCEPT_INVITATION',
      params: paramsV1,
      upgrade: ({ authenticator, ...rest }) => ({ ...rest, authenticator: shortAttestation(authenticator) }),
    }),
  ],
});
