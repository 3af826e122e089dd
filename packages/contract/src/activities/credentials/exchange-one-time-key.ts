import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  userId: id.describe('The user of the one-time key'),
  invitationId: id.optional().describe('The invitation, if the key came with one'),
  publicKey: z
    .string()
    .regex(/^0[23][0-9a-fA-F]{64}$/, 'must be a compressed P-256 public key in hexadecimal: 66 digits')
    .describe('The public half of a new P-256 key. A browser generates one whose private half no script can read'),
});

export const exchangeOneTimeKey = defineActivity({
  name: 'exchangeOneTimeKey',
  path: 'exchange_one_time_key',
  subject: 'credentials',
  summary: 'Replace the one-time key of a link with a new key, once. The key in the link then no longer works',
  policy: { resource: 'CREDENTIAL', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_EXCHANGE_ONE_TIME_KEY',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ apiKeyId: z.string() }),
});
