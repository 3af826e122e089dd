import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ privateKeyId: id });

export const disablePrivateKey = defineActivity({
  name: 'disablePrivateKey',
  path: 'disable_private_key',
  subject: 'keys',
  summary: 'Stop a private key from signing, permanently. It can still be exported and deleted',
  policy: { resource: 'PRIVATE_KEY', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DISABLE_PRIVATE_KEY',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ privateKeyId: z.string() }),
});
