import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { signedBundle } from '../../shapes/bundles.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id.describe('The caller. Users can only import for themselves') });

export const initImportPrivateKey = defineActivity({
  name: 'initImportPrivateKey',
  path: 'init_import_private_key',
  subject: 'transfer',
  summary: 'Get a public key to encrypt a private key to. It is valid for one import by the caller',
  policy: { resource: 'PRIVATE_KEY', action: 'IMPORT' },
  type: 'ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ importBundle: signedBundle }),
});
