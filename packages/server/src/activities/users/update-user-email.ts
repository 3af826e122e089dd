import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { requireReachableQuorum } from './reachable-quorum.ts';
import { planContactChange, recordContactChange } from './update-user-contact.ts';

export const updateUserEmail = execute(activities.updateUserEmail, {
  exclusive: true,

  async plan(context, params) {
    const { userId, userEmail: contact, verificationToken } = params;
    const prepared = planContactChange(context, { userId, type: 'OTP_TYPE_EMAIL', contact, verificationToken });
    if (contact === '') requireReachableQuorum(context.organization, userId);
    return { intent: params, subject: { touches: [{ what: 'CONTACT', userId }] }, prepared };
  },

  async run(context, { prepared }) {
    return { result: { userId: prepared.userId }, changes: recordContactChange(context, prepared) };
  },
});
