import { ServiceError } from '@countersign/contract';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';

/** The number of wrong tries that locks a code. */
export const MAX_TRIES = 3;
/** Codes of one named requester within `REQUESTER_WINDOW_MS`, used or not. */
const MAX_PER_REQUESTER = 3;
const REQUESTER_WINDOW_MS = 3 * 60_000;
/**
 * Codes that one user sends to one contact within `CONTACT_WINDOW_MS`, used or not: without a named requester, and for named requesters
 * who have never proven the contact.
 */
const MAX_PER_CONTACT = { unnamed: 10, named: 30 } as const;
const CONTACT_WINDOW_MS = 10 * 60_000;

/** The requester of a code and its contact. */
export interface CodeRequester {
  /** In its canonical form. */
  readonly contact: string;
  /** The user who sends the request. */
  readonly submittedBy: string;
  /** A keyed hash of the requester that the user names. Undefined if the request names none. */
  readonly askedBy?: string | undefined;
  /** Whether that requester has proven the contact before. */
  readonly known: boolean;
  /** Whether callers without a credential can cause the request. */
  readonly isUnstamped: boolean;
}

/** Whether a code can be deleted: nothing depends on it any more. */
export function isOver({ expiresAtMs, createdAtMs }: OneTimeCodeRecord, nowMs: number): boolean {
  return expiresAtMs <= nowMs && createdAtMs + CONTACT_WINDOW_MS <= nowMs;
}

/**
 * Throws if the requester or the organization has too many codes.
 * SECURITY: there is no limit per contact, and no code evicts another. Otherwise a caller who knows an address could lock its owner out
 * by requesting codes. The rate of codes also bounds guessing.
 */
export function requireRoomForCode(
  codes: ReadonlyMap<string, OneTimeCodeRecord>,
  { contact, submittedBy, askedBy, known, isUnstamped }: CodeRequester,
  maxCodes: number,
  nowMs: number,
): void {
  const kept = [...codes.values()].filter((code) => !isOver(code, nowMs));
  const since = (windowMs: number) => kept.filter(({ createdAtMs }) => createdAtMs + windowMs > nowMs);
  const own = since(REQUESTER_WINDOW_MS).filter((code) => askedBy !== undefined && code.askedBy === askedBy);
  if (own.length >= MAX_PER_REQUESTER)
    throw tooMany(
      `one userIdentifier can request ${MAX_PER_REQUESTER} codes in three minutes`,
      oldest(own) + REQUESTER_WINDOW_MS,
    );
  const named = askedBy !== undefined;
  const sent = since(CONTACT_WINDOW_MS)
    .filter((code) => code.contact === contact && code.submittedBy === submittedBy)
    .filter((code) => (code.askedBy !== undefined) === named);
  const most = named ? MAX_PER_CONTACT.named : MAX_PER_CONTACT.unnamed;
  if (!known && sent.length >= most) {
    const hint = named ? '' : '; with a userIdentifier, requesters have separate limits';
    throw tooMany(`one user can send ${most} codes to a contact in ten minutes${hint}`, oldest(sent) + CONTACT_WINDOW_MS);
  }
  // SECURITY: A80: callers without a credential get half of the quota, so that backends keep the rest.
  const counted = isUnstamped ? kept.filter((code) => code.submittedBy === submittedBy) : kept;
  const room = isUnstamped ? Math.ceil(maxCodes / 2) : maxCodes;
  if (kept.length < maxCodes && counted.length < room) return;
  const whose = isUnstamped ? 'people who sign in without a stamp have' : 'the organization has';
  throw tooMany(
    `${whose} ${room} active codes (maxOneTimeCodes); the operator can raise the limit`,
    Math.min(...kept.map(({ expiresAtMs, createdAtMs }) => Math.max(expiresAtMs, createdAtMs + CONTACT_WINDOW_MS))),
  );
}

const oldest = (codes: readonly OneTimeCodeRecord[]) => Math.min(...codes.map(({ createdAtMs }) => createdAtMs));

/** Clients compare the first words. */
function tooMany(reason: string, retryAtMs: number): ServiceError {
  return new ServiceError(
    'OTP_LIMIT_EXCEEDED',
    `Max number of OTPs have been initiated: ${reason}. Try again after ${new Date(retryAtMs).toISOString()}.`,
    { retryAtMs },
  );
}
