import { activities } from '@countersign/contract';
import { usersAt } from '../../organizations/contacts.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireOne } from './contacts.ts';
import { requireFeature } from './features.ts';
import { planMail } from './mail-request.ts';
import { mailKey } from './mailed-key.ts';
import { foreseenSeconds } from './session-keys.ts';
import { readTargetKey } from './target-key.ts';

const key = { type: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256', kind: 'Recovery', purpose: 'RECOVERY' } as const;

export const initUserEmailRecovery = execute(activities.initUserEmailRecovery, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization } = context;
    requireFeature(organization, 'FEATURE_NAME_EMAIL_RECOVERY');
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const mail = planMail(context, params);
    const found = usersAt(organization, 'OTP_TYPE_EMAIL', params.email);
    const expirationSeconds = await foreseenSeconds(context, key, params, { method: 'EMAIL' });
    const subject = { parameters: () => ({ expirationSeconds }) };
    return { intent: params, subject, prepared: { params, target, mail, found } };
  },

  async run(context, { prepared: { params, target, mail, found } }) {
    const contacted = requireOne(found, 'email');
    const { userId } = contacted;
    // SECURITY: the key can only register one passkey of this user.
    const oneTime = { ...key, restrictedTo: { activity: 'recoverUser', subjectId: userId } };
    const { changes } = await mailKey(context, contacted, oneTime, params, mail, target);
    return { result: { userId }, changes };
  },
});
