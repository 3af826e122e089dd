import { z } from 'zod';
import { email, label } from './primitives.ts';

/** The owner of a payment method. */
export const cardHolder = { cardHolderEmail: email, cardHolderName: label };

/** A payment method as queries show it: a reference, never a card. */
export const paymentMethod = z
  .object({ paymentMethodId: z.string(), cardHolderName: z.string(), cardHolderEmail: z.string() })
  .meta({ id: 'PaymentMethod' });

/** Replaces the card number of an old request. */
export const withheldCardNumber = '[card number]';
