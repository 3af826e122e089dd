import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { flag, idList } from '../../shapes/primitives.ts';

const params = z.strictObject({
  privateKeyIds: idList,
  deleteWithoutExport: flag.describe('True also deletes keys that were never exported. They are then lost'),
});

export const deletePrivateKeys = defineActivity({
  name: 'deletePrivateKeys',
  path: 'delete_private_keys',
  subject: 'keys',
  summary: 'Delete private keys',
  policy: { resource: 'PRIVATE_KEY', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_PRIVATE_KEYS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ privateKeyIds: z.array(z.string()) }),
});
