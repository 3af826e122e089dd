import { ServiceError } from '@countersign/contract';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { canonicalCode } from './one-time-code.ts';

/** The outcome of a try, and how the record of the code changes. Store the changes in either case: a wrong try counts too. */
type Redeemed = { readonly changes: readonly LocalChange[] } & (
  | { readonly accepted: true }
  | { readonly accepted: false; readonly refusal: ServiceError }
);

/** Names a code and its use. */
export interface CodeReference {
  readonly otpId: string;
  readonly use: OneTimeCodeRecord['use'];
}

/** A request to redeem a code. */
export interface Redemption extends CodeReference {
  readonly otpCode: string;
}

/** The code, if it may still be tried. Undefined if it is unknown, for another use, used, locked or expired. */
export function openCode({ records }: Snapshot, { otpId, use }: CodeReference, nowMs: number): OneTimeCodeRecord | undefined {
  const record = records.oneTimeCode.get(otpId);
  const open =
    record !== undefined && record.use === use && record.used !== true && record.triesLeft > 0 && record.expiresAtMs > nowMs;
  return open ? record : undefined;
}

/**
 * Tries a code.
 * INVARIANT: tries in one organization run one after the other, each on the version that the last one left. So no code is accepted
 * twice or tried a fourth time, in clear or encrypted.
 * SECURITY: wrong, used, expired, locked and unknown codes get the same answer, and each costs one keyed hash and one comparison in
 * constant time (D33, D63).
 */
export function redeemCode(integrity: Integrity, organization: Snapshot, redemption: Redemption, nowMs: number): Redeemed {
  const { otpId, otpCode } = redemption;
  const known = organization.records.oneTimeCode.get(otpId);
  const record = openCode(organization, redemption, nowMs);
  const typed = integrity.code(organization.id, otpId, canonicalCode(otpCode, known?.alphanumeric ?? true));
  const matches = macsEqual(typed, known === undefined ? new Uint8Array(typed.length) : Buffer.from(known.digest, 'base64'));
  if (record === undefined) return { accepted: false, refusal: invalidCode(), changes: [] };
  const put = (body: OneTimeCodeRecord): LocalChange => ({ op: 'putRecord', kind: 'oneTimeCode', id: otpId, body });
  // An accepted or locked code is not used again: delete its key.
  const { sealedTarget, ...over } = record;
  if (matches) return { accepted: true, changes: [put({ ...over, used: true, updatedAtMs: nowMs })] };
  const triesLeft = record.triesLeft - 1;
  const change = put({ ...(triesLeft > 0 ? record : over), triesLeft, updatedAtMs: nowMs });
  return { accepted: false, refusal: invalidCode(), changes: [change] };
}

/** Clients match the first words. */
export function invalidCode(): ServiceError {
  return new ServiceError(
    'OTP_INVALID',
    'Invalid OTP code: it is wrong, used, expired or locked. Check it, or request another one.',
  );
}
