import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { planLogin, recordLogin } from './login.ts';

export const stampLogin = execute(activities.stampLogin, {
  locksOrganization: true,

  async plan(context, params) {
    const { submitterId: userId } = context;
    const prepared = await planLogin(context, userId, params, 'STAMP');
    const parameters = () => ({ expirationSeconds: prepared.key.expirationSeconds });
    return { intent: params, subject: { touches: [{ what: 'SESSION', userId }], parameters }, prepared };
  },

  async run(context, { prepared }) {
    const { session, changes, warnings } = await recordLogin(context, prepared);
    return { result: { session }, changes, warnings };
  },
});
