import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const deletePaymentMethod = execute(activities.deletePaymentMethod, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const { paymentMethod, ...rest } = organization.profile;
    if (paymentMethod?.paymentMethodId !== params.paymentMethodId) throw notFound('payment method', 'paymentMethodId');
    return { intent: params, subject: {}, prepared: rest };
  },

  async run({ organization, nowMs }, { prepared }) {
    const body = { ...prepared, updatedAtMs: nowMs };
    return { result: {}, changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }] };
  },
});
