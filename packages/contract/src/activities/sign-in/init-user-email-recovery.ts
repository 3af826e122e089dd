import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { targetPublicKey } from '../../shapes/bundles.ts';
import { emailCustomization, mailSender, namedEmailCustomization } from '../../shapes/messages.ts';
import { email, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  email,
  targetPublicKey,
  expirationSeconds: sessionSeconds,
  emailCustomization: emailCustomization.optional(),
  ...mailSender,
});

export const initUserEmailRecovery = defineActivity({
  name: 'initUserEmailRecovery',
  path: 'init_user_email_recovery',
  subject: 'sign-in',
  summary: 'Email a user a key that can only register one new passkey',
  policy: { resource: 'RECOVERY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY',
  spec: 'types',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({ userId: z.string() }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2',
      params: params.extend({ emailCustomization: namedEmailCustomization }),
      upgrade: (same) => same,
    }),
  ],
});
