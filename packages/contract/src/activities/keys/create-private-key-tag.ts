import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { label } from '../../shapes/primitives.ts';
import { taggedIds } from '../../shapes/tags.ts';

const params = z.strictObject({ privateKeyTagName: label, privateKeyIds: taggedIds.default([]) });

export const createPrivateKeyTag = defineActivity({
  name: 'createPrivateKeyTag',
  path: 'create_private_key_tag',
  subject: 'keys',
  summary: 'Create a private key tag and assign it to private keys',
  policy: { resource: 'PRIVATE_KEY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG',
  spec: 'endpoint',
  params,
  intent: params,
  result: z.object({ privateKeyTagId: z.string(), privateKeyIds: z.array(z.string()) }),
});
