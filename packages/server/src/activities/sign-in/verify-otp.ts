import { activities } from '@countersign/contract';
import { redeemCode } from '../../auth/otp/redeem-code.ts';
import { issueVerificationToken } from '../../auth/otp/verification-token.ts';
import { execute } from '../../pipeline/executor.ts';
import { readNewPublicKey } from '../credentials/new-api-keys.ts';

const DEFAULT_TOKEN_SECONDS = '3600';
const hidden = { verificationToken: '' };

export const verifyOtp = execute(activities.verifyOtp, {
  exclusive: true,

  async plan(_context, params) {
    const { publicKey: given } = params;
    // A key that is none is refused before the code is spent on it.
    const publicKey = given === undefined ? undefined : readNewPublicKey(given, 'API_KEY_CURVE_P256', 'publicKey', new Map());
    return { intent: params, subject: {}, prepared: { params, publicKey } };
  },

  async run({ organization, vault, newId, nowMs }, { prepared: { params, publicKey } }) {
    const redeemed = redeemCode(vault.integrity, organization, { ...params, use: 'VERIFICATION' }, nowMs);
    if (!redeemed.accepted) return { result: hidden, changes: redeemed.changes, refusal: redeemed.refusal };
    const { otpType, contact } = redeemed.record;
    const verificationToken = await issueVerificationToken(vault, {
      id: newId(),
      verificationType: otpType,
      contact,
      organizationId: organization.id,
      ...(publicKey !== undefined && { publicKey }),
      expiresAtMs: nowMs + Number(params.expirationSeconds ?? DEFAULT_TOKEN_SECONDS) * 1000,
    });
    // SECURITY: whoever holds the token may log in with it, so it is not kept with the activity, where every user can look.
    return { result: hidden, changes: [redeemed.change], disclosed: { verificationToken } };
  },
});
