import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { apiKeyParams, apiKeyParamsV1, withCurve } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const keys = <T extends z.ZodType>(item: T) => z.array(item).min(1, 'must not be empty').max(100, 'must have at most 100 items');
const params = z.strictObject({ apiKeys: keys(apiKeyParams), userId: id });

export const createApiKeys = defineActivity({
  name: 'createApiKeys',
  path: 'create_api_keys',
  subject: 'credentials',
  summary: 'Add API keys to a user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
  spec: 'types',
  params,
  intent: params,
  result: z.object({
    apiKeyIds: z
      .array(z.string())
      .describe(
        'API keys for oneself inherit the end, the IP allowlist and the scope of a limited credential that stamps the request. The warnings of the activity say so',
      ),
  }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_API_KEYS',
      params: z.strictObject({ apiKeys: keys(apiKeyParamsV1), userId: id }),
      upgrade: ({ apiKeys, userId }) => ({ apiKeys: apiKeys.map(withCurve), userId }),
    }),
  ],
});
