import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ tokenIds: idList });

export const deleteTokens = defineActivity({
  name: 'deleteTokens',
  path: 'delete_tokens',
  subject: 'address-book',
  summary: 'Delete tokens of the organization: all of the given ones or none',
  policy: { resource: 'TOKEN', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_TOKENS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ tokenIds: z.array(z.string()) }),
});
