import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { mfaPolicyFields } from '../../shapes/mfa.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, mfaPolicyId: id, ...z.object(mfaPolicyFields).partial().shape });

export const updateMfaPolicy = defineActivity({
  name: 'updateMfaPolicy',
  path: 'update_mfa_policy',
  subject: 'credentials',
  summary: 'Change an MFA policy of a user',
  policy: { resource: 'MFA_POLICY', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_MFA_POLICY',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ mfaPolicyId: z.string() }),
});
