import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';
import { severalSecrets } from '../../shapes/secrets.ts';

const params = z.strictObject({ secretIds: severalSecrets(id) });

export const deleteSecrets = defineActivity({
  name: 'deleteSecrets',
  path: 'delete_secrets',
  subject: 'secrets',
  summary: 'Delete secrets. Those that were never exported are then lost',
  policy: { resource: 'SECRET', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_SECRETS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ secretIds: z.array(z.string()) }),
});
