import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { defaults } from '../../shapes/defaults.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  userId: id.describe('The user who will register a passkey'),
  publicKey: z
    .string()
    .regex(/^0[23][0-9a-fA-F]{64}$/, 'must be a compressed P-256 public key in hexadecimal: 66 digits')
    .describe(
      'The public half of a P-256 key that the caller generated. The private half goes to the user, never to the service',
    ),
  expirationSeconds: z
    .string()
    .regex(
      /^([1-9]\d{0,3}|[1-7]\d{4}|8[0-5]\d{3}|86[0-3]\d{2}|86400)$/,
      'must be a whole number of seconds from 1 to 86400, as a string',
    )
    .optional()
    .meta({ default: defaults.setupKeySeconds })
    .describe('The lifetime of the key, at most a day'),
});

export const createSetupKey = defineActivity({
  name: 'createSetupKey',
  path: 'create_setup_key',
  subject: 'credentials',
  summary: 'Give a user a one-time key that can only register one passkey with recover_user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_SETUP_KEY',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ apiKeyId: z.string() }),
});
