import { madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

const cardHolder = { cardHolderEmail: 'billing@example.com', cardHolderName: 'Accounts Payable' };

/** A well-known test number. It must not appear anywhere afterwards. */
const card = { number: '4111111111111111', cvv: '123', expiryMonth: '12', expiryYear: '2030', ...cardHolder };

const reference = () => `pm_${uniqueName('reference').replace(' ', '')}`;

export const billingCases: CatalogueCases = {
  ACTIVITY_TYPE_SET_PAYMENT_METHOD: {
    never: 'it carries a card number, which is always refused',
    refused: ({ first }) => ({ caller: first, params: card, code: 'REQUEST_INVALID', fields: ['paymentMethodId'] }),
  },
  ACTIVITY_TYPE_SET_PAYMENT_METHOD_V2: {
    succeeds: ({ first }) => ({ caller: first, params: { paymentMethodId: reference(), ...cardHolder } }),
    refused: () => ({ params: { paymentMethodId: reference(), ...cardHolder }, code: 'PRECONDITION_FAILED' }),
  },
  ACTIVITY_TYPE_DELETE_PAYMENT_METHOD: {
    async succeeds({ first }: Stage) {
      const paymentMethodId = reference();
      await first.result('setPaymentMethod', { paymentMethodId, ...cardHolder });
      return { caller: first, params: { paymentMethodId } };
    },
    refused: ({ first }) => ({
      caller: first,
      params: { paymentMethodId: madeUpId() },
      code: 'NOT_FOUND',
      fields: ['paymentMethodId'],
    }),
  },
  ACTIVITY_TYPE_ACTIVATE_BILLING_TIER: {
    succeeds: ({ first }) => ({ caller: first, params: { productId: 'business' } }),
    refused: ({ first }) => ({ caller: first, params: { productId: 'toString' }, code: 'NOT_FOUND', fields: ['productId'] }),
  },
};
