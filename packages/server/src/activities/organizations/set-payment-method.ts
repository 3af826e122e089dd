import { activities, ServiceError, withheldCardNumber } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireBilled } from './billing.ts';

/** At least 12 consecutive digits, the length of the shortest card number, with or without separators. */
const cardNumber = /\d(?:[ -]?\d){11,}/;

export const setPaymentMethod = execute(activities.setPaymentMethod, {
  locksOrganization: true,

  async plan({ organization }, params) {
    // SECURITY: check this first. Nothing of a rejected request is stored or logged.
    if (params.paymentMethodId === withheldCardNumber || cardNumber.test(params.paymentMethodId)) {
      throw new ServiceError(
        'REQUEST_INVALID',
        'invalid request: card numbers and CVVs are not accepted, and this one was not stored. Send the reference of your payment provider to the card, with ACTIVITY_TYPE_SET_PAYMENT_METHOD_V2.',
        { violations: [{ field: 'paymentMethodId', description: 'must be a reference, not a card number' }] },
      );
    }
    requireBilled(organization);
    return { intent: params, subject: {}, prepared: params };
  },

  async run({ organization, nowMs }, { prepared: paymentMethod }) {
    const { cardHolderName, cardHolderEmail } = paymentMethod;
    const body = { ...organization.profile, paymentMethod, updatedAtMs: nowMs };
    return {
      // A reference does not reveal the card number.
      result: { lastFour: '', cardHolderName, cardHolderEmail },
      changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }],
    };
  },
});
