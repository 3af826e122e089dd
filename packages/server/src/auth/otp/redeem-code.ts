import { ServiceError } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { macsEqual } from '../../vault/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { canonicalCode } from './one-time-code.ts';

/** What became of a code that somebody typed. Its change is kept either way: a try is a try. */
export type Redeemed =
  | { readonly accepted: true; readonly record: OneTimeCodeRecord; readonly change: LocalChange }
  | { readonly accepted: false; readonly refusal: ServiceError; readonly changes: readonly LocalChange[] };

/** A request to exchange a code. */
export interface Redemption {
  readonly otpId: string;
  readonly otpCode: string;
  readonly use: OneTimeCodeRecord['use'];
}

/**
 * Tries a code.
 * INVARIANT: of all tries in an organization one comes after the other, each on the version that the one before left, so that no code
 * is accepted twice and none gets a fourth try.
 * SECURITY: a wrong, used, expired, locked and unknown code get the same answer, and every one of them costs a keyed hash and a
 * comparison in constant time (D33, D63).
 */
export function redeemCode(
  integrity: Integrity,
  { id: organizationId, records }: Snapshot,
  { otpId, otpCode, use }: Redemption,
  nowMs: number,
): Redeemed {
  const record = records.oneTimeCode.get(otpId);
  const open =
    record !== undefined && record.use === use && record.used !== true && record.triesLeft > 0 && record.expiresAtMs > nowMs;
  const typed = integrity.code(organizationId, otpId, canonicalCode(otpCode, record?.alphanumeric ?? true));
  const matches = macsEqual(typed, record === undefined ? new Uint8Array(typed.length) : Buffer.from(record.digest, 'base64'));
  if (!open) return { accepted: false, refusal: invalidCode(), changes: [] };
  const put = (body: OneTimeCodeRecord): LocalChange => ({ op: 'putRecord', kind: 'oneTimeCode', id: otpId, body });
  if (!matches) {
    const changes = [put({ ...record, triesLeft: record.triesLeft - 1, updatedAtMs: nowMs })];
    return { accepted: false, refusal: invalidCode(), changes };
  }
  return { accepted: true, record, change: put({ ...record, used: true, updatedAtMs: nowMs }) };
}

/** Clients look for the first words. */
export function invalidCode(): ServiceError {
  return new ServiceError(
    'OTP_INVALID',
    'Invalid OTP code: it is wrong, used, expired, or was tried too often. Check it, or ask for another one.',
  );
}
