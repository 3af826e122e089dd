import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { credentialBundle, targetPublicKey } from '../../shapes/bundles.ts';
import { oidcToken } from '../../shapes/credentials.ts';
import { flag, label, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  oidcToken,
  targetPublicKey,
  apiKeyName: label.optional(),
  expirationSeconds: sessionSeconds,
  invalidateExisting: flag.describe('True revokes the user’s other keys from this kind of sign-in'),
});

export const oauth = defineActivity({
  name: 'oauth',
  path: 'oauth',
  subject: 'sign-in',
  summary: 'Sign a user in with an OpenID Connect token. Returns an API key, encrypted to the caller',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_OAUTH',
  spec: 'endpoint',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({ userId: z.string(), apiKeyId: z.string(), credentialBundle }),
});
