import { activities } from '@countersign/contract';
import { invalidCode } from '../../auth/otp/redeem-code.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { hasContact, methodOf } from './contacts.ts';
import { foreseenSeconds, generatedKey, planSessionKey, recordSessionKey } from './session-keys.ts';
import { readTargetKey } from './target-key.ts';
import { tryCode } from './try-code.ts';

const kind = { type: 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256', kind: 'OTP Auth' } as const;
const nothing = { userId: '', apiKeyId: '', credentialBundle: '' };

export const otpAuth = execute(activities.otpAuth, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization } = context;
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const userId = organization.records.oneTimeCode.get(params.otpId)?.signsIn;
    const touches = userId === undefined ? [] : [{ what: 'SESSION', userId, proven: true } as const];
    const expirationSeconds = await foreseenSeconds(context, kind, params, { method: 'EMAIL' });
    return { intent: params, subject: { touches, parameters: () => ({ expirationSeconds }) }, prepared: { params, target } };
  },

  async run(context, { prepared: { params, target } }) {
    const { organization, vault } = context;
    const tried = await tryCode(context, { ...params, use: 'SIGN_IN' });
    const { changes: used, charges, alarms } = tried;
    if (!tried.accepted) return { result: nothing, changes: used, charges, alarms, refusal: tried.refusal };
    const { record } = tried;
    const { signsIn: userId = '', otpType, contact } = record;
    const user = organization.users.get(userId);
    // The user was deleted, or has changed the contact since the code was sent.
    if (user === undefined || !hasContact(user, otpType, contact))
      return { result: nothing, changes: used, refusal: invalidCode() };
    const key = await planSessionKey(context, userId, kind, params, { method: methodOf(otpType) });
    const { publicKey, credentialBundle } = await vault.service.issueCredential(target);
    const { apiKeyId, changes, warnings } = recordSessionKey(context, key, generatedKey(publicKey));
    return { result: { userId, apiKeyId, credentialBundle }, changes: [...used, ...changes], charges, warnings };
  },
});
