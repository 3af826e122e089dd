import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { mfaPolicyFields } from '../../shapes/mfa.ts';
import { id } from '../../shapes/primitives.ts';

const fields = z.object(mfaPolicyFields).partial().shape;

const params = z.strictObject({
  userId: id,
  mfaPolicyId: id,
  ...fields,
  requiredAuthenticationMethods: fields.requiredAuthenticationMethods.register(policyMarks, {
    resolved: 'the methods that the policy has',
  }),
  order: fields.order.register(policyMarks, { resolved: 'the order that the policy has' }),
  notes: fields.notes.register(policyMarks, { resolved: 'the notes that the policy has' }),
});

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
