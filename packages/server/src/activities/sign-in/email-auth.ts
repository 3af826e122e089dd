import { activities } from '@countersign/contract';
import { usersAt } from '../../organizations/contacts.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireOne } from './contacts.ts';
import { requireFeature } from './features.ts';
import { planMail } from './mail-request.ts';
import { mailKey } from './mailed-key.ts';
import { foreseenSeconds, withSessionDefaults } from './session-keys.ts';
import { readTargetKey } from './target-key.ts';

const key = { type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256', kind: 'Email Auth', purpose: 'EMAIL_AUTH' } as const;

/** Values that the intent shows for fields that the request omits. Empty always counts as absent. */
const noChoices = { sendFromEmailAddress: '', sendFromEmailSenderName: '', replyToEmailAddress: '' };
const noLook = { appName: '', logoUrl: '', magicLinkTemplate: '', templateVariables: '', templateId: '' };

export const emailAuth = execute(activities.emailAuth, {
  locksOrganization: true,

  async plan(context, given) {
    const { organization } = context;
    requireFeature(organization, 'FEATURE_NAME_EMAIL_AUTH');
    const target = readTargetKey(given.targetPublicKey, 'targetPublicKey');
    const params = await withSessionDefaults(context, key.kind, given, { method: 'EMAIL' });
    const expirationSeconds = await foreseenSeconds(context, key, params, { method: 'EMAIL' });
    const mail = planMail(context, params);
    const found = usersAt(organization, 'OTP_TYPE_EMAIL', params.email);
    return {
      intent: { ...noChoices, ...params, emailCustomization: { ...noLook, ...params.emailCustomization } },
      subject: { parameters: () => ({ expirationSeconds }) },
      prepared: { params, target, mail, found },
    };
  },

  async run(context, { prepared: { params, target, mail, found } }) {
    const contacted = requireOne(found, 'email');
    const { apiKeyId, changes } = await mailKey(context, contacted, key, params, mail, target);
    return { result: { userId: contacted.userId, apiKeyId }, changes };
  },
});
