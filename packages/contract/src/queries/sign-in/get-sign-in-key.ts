import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const getSignInKey = defineQuery({
  name: 'getSignInKey',
  path: 'get_sign_in_key',
  subject: 'sign-in',
  summary: 'Get the key with which the service submits sign-ins without a stamp',
  reads: { resources: ['AUTH'] },
  input: z.strictObject({ organizationId }),
  output: z.object({
    publicKey: z
      .string()
      .describe(
        'A compressed P-256 public key. The relay is open if this is the API key of a user who may do the four sign-in activities',
      ),
    userId: z.string().optional().describe('The user of this organization who has it as an API key'),
  }),
});
