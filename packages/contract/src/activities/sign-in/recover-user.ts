import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { authenticatorEcho, authenticatorParams } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

export const recoverUser = defineActivity({
  name: 'recoverUser',
  path: 'recover_user',
  subject: 'sign-in',
  summary: 'Register a passkey with the one-time key from a recovery email',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_RECOVER_USER',
  spec: 'types',
  params: z.strictObject({ authenticator: authenticatorParams, userId: id }),
  intent: z.object({ authenticator: authenticatorEcho, userId: z.string() }),
  result: z.object({ authenticatorId: z.array(z.string()) }),
});
