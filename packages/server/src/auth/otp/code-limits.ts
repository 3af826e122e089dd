import { ServiceError } from '@countersign/contract';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';

/** Wrong tries that a code survives, less one. */
export const MAX_TRIES = 3;
/** Codes for one contact that are neither used nor expired. One that is locked counts: else guessing would never have to stop. */
const MAX_PER_CONTACT = 3;
/** Requests by one asker within `ASKER_WINDOW_MS`, whatever became of the codes. */
const MAX_PER_ASKER = 3;
const ASKER_WINDOW_MS = 3 * 60_000;

type Codes = ReadonlyMap<string, OneTimeCodeRecord>;

/** Whether nothing depends on a code any more. */
export function isOver({ expiresAtMs, createdAtMs }: OneTimeCodeRecord, nowMs: number): boolean {
  return expiresAtMs <= nowMs && createdAtMs + ASKER_WINDOW_MS <= nowMs;
}

/** Refuses a further code where the contact, the asker or the organization has too many. `askedBy` is a keyed hash. */
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
    throw tooMany(`${MAX_PER_ASKER} codes within three minutes are what one userIdentifier gets. Wait a little.`);
  if (kept.length >= maxCodes)
    throw tooMany(
      `the organization has ${maxCodes} codes under way (maxOneTimeCodes). Wait, or ask the operator to raise the limit.`,
    );
}

/** Clients look for the first words. */
function tooMany(reason: string): ServiceError {
  return new ServiceError('OTP_LIMIT_EXCEEDED', `Max number of OTPs have been initiated: ${reason}`);
}
