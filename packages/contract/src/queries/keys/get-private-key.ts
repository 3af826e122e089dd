import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { privateKey } from '../../shapes/keys.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getPrivateKey = defineQuery({
  name: 'getPrivateKey',
  path: 'get_private_key',
  subject: 'keys',
  summary: 'Get one private key',
  reads: { resources: ['PRIVATE_KEY'] },
  input: z.strictObject({ organizationId, privateKeyId: id }),
  output: z.object({ privateKey }),
});
