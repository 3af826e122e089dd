import { activities } from '@countersign/contract';
import { usersAt } from '../../organizations/contacts.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireOne } from './contacts.ts';
import { planCode, sendCode } from './send-code.ts';

export const initOtpAuth = execute(activities.initOtpAuth, {
  locksOrganization: true,

  async plan(context, params) {
    const mail = planCode(context, params);
    const found = usersAt(context.organization, params.otpType, params.contact);
    return { intent: params, subject: {}, prepared: { params, mail, found } };
  },

  async run(context, { prepared: { params, mail, found } }) {
    const { userId, user } = requireOne(found, 'contact');
    const to = (params.otpType === 'OTP_TYPE_EMAIL' ? user.userEmail : user.userPhoneNumber) ?? params.contact;
    const { otpId, changes } = await sendCode(context, params, mail, { use: 'SIGN_IN', signsIn: userId, to });
    return { result: { otpId }, changes };
  },
});
