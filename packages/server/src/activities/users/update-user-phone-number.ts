import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { planContactChange, recordContactChange, touchedContact } from './update-user-contact.ts';

export const updateUserPhoneNumber = execute(activities.updateUserPhoneNumber, {
  locksOrganization: true,

  async plan(context, params) {
    const { userId, userPhoneNumber: contact, verificationToken } = params;
    const prepared = planContactChange(context, { userId, type: 'OTP_TYPE_SMS', contact, verificationToken });
    return { intent: params, subject: { touches: [touchedContact(context, prepared)] }, prepared };
  },

  async run(context, { prepared }) {
    return { result: { userId: prepared.userId }, changes: recordContactChange(context, prepared) };
  },
});
