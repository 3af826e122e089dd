import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { planLogin, recordLogin } from './login.ts';

export const stampLogin = execute(activities.stampLogin, {
  exclusive: true,

  async plan(context, params) {
    const { submitterId: userId } = context;
    return { intent: params, subject: { touches: [{ what: 'SESSION', userId }] }, prepared: planLogin(context, userId, params) };
  },

  async run(context, { prepared }) {
    const { session, changes } = await recordLogin(context, prepared);
    return { result: { session }, changes };
  },
});
