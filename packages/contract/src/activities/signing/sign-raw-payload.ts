import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';
import { hashFunction, payload, payloadEncoding, signature, signWith, specPayloadEncoding } from '../../shapes/signing.ts';

const message = { payload, encoding: payloadEncoding, hashFunction };

export const signRawPayload = defineActivity({
  name: 'signRawPayload',
  path: 'sign_raw_payload',
  subject: 'signing',
  summary: 'Sign one raw payload',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  spec: 'endpoint',
  params: z.strictObject({ signWith, ...message }),
  specParams: z.strictObject({ signWith, ...message, encoding: specPayloadEncoding }),
  intent: z.object({ privateKeyId: z.string(), ...message }),
  result: signature,
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD',
      params: z.strictObject({ privateKeyId: id, ...message }),
      upgrade: ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }),
    }),
  ],
});
