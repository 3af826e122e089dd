import type { ServiceError } from '@countersign/contract';
import { MAX_TRIES } from '../../auth/otp/code-limits.ts';
import { openCode, type Redemption, redeemCode } from '../../auth/otp/redeem-code.ts';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import { afterRightTry, afterWrongTry, type Consequences, contactKeyOf, requireBudget } from './code-budget.ts';

/** Result of trying a code. Its consequences are stored whether or not the code is accepted. */
export type Tried = Consequences &
  (
    | { readonly accepted: true; readonly record: OneTimeCodeRecord }
    | { readonly accepted: false; readonly refusal: ServiceError }
  );

/**
 * Tries a code within the rate limits of its contact, its requester and the submitter. Throws if a rate limit applies, which does not count
 * as a try.
 */
export async function tryCode(context: RunContext, redemption: Redemption): Promise<Tried> {
  const { organization, vault, submitterId, nowMs } = context;
  const code = openCode(organization, redemption, nowMs);
  const behind = code && {
    contactKey: contactKeyOf(context, code.otpType, code.contact),
    // The requester's delay does not apply to another user's try, and that try does not count against the requester.
    askedBy: code.submittedBy === submitterId ? code.askedBy : undefined,
    short: code.short === true,
  };
  if (behind !== undefined) await requireBudget(context, behind, { first: code?.triesLeft === MAX_TRIES });
  const redeemed = redeemCode(vault.integrity, organization, redemption, nowMs);
  if (code === undefined || behind === undefined) {
    if (redeemed.accepted) throw new Error('a code that is not open was accepted');
    return { accepted: false, refusal: redeemed.refusal, changes: [], charges: [], alarms: [] };
  }
  const { changes, ...consequences } = redeemed.accepted
    ? afterRightTry(context, behind, MAX_TRIES - code.triesLeft)
    : await afterWrongTry(context, behind);
  const all = { ...consequences, changes: [...redeemed.changes, ...changes] };
  return redeemed.accepted ? { ...all, accepted: true, record: code } : { ...all, accepted: false, refusal: redeemed.refusal };
}
