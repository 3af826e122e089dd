import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { apiKey } from '../../shapes/credentials.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getApiKeys = defineQuery({
  name: 'getApiKeys',
  path: 'get_api_keys',
  subject: 'credentials',
  summary: 'List the API keys of a user, or of all users',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, userId: id.optional().describe('The user. If omitted, the keys of all users') }),
  output: z.object({ apiKeys: z.array(apiKey) }),
});
