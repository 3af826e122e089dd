import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { encryptionSuite, importTargetKey, keyValues, secretName, secretPayload, severalSecrets } from '../../shapes/secrets.ts';

const params = z.strictObject({
  secrets: severalSecrets(
    z.strictObject({
      name: secretName.optional().meta({ default: '' }).describe('A name that no other secret of the organization has'),
      secretPayload,
      targetPublicKey: importTargetKey,
      encryptionSuite,
      staticProperties: keyValues.optional().meta({ default: [] }).describe('Properties that policies see. They never change'),
    }),
  ),
});

export const importSecrets = defineActivity({
  name: 'importSecrets',
  path: 'import_secrets',
  subject: 'secrets',
  summary: 'Import secrets, such as passwords and tokens',
  policy: { resource: 'SECRET', action: 'IMPORT' },
  type: 'ACTIVITY_TYPE_IMPORT_SECRETS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ secretIds: z.array(z.string()) }),
});
