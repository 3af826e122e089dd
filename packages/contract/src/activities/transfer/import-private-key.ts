import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { encryptedBundle } from '../../shapes/bundles.ts';
import { addressFormat, addressFormats, curve, privateKeyResult } from '../../shapes/keys.ts';
import { id, label } from '../../shapes/primitives.ts';

const params = z.strictObject({
  userId: id,
  privateKeyName: label,
  encryptedBundle,
  curve,
  addressFormats: z.array(addressFormat).max(addressFormats.length),
});

export const importPrivateKey = defineActivity({
  name: 'importPrivateKey',
  path: 'import_private_key',
  subject: 'transfer',
  summary: 'Import a private key',
  policy: { resource: 'PRIVATE_KEY', action: 'IMPORT' },
  type: 'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY',
  spec: 'types',
  params,
  intent: params,
  result: privateKeyResult,
});
