import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { mfaPolicyFields } from '../../shapes/mfa.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, ...mfaPolicyFields });

export const createMfaPolicy = defineActivity({
  name: 'createMfaPolicy',
  path: 'create_mfa_policy',
  subject: 'credentials',
  summary: 'Require a user to approve certain activities with several methods',
  policy: { resource: 'MFA_POLICY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_MFA_POLICY',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ mfaPolicyId: z.string() }),
});
