import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { signedMessage } from '../../vault/transfers/signed-message.ts';
import { destinationOf, sentBySignInKey } from './by-sign-in-key.ts';
import { planCode, sendCode } from './send-code.ts';

export const initOtp = execute(activities.initOtp, {
  locksOrganization: true,

  async plan(context, params) {
    const { encrypted, ...request } = params;
    const mail = planCode(context, request);
    return { intent: request, subject: {}, prepared: { request, encrypted: encrypted === true, mail } };
  },

  async run(context, { prepared: { request, encrypted, mail } }) {
    const { organization, vault } = context;
    // Create the code whether or not a user has the contact, so that the response does not reveal which.
    const sent = await sendCode(context, request, mail, { use: 'VERIFICATION', to: destinationOf(context, request), encrypted });
    const { otpId, targetPublicKey } = sent;
    const outcome = await sentBySignInKey(context, request, sent.changes);
    if (targetPublicKey === undefined) return { ...outcome, result: { otpId } };
    const otpEncryptionTargetBundle = await signedMessage(vault.service, 'verificationTokenSigner', {
      targetPublic: Buffer.from(targetPublicKey).toString('hex'),
      organizationId: organization.id,
      otpId,
    });
    return { ...outcome, result: { otpId, otpEncryptionTargetBundle } };
  },
});
