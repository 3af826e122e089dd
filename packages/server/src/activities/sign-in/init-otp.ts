import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { planCode, sendCode } from './send-code.ts';

export const initOtp = execute(activities.initOtp, {
  exclusive: true,

  async plan(context, params) {
    return { intent: params, subject: {}, prepared: { params, mail: planCode(context, params) } };
  },

  async run(context, { prepared: { params, mail } }) {
    // Whoever has the contact gets the code, a user or not, so that nobody learns from the answer which it is.
    const { otpId, changes } = await sendCode(context, params, mail, { use: 'VERIFICATION', to: params.contact });
    return { result: { otpId }, changes, warnings: mail.warnings };
  },
});
