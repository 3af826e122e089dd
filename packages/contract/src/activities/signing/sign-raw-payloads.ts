import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { hashFunction, payload, payloadEncoding, signature, signWith, specPayloadEncoding } from '../../shapes/signing.ts';

const params = z.strictObject({
  signWith,
  payloads: z.array(payload).min(1, 'must not be empty'),
  encoding: payloadEncoding,
  hashFunction,
});

export const signRawPayloads = defineActivity({
  name: 'signRawPayloads',
  path: 'sign_raw_payloads',
  subject: 'signing',
  summary: 'Sign several raw payloads with one key',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
  spec: 'endpoint',
  params,
  specParams: params.extend({ encoding: specPayloadEncoding }),
  intent: params,
  result: z.object({ signatures: z.array(signature).optional() }),
});
