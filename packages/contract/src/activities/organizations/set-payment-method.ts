import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { secret } from '../../secrets.ts';
import { cardHolder, withheldCardNumber } from '../../shapes/billing.ts';

const params = z.strictObject({
  paymentMethodId: z
    .string()
    .min(1, 'must not be empty')
    .max(256, 'must have at most 256 characters')
    .describe('A reference from a payment provider, never a card number'),
  ...cardHolder,
});

export const setPaymentMethod = defineActivity({
  name: 'setPaymentMethod',
  path: 'set_payment_method',
  subject: 'organizations',
  summary: 'Store a payment provider’s reference to a payment method. Card numbers are rejected',
  policy: { resource: 'PAYMENT_METHOD', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_SET_PAYMENT_METHOD_V2',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ lastFour: z.string(), cardHolderName: z.string(), cardHolderEmail: z.string() }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_SET_PAYMENT_METHOD',
      params: z.strictObject({
        number: secret(z.string().max(19)),
        cvv: secret(z.string().max(4)),
        expiryMonth: z.string().max(16),
        expiryYear: z.string().max(16),
        ...cardHolder,
      }),
      // SECURITY: The card number and the CVV stop here. The executor refuses their replacement.
      upgrade: ({ cardHolderEmail, cardHolderName }) => ({
        paymentMethodId: withheldCardNumber,
        cardHolderEmail,
        cardHolderName,
      }),
    }),
  ],
});
