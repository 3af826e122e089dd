import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { sessionPublicKey } from '../../shapes/bundles.ts';
import { flag, id, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  publicKey: sessionPublicKey,
  expirationSeconds: sessionSeconds,
  invalidateExisting: flag.describe('True ends the user’s other logins'),
  endsForGood: flag.describe('True ends sessions that are opened with this one when it ends'),
  sessionProfileId: id.optional().meta({ default: '' }),
});

export const stampLogin = defineActivity({
  name: 'stampLogin',
  path: 'stamp_login',
  subject: 'sign-in',
  summary: 'Log in with a stamp. The client provides the session key',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_STAMP_LOGIN',
  spec: 'none',
  parentIdSuffices: true,
  params,
  intent: params,
  result: z.object({
    session: z
      .string()
      .describe('A token with the user and the end of the session. It does not authenticate requests: the key does'),
  }),
});
