import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { mfaPolicy } from '../../shapes/mfa.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getMfaPolicies = defineQuery({
  name: 'getMfaPolicies',
  path: 'get_mfa_policies',
  subject: 'credentials',
  summary: 'List the MFA policies of a user',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, userId: id }),
  output: z.object({ mfaPolicies: z.array(mfaPolicy) }),
});
