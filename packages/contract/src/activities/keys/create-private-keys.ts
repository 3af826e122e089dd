import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { privateKeyParams, privateKeyResult } from '../../shapes/keys.ts';

const params = z.strictObject({
  privateKeys: z.array(privateKeyParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});
const result = z.object({ privateKeys: z.array(privateKeyResult) });

export const createPrivateKeys = defineActivity({
  name: 'createPrivateKeys',
  path: 'create_private_keys',
  subject: 'keys',
  summary: 'Generate private keys',
  policy: { resource: 'PRIVATE_KEY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
  spec: 'types',
  params,
  intent: params,
  result,
  resultKey: 'createPrivateKeysResultV2',
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS',
      params,
      upgrade: (old) => old,
      result: ({ privateKeys }: z.output<typeof result>) => ({ privateKeyIds: privateKeys.map((key) => key.privateKeyId) }),
    }),
  ],
});
