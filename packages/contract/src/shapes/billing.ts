import { z } from 'zod';
import { email, label } from './primitives.ts';

/** Who a payment method belongs to. */
export const cardHolder = { cardHolderEmail: email, cardHolderName: label };

/** A payment method as its organization sees it: a reference, never a card. */
export const paymentMethod = z
  .object({ paymentMethodId: z.string(), cardHolderName: z.string(), cardHolderEmail: z.string() })
  .meta({ id: 'PaymentMethod' });

/** What stands for the card number of an old request. */
export const withheldCardNumber = '[card number]';
