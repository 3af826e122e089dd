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

/** Names a code and what it is to be exchanged for. */
export interface CodeReference {
  readonly otpId: string;
  readonly use: OneTimeCodeRecord['use'];
}

/** A request to exchange a code. */
export interface Redemption extends CodeReference {
  readonly otpCode: string;
}

/** A code that may still be tried; undefined for one that is unknown, for another use, used, locked or expired. */
export function openCode({ records }: Snapshot, { otpId, use }: CodeReference, nowMs: number): OneTimeCodeRecord | undefined {
  const record = records.oneTimeCode.get(otpId);
  const open =
    record !== undefined && record.use === use && record.used !== true && record.triesLeft > 0 && record.expiresAtMs > nowMs;
  return open ? record : undefined;
}

/**
 * Tries a code.
 * INVARIANT: of all tries in an organization one comes after the other, each on the version that the one before left, so that no code
 * is accepted twice and none gets a fourth try, in clear or encrypted.
 * SECURITY: a wrong, used, expired, locked and unknown code get the same answer, and every one of them costs a keyed hash and a
 * comparison in constant time (D33, D63).
 */
export function redeemCode(integrity: Integrity, organization: Snapshot, redemption: Redemption, nowMs: number): Redeemed {
  const { otpId, otpCode } = redemption;
  const known = organization.records.oneTimeCode.get(otpId);
  const record = openCode(organization, redemption, nowMs);
  const typed = integrity.code(organization.id, otpId, canonicalCode(otpCode, known?.alphanumeric ?? true));
  const matches = macsEqual(typed, known === undefined ? new Uint8Array(typed.length) : Buffer.from(known.digest, 'base64'));
  if (record === undefined) return { accepted: false, refusal: invalidCode(), changes: [] };
  const put = (body: OneTimeCodeRecord): LocalChange => ({ op: 'putRecord', kind: 'oneTimeCode', id: otpId, body });
  // What nobody can use any more keeps no key: neither a code that was accepted nor one that is locked.
  const { sealedTarget, ...over } = record;
  if (matches) return { accepted: true, record, change: put({ ...over, used: true, updatedAtMs: nowMs }) };
  const triesLeft = record.triesLeft - 1;
  const change = put({ ...(triesLeft > 0 ? record : over), triesLeft, updatedAtMs: nowMs });
  return { accepted: false, refusal: invalidCode(), changes: [change] };
}

/** Clients look for the first words. */
export function invalidCode(): ServiceError {
  return new ServiceError(
    'OTP_INVALID',
    'Invalid OTP code: it is wrong, used, expired, or was tried too often. Check it, or ask for another one.',
  );
}
