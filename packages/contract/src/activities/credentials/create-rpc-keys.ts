import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { rpcKeyParams } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  userId: id,
  rpcKeys: z.array(rpcKeyParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createRpcKeys = defineActivity({
  name: 'createRpcKeys',
  path: 'create_rpc_keys',
  subject: 'credentials',
  summary: 'Let a token or a client certificate use the JSON-RPC endpoint as an API-only user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_RPC_KEYS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({
    rpcKeys: z
      .array(z.object({ apiKeyId: z.string(), publicKey: z.string() }))
      .describe('In the order of the request. The service stamps with these keys. They are deleted with delete_api_keys'),
  }),
});
