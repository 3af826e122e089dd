import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { sessionPublicKey } from '../../shapes/bundles.ts';
import { flag, id, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  publicKey: sessionPublicKey,
  expirationSeconds: sessionSeconds,
  invalidateExisting: flag.describe('True ends the user’s other logins'),
  endsForGood: flag.describe('True: no session that is opened with this one lasts longer than it'),
  sessionProfileId: id.optional().meta({ default: '' }),
});

export const stampLogin = defineActivity({
  name: 'stampLogin',
  path: 'stamp_login',
  subject: 'sign-in',
  summary: 'Log in with a stamp. The client brings the session key',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_STAMP_LOGIN',
  spec: 'none',
  parentIdSuffices: true,
  params,
  intent: params,
  result: z.object({
    session: z
      .string()
      .describe('A token that says who is logged in and until when. It does not authenticate requests: the key does'),
  }),
});
