import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { targetPublicKey } from '../../shapes/bundles.ts';
import { emailCustomization, mailSender, namedEmailCustomization } from '../../shapes/messages.ts';
import { email, flag, label, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  email,
  targetPublicKey,
  apiKeyName: label.optional(),
  expirationSeconds: sessionSeconds,
  emailCustomization: emailCustomization.optional(),
  invalidateExisting: flag.describe('True revokes the user’s other keys of this kind'),
  ...mailSender,
});

export const emailAuth = defineActivity({
  name: 'emailAuth',
  path: 'email_auth',
  subject: 'sign-in',
  summary: 'Email a user an API key, encrypted to the browser that requested it',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_EMAIL_AUTH_V2',
  spec: 'endpoint',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({ userId: z.string(), apiKeyId: z.string() }),
  otherVersions: [
    version({ type: 'ACTIVITY_TYPE_EMAIL_AUTH', params, upgrade: (old) => old }),
    version({
      type: 'ACTIVITY_TYPE_EMAIL_AUTH_V3',
      params: params.extend({ emailCustomization: namedEmailCustomization }),
      upgrade: (same) => same,
    }),
  ],
});
