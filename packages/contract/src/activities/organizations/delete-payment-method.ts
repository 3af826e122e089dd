import { z } from 'zod';
import { defineActivity } from '../../define.ts';

const params = z.strictObject({ paymentMethodId: z.string().min(1, 'must not be empty').max(256) });

export const deletePaymentMethod = defineActivity({
  name: 'deletePaymentMethod',
  path: 'delete_payment_method',
  subject: 'organizations',
  summary: 'Remove the payment method',
  policy: { resource: 'PAYMENT_METHOD', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_PAYMENT_METHOD',
  spec: 'types',
  params,
  intent: params,
  result: z.object({}),
});
