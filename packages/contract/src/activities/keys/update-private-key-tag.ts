import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, label } from '../../shapes/primitives.ts';
import { taggedIds } from '../../shapes/tags.ts';

const params = z.strictObject({
  privateKeyTagId: id,
  newPrivateKeyTagName: label.optional(),
  addPrivateKeyIds: taggedIds,
  removePrivateKeyIds: taggedIds,
});

export const updatePrivateKeyTag = defineActivity({
  name: 'updatePrivateKeyTag',
  path: 'update_private_key_tag',
  subject: 'keys',
  summary: 'Rename a private key tag, or assign it to and remove it from private keys',
  policy: { resource: 'PRIVATE_KEY', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ privateKeyTagId: z.string() }),
});
