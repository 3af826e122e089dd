import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { signedBundle } from '../../shapes/bundles.ts';
import { encryptionSuite, MAX_SECRETS_PER_REQUEST } from '../../shapes/secrets.ts';

const params = z.strictObject({
  encryptionSuite,
  numSecrets: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MAX_SECRETS_PER_REQUEST, `must be at most ${MAX_SECRETS_PER_REQUEST}`)
    .describe('How many secrets the caller is going to import'),
});

export const initImportSecrets = defineActivity({
  name: 'initImportSecrets',
  path: 'init_import_secrets',
  subject: 'secrets',
  summary: 'Get public keys to encrypt secrets to. Each is valid for one import by the caller, within a day',
  policy: { resource: 'SECRET', action: 'IMPORT' },
  type: 'ACTIVITY_TYPE_INIT_IMPORT_SECRETS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ enclaveTargetMessages: z.array(signedBundle) }),
});
