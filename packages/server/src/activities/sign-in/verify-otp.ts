import { type ActivityInput, activities, defaults, ServiceError } from '@countersign/contract';
import { readEncryptedCode } from '../../auth/otp/encrypted-code.ts';
import { invalidCode, openCode } from '../../auth/otp/redeem-code.ts';
import { issueVerificationToken } from '../../auth/otp/verification-token.ts';
import { execute, type PlanContext, type RunContext } from '../../pipeline/plan/executor.ts';
import type { HpkeMessage } from '../../vault/transfers/hpke.ts';
import { invalidField } from '../../wire/refuse.ts';
import { readNewPublicKey } from '../credentials/new-api-keys.ts';
import { readEncryptedBundle } from '../transfer/encrypted-bundle.ts';
import { mayTry } from './by-sign-in-key.ts';
import { tryCode } from './try-code.ts';

const nothing = { verificationToken: '' };
const use = 'VERIFICATION';

/** A code to try, and the key to bind the token to. */
interface Attempt {
  readonly otpCode: string;
  readonly publicKey?: string;
}

/** An attempt in plaintext, or the encrypted message that contains it. */
type Submission = Attempt | { readonly message: HpkeMessage };

export const verifyOtp = execute(activities.verifyOtp, {
  locksOrganization: true,

  async plan(context, params) {
    const { otpId, expirationSeconds = defaults.verificationSeconds } = params;
    const submission = read(context, params);
    // SECURITY: the key in an encrypted message is not known yet. A policy that refers to the key then has no value to compare.
    const parameters = () => ('message' in submission ? {} : { publicKey: submission.publicKey ?? '' });
    return { intent: params, subject: { parameters }, prepared: { otpId, submission, expirationSeconds } };
  },

  async run(context, { prepared: { otpId, submission, expirationSeconds } }) {
    const { organization, vault, newId, nowMs } = context;
    // SECURITY: D63: respond as if the code did not exist. This does not count as a try.
    if (!mayTry(context, openCode(organization, { otpId, use }, nowMs)))
      return { result: nothing, changes: [], refusal: invalidCode() };
    if (!('message' in submission)) requireClear(context, otpId);
    const attempt = 'message' in submission ? await open(context, otpId, submission.message) : submission;
    if (attempt instanceof ServiceError) return { result: nothing, changes: [], refusal: attempt };
    const { otpCode, publicKey } = attempt;
    const tried = await tryCode(context, { otpId, otpCode, use });
    const { changes, charges, alarms } = tried;
    if (!tried.accepted) return { result: nothing, changes, charges, alarms, refusal: tried.refusal };
    const { otpType, contact } = tried.record;
    const verificationToken = await issueVerificationToken(vault.service, {
      id: newId(),
      verificationType: otpType,
      contact,
      organizationId: organization.id,
      ...(publicKey !== undefined && { publicKey }),
      expiresAtMs: nowMs + Number(expirationSeconds) * 1000,
    });
    return { result: { verificationToken }, changes, charges };
  },
});

function read(context: PlanContext, params: ActivityInput<'verifyOtp'>): Submission {
  if ('encryptedOtpBundle' in params) return { message: readEncryptedBundle(params.encryptedOtpBundle, 'encryptedOtpBundle') };
  const { otpCode, publicKey } = params;
  if (publicKey === undefined) return { otpCode };
  // Reject an invalid key before the code is used up.
  return { otpCode, publicKey: readNewPublicKey(context, publicKey, 'API_KEY_CURVE_P256', 'publicKey', new Map()) };
}

/**
 * SECURITY: a code that was requested with an encryption target must not be sent in plaintext. It is not even compared, so that no
 * plaintext can be tried.
 */
function requireClear({ organization, nowMs }: RunContext, otpId: string): void {
  if (openCode(organization, { otpId, use }, nowMs)?.sealedTarget === undefined) return;
  throw invalidField(
    'otpCode',
    'must be encrypted, because the code was requested with ACTIVITY_TYPE_INIT_OTP_V3: send encryptedOtpBundle with ACTIVITY_TYPE_VERIFY_OTP_V2',
  );
}

/**
 * Decrypts a message to the target of a code, or returns the reason to reject it.
 * D33: a message that cannot be decrypted, or that does not contain a code and a key in the required format, does not count as a try:
 * nothing was compared with the code, so the caller learned nothing. A wrong code in a message counts as a try.
 */
async function open(
  { organization, vault, nowMs }: RunContext,
  otpId: string,
  message: HpkeMessage,
): Promise<Attempt | ServiceError> {
  const record = openCode(organization, { otpId, use }, nowMs);
  if (record === undefined) return invalidCode();
  if (record.sealedTarget === undefined) {
    throw invalidField(
      'encryptedOtpBundle',
      'has no target, because the code was not requested with ACTIVITY_TYPE_INIT_OTP_V3: send otpCode with ACTIVITY_TYPE_VERIFY_OTP',
    );
  }
  const sealedTarget = Buffer.from(record.sealedTarget, 'base64');
  const plaintext = await vault.transfers.openMessage(organization.id, otpId, sealedTarget, message);
  const found = plaintext && readEncryptedCode(plaintext);
  plaintext?.fill(0);
  return found ?? unreadable();
}

function unreadable(): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    'The bundle does not contain a code: it was encrypted to the target of another code, was altered, or contains something other than a valid otp_code and public_key. This does not count as an attempt; encrypt it again.',
  );
}
