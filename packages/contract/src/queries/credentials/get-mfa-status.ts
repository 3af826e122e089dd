import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { mfaStatus } from '../../shapes/mfa.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getMfaStatus = defineQuery({
  name: 'getMfaStatus',
  path: 'get_mfa_status',
  subject: 'credentials',
  summary: 'Show which MFA policies apply to an activity, and which steps are met',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, activityId: id, userId: id.optional() }),
  output: z.object({ mfaStatuses: z.array(mfaStatus) }),
});
