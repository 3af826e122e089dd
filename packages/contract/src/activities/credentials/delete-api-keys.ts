import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, apiKeyIds: idList });

export const deleteApiKeys = defineActivity({
  name: 'deleteApiKeys',
  path: 'delete_api_keys',
  subject: 'credentials',
  summary: 'Remove API keys from a user',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_API_KEYS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ apiKeyIds: z.array(z.string()) }),
});
