import { ServiceError } from '@countersign/contract';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';

/** The number of wrong tries that locks a code. */
export const MAX_TRIES = 3;
/** Unused, unexpired codes per contact. A locked code counts too: otherwise an attacker could guess without end. */
const MAX_PER_CONTACT = 3;
/** Requests by one asker within `ASKER_WINDOW_MS`, whether or not the codes were used. */
const MAX_PER_ASKER = 3;
const ASKER_WINDOW_MS = 3 * 60_000;

type Codes = ReadonlyMap<string, OneTimeCodeRecord>;

/** Whether a code can be deleted: nothing depends on it any more. */
export function isOver({ expiresAtMs, createdAtMs }: OneTimeCodeRecord, nowMs: number): boolean {
  return expiresAtMs <= nowMs && createdAtMs + ASKER_WINDOW_MS <= nowMs;
}

/** Refuses another code if the contact, the asker or the organization has too many. `askedBy` is a keyed hash. */
export function requireRoomForCode(
  codes: Codes,
  contact: string,
  askedBy: string | undefined,
  maxCodes: number,
  nowMs: number,
): void {
  const kept = [...codes.values()].filter((code) => !isOver(code, nowMs));
  const active = kept.filter((code) => code.contact === contact && code.used !== true && code.expiresAtMs > nowMs);
  if (active.length >= MAX_PER_CONTACT)
    throw tooMany(`${MAX_PER_CONTACT} codes for this contact have not expired. Use one of them, or wait.`);
  const recent = kept.filter((code) => askedBy !== undefined && code.askedBy === askedBy);
  if (recent.filter(({ createdAtMs }) => createdAtMs + ASKER_WINDOW_MS > nowMs).length >= MAX_PER_ASKER)
    throw tooMany(`one userIdentifier may request ${MAX_PER_ASKER} codes in three minutes. Wait a little.`);
  if (kept.length >= maxCodes)
    throw tooMany(
      `the organization has ${maxCodes} active codes (maxOneTimeCodes). Wait, or ask the operator to raise the limit.`,
    );
}

/** Clients match the first words. */
function tooMany(reason: string): ServiceError {
  return new ServiceError('OTP_LIMIT_EXCEEDED', `Max number of OTPs have been initiated: ${reason}`);
}
