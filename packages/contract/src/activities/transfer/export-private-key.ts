import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { signedBundle, targetPublicKey } from '../../shapes/bundles.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ privateKeyId: id, targetPublicKey });

export const exportPrivateKey = defineActivity({
  name: 'exportPrivateKey',
  path: 'export_private_key',
  subject: 'transfer',
  summary: 'Export a private key, encrypted to the caller',
  policy: { resource: 'PRIVATE_KEY', action: 'EXPORT' },
  type: 'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ privateKeyId: z.string(), exportBundle: signedBundle }),
});
