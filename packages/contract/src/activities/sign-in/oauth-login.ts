import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { sessionPublicKey } from '../../shapes/bundles.ts';
import { oidcToken } from '../../shapes/credentials.ts';
import { flag, id, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  oidcToken,
  publicKey: sessionPublicKey,
  expirationSeconds: sessionSeconds,
  invalidateExisting: flag.describe('True ends the user’s other logins'),
  sessionProfileId: id.optional().meta({ default: '' }),
});

export const oauthLogin = defineActivity({
  name: 'oauthLogin',
  path: 'oauth_login',
  subject: 'sign-in',
  summary: 'Log a user in with an OpenID Connect token. The client provides the session key',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_OAUTH_LOGIN',
  spec: 'none',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({
    session: z
      .string()
      .describe('A token with the user and the end of the session. It does not authenticate requests: the key does'),
  }),
});
