import { defaults, type OtpType, ServiceError } from '@countersign/contract';
import { isOver, MAX_TRIES, requireRoomForCode } from '../../auth/otp/code-limits.ts';
import { isShort, newCode } from '../../auth/otp/one-time-code.ts';
import { isForgiven } from '../../auth/otp/wrong-tries.ts';
import type { Limits } from '../../config/limits.ts';
import { postMessage } from '../../notify/mail/post-message.ts';
import { canonicalContact } from '../../organizations/contacts.ts';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { isBySignInKey } from './by-sign-in-key.ts';
import { contactKeyOf, isKnown, requesterKeyOf, requireBudget } from './code-budget.ts';
import { requireFeature, requireGranted } from './features.ts';
import { type MailRequest, type PlannedMail, planMail, requireUnset, speaksForEndUser } from './mail-request.ts';

/** Options of a request for a code. */
export interface CodeRequest extends MailRequest {
  readonly otpType: OtpType;
  readonly contact: string;
  readonly otpLength?: number | undefined;
  readonly alphanumeric?: boolean | undefined;
  readonly smsCustomization?: { readonly template?: string | undefined } | undefined;
  readonly userIdentifier?: string | undefined;
  readonly expirationSeconds?: string | undefined;
}

/** Maximum number of obsolete records of each kind that one request deletes. */
const SWEEP = 500;

/** Checks that codes of this type can be sent, and plans the look of the mail. */
export function planCode(context: PlanContext, request: CodeRequest): PlannedMail {
  const { organization, limits } = context;
  requireCodeFeature(organization, request.otpType);
  if (request.otpType === 'OTP_TYPE_SMS') requireSms(limits);
  if (speaksForEndUser(context)) requireUnset({ 'smsCustomization.template': request.smsCustomization?.template });
  return planMail(context, request);
}

/** Throws PRECONDITION_FAILED if codes of this type are off in the organization. */
export function requireCodeFeature(organization: PlanContext['organization'], type: OtpType): void {
  requireFeature(organization, type === 'OTP_TYPE_EMAIL' ? 'FEATURE_NAME_OTP_EMAIL_AUTH' : 'FEATURE_NAME_SMS_AUTH');
}

function requireSms({ sendsMail, sendsSms }: Limits): void {
  // Without a mail server, text messages go to the development mailbox, like mail.
  if (sendsSms || !sendsMail) return;
  throw new ServiceError(
    'NOT_OFFERED',
    'This server cannot send text messages: no gateway is configured (smsUrl). Use OTP_TYPE_EMAIL, or ask the operator.',
  );
}

/** Purpose and recipient of a code. `to` is the contact as its owner writes it. */
interface CodeTarget extends Pick<OneTimeCodeRecord, 'use' | 'signsIn'> {
  readonly to: string;
  /** True if the code must be returned encrypted, to a key that is generated for it. */
  readonly encrypted?: boolean;
}

/** A code to record and send. */
interface SentCode {
  readonly otpId: string;
  /** The key that the returned code must be encrypted to, uncompressed. */
  readonly targetPublicKey?: Uint8Array;
  readonly changes: readonly LocalChange[];
}

/**
 * Creates a code and the message that carries it.
 * SECURITY: only the sealed message contains the code. The record contains a hash under a key of the vault.
 */
export async function sendCode(
  context: RunContext,
  request: CodeRequest,
  { look, sender }: PlannedMail,
  { to, encrypted = false, ...purpose }: CodeTarget,
): Promise<SentCode> {
  const { organization, vault, limits, submitterId: submittedBy, newId, nowMs } = context;
  const {
    otpType,
    otpLength = defaults.codeLength,
    alphanumeric = defaults.alphanumericCode,
    expirationSeconds = defaults.codeSeconds,
  } = request;
  if (otpType === 'OTP_TYPE_SMS') await requireGranted(context, 'FEATURE_NAME_SMS_AUTH');
  const { integrity } = vault;
  const codes = organization.records.oneTimeCode;
  const contact = canonicalContact(otpType, request.contact);
  const askedBy = requesterKeyOf(context, request.userIdentifier);
  const shape = { length: otpLength, alphanumeric };
  const short = isShort(shape);
  const behind = { contactKey: contactKeyOf(context, otpType, contact), askedBy, short };
  await requireBudget(context, behind, { first: true });
  const known = await isKnown(context, behind);
  const isUnstamped = isBySignInKey(context);
  requireRoomForCode(codes, { contact, submittedBy, askedBy, known, isUnstamped }, limits.maxOneTimeCodes, nowMs);
  const otpId = newId();
  const code = newCode(shape);
  const expiresAtMs = nowMs + Number(expirationSeconds) * 1000;
  const target = encrypted ? await vault.transfers.createTarget(organization.id, otpId, 'MESSAGE') : undefined;
  const over = [...codes].filter(([, each]) => isOver(each, nowMs)).slice(0, SWEEP);
  const forgiven = [...organization.records.wrongTries].filter(([, tries]) => isForgiven(tries, nowMs)).slice(0, SWEEP);
  const smsTemplate = request.smsCustomization?.template;
  const message = await postMessage(context, {
    channel: otpType === 'OTP_TYPE_EMAIL' ? 'EMAIL' : 'SMS',
    purpose: 'CODE',
    to,
    secret: code,
    expiresAtMs,
    organizationName: organization.profile.name,
    look,
    sender,
    ...(smsTemplate !== undefined && { smsTemplate }),
  });
  const body: OneTimeCodeRecord = {
    ...purpose,
    otpType,
    contact,
    alphanumeric,
    ...(short && { short }),
    digest: toText(integrity.code(organization.id, otpId, code)),
    triesLeft: MAX_TRIES,
    expiresAtMs,
    submittedBy,
    ...(askedBy !== undefined && { askedBy }),
    messageId: message.id,
    ...(target !== undefined && { sealedTarget: toText(target.ciphertext) }),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const changes: LocalChange[] = [
    ...over.map(([id]) => ({ op: 'deleteRecord' as const, kind: 'oneTimeCode' as const, id })),
    ...forgiven.map(([id]) => ({ op: 'deleteRecord' as const, kind: 'wrongTries' as const, id })),
    { op: 'putRecord', kind: 'oneTimeCode', id: otpId, body },
    message,
  ];
  return { otpId, changes, ...(target !== undefined && { targetPublicKey: target.publicKey }) };
}

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
