import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { signedBundle, targetPublicKey } from '../../shapes/bundles.ts';
import { id } from '../../shapes/primitives.ts';
import { encryptionSuite, keyValues, severalSecrets } from '../../shapes/secrets.ts';

const params = z.strictObject({
  secrets: severalSecrets(
    z.strictObject({
      secretId: id,
      targetPublicKey,
      encryptionSuite,
      requestContext: keyValues.optional().meta({ default: [] }).describe('Context of the request, for policies and the log'),
    }),
  ),
});

export const exportSecrets = defineActivity({
  name: 'exportSecrets',
  path: 'export_secrets',
  subject: 'secrets',
  summary: 'Export secrets, each encrypted to the caller',
  policy: { resource: 'SECRET', action: 'EXPORT' },
  type: 'ACTIVITY_TYPE_EXPORT_SECRETS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ secretPayloads: z.array(signedBundle) }),
});
