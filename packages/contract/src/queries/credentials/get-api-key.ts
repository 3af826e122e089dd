import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { apiKey } from '../../shapes/credentials.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getApiKey = defineQuery({
  name: 'getApiKey',
  path: 'get_api_key',
  subject: 'credentials',
  summary: 'Get one API key',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, apiKeyId: id }),
  output: z.object({ apiKey }),
});
