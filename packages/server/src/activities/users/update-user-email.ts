import { activities } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireQuorumStaysInReach } from '../quorum-in-reach.ts';
import { touchedEmail } from '../touches.ts';
import { changeUser, expectedUser } from './change-user.ts';
import { planContactChange, recordContactChange, touchedContact } from './update-user-contact.ts';

export const updateUserEmail = execute(activities.updateUserEmail, {
  locksOrganization: true,

  contextChange({ organization }, { userId, userEmail }) {
    const user = organization.users.get(userId);
    return user && { users: new Map([[userId, expectedUser(user, { userEmail })]]) };
  },

  async plan(context, params) {
    const { userId, userEmail: contact, verificationToken } = params;
    const prepared = planContactChange(context, { userId, type: 'OTP_TYPE_EMAIL', contact, verificationToken });
    if (contact === '') requireQuorumStaysInReach(context.organization, { withoutEmailOf: userId }, context.nowMs);
    const before = changeUser(context.organization, userId, {});
    const touches: Touch[] = [touchedContact(context, prepared), ...touchedEmail(userId, before, contact)];
    return { intent: params, subject: { touches }, prepared };
  },

  async run(context, { prepared }) {
    return { result: { userId: prepared.userId }, changes: recordContactChange(context, prepared) };
  },
});
