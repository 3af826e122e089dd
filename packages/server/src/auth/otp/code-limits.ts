import { ServiceError } from '@countersign/contract';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';

/** The number of wrong tries that locks a code. */
export const MAX_TRIES = 3;
/** Codes for one requester whom the request names, within `REQUESTER_WINDOW_MS`, whatever became of them. */
const MAX_PER_REQUESTER = 3;
const REQUESTER_WINDOW_MS = 3 * 60_000;
/**
 * Codes that one user has sent to one contact within `CONTACT_WINDOW_MS`, whatever became of them: for nobody in particular, and for
 * requesters who are named but have never proven the contact.
 */
const MAX_PER_CONTACT = { unnamed: 10, named: 30 } as const;
const CONTACT_WINDOW_MS = 10 * 60_000;

/** Who wants a code, and where it is to go. */
export interface CodeRequester {
  /** In its canonical form. */
  readonly contact: string;
  /** The user who sends the request. */
  readonly submittedBy: string;
  /** A keyed hash of whom that user asks for; absent where the request does not say. */
  readonly askedBy?: string | undefined;
  /** Whether that requester has proven the contact before. */
  readonly known: boolean;
  /** Whether anybody may have that user ask, without a credential. */
  readonly byAnybody: boolean;
}

/** Whether a code can be deleted: nothing depends on it any more. */
export function isOver({ expiresAtMs, createdAtMs }: OneTimeCodeRecord, nowMs: number): boolean {
  return expiresAtMs <= nowMs && createdAtMs + CONTACT_WINDOW_MS <= nowMs;
}

/**
 * Refuses a further code where the requester, or the organization, has too many.
 * SECURITY: no limit is the contact's own, and no code gives way to another. Otherwise everybody who knows an address could keep its
 * owner from signing in, by asking for codes. The pace of codes is also what bounds guessing where nothing else does.
 */
export function requireRoomForCode(
  codes: ReadonlyMap<string, OneTimeCodeRecord>,
  { contact, submittedBy, askedBy, known, byAnybody }: CodeRequester,
  maxCodes: number,
  nowMs: number,
): void {
  const kept = [...codes.values()].filter((code) => !isOver(code, nowMs));
  const since = (windowMs: number) => kept.filter(({ createdAtMs }) => createdAtMs + windowMs > nowMs);
  const own = since(REQUESTER_WINDOW_MS).filter((code) => askedBy !== undefined && code.askedBy === askedBy);
  if (own.length >= MAX_PER_REQUESTER)
    throw tooMany(
      `${MAX_PER_REQUESTER} codes within three minutes are what one userIdentifier gets`,
      oldest(own) + REQUESTER_WINDOW_MS,
    );
  const named = askedBy !== undefined;
  const sent = since(CONTACT_WINDOW_MS)
    .filter((code) => code.contact === contact && code.submittedBy === submittedBy)
    .filter((code) => (code.askedBy !== undefined) === named);
  const most = named ? MAX_PER_CONTACT.named : MAX_PER_CONTACT.unnamed;
  if (!known && sent.length >= most) {
    const hint = named ? '' : '; with a userIdentifier, requesters do not get into each other’s way';
    throw tooMany(
      `${most} codes within ten minutes are what one user sends to a contact${hint}`,
      oldest(sent) + CONTACT_WINDOW_MS,
    );
  }
  // SECURITY: A80: strangers leave room for the codes that backends ask for.
  const counted = byAnybody ? kept.filter((code) => code.submittedBy === submittedBy) : kept;
  const room = byAnybody ? Math.ceil(maxCodes / 2) : maxCodes;
  if (kept.length < maxCodes && counted.length < room) return;
  const whose = byAnybody ? 'people who sign in without a stamp have' : 'the organization has';
  throw tooMany(
    `${whose} ${room} codes under way (maxOneTimeCodes), and the operator can raise the limit`,
    Math.min(...kept.map(({ expiresAtMs, createdAtMs }) => Math.max(expiresAtMs, createdAtMs + CONTACT_WINDOW_MS))),
  );
}

const oldest = (codes: readonly OneTimeCodeRecord[]) => Math.min(...codes.map(({ createdAtMs }) => createdAtMs));

/** Clients look for the first words. */
function tooMany(reason: string, retryAtMs: number): ServiceError {
  return new ServiceError(
    'OTP_LIMIT_EXCEEDED',
    `Max number of OTPs have been initiated: ${reason}. Try again after ${new Date(retryAtMs).toISOString()}.`,
    { retryAtMs },
  );
}
