import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, mfaPolicyId: id });

export const deleteMfaPolicy = defineActivity({
  name: 'deleteMfaPolicy',
  path: 'delete_mfa_policy',
  subject: 'credentials',
  summary: 'Remove an MFA policy of a user',
  policy: { resource: 'MFA_POLICY', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_MFA_POLICY',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ mfaPolicyId: z.string() }),
});
