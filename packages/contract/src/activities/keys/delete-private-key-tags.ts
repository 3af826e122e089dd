import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ privateKeyTagIds: idList });

export const deletePrivateKeyTags = defineActivity({
  name: 'deletePrivateKeyTags',
  path: 'delete_private_key_tags',
  subject: 'keys',
  summary: 'Delete private key tags. The result lists the private keys that had them',
  policy: { resource: 'PRIVATE_KEY', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ privateKeyTagIds: z.array(z.string()), privateKeyIds: z.array(z.string()) }),
});
