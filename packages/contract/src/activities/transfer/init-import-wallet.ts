import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { signedBundle } from '../../shapes/bundles.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id.describe('The caller. Users can only import for themselves') });

export const initImportWallet = defineActivity({
  name: 'initImportWallet',
  path: 'init_import_wallet',
  subject: 'transfer',
  summary: 'Get a public key to encrypt a recovery phrase to. It is valid for one import by the caller',
  policy: { resource: 'WALLET', action: 'IMPORT' },
  type: 'ACTIVITY_TYPE_INIT_IMPORT_WALLET',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ importBundle: signedBundle }),
});
