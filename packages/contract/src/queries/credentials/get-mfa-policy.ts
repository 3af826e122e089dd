import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { mfaPolicy } from '../../shapes/mfa.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getMfaPolicy = defineQuery({
  name: 'getMfaPolicy',
  path: 'get_mfa_policy',
  subject: 'credentials',
  summary: 'Get one MFA policy of a user',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, userId: id, mfaPolicyId: id }),
  output: z.object({ mfaPolicy }),
});
