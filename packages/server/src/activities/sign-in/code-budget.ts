import { type OtpType, ServiceError } from '@countersign/contract';
import { failedAgain, takenBack, toForget, waitsUntilMs } from '../../auth/otp/wrong-tries.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import type { WrongTriesRecord } from '../../organizations/records.ts';
import type { Charge } from '../../pipeline/execute/daily-quotas.ts';
import type { GuessingAlarm, RunContext } from '../../pipeline/plan/executor.ts';
import { DAY_MS, dayOf } from '../../store/counters.ts';

/** What waits and limits of one-time codes are counted by. */
export interface Behind {
  /** A keyed hash of the contact. */
  readonly contactKey: string;
  /** A keyed hash of the requester; absent where the request for the code named none, or somebody else tries the code. */
  readonly askedBy?: string | undefined;
  /** Whether the code could be guessed. */
  readonly short: boolean;
}

/** How long a requester who has proven a contact is known there: a month at least, two at most. */
const KNOWN_DAYS = 30;
/** How many forgiven tries one request sweeps up. */
const SWEEP = 500;

const keyed = ({ vault, organization }: RunContext, use: string, text: string) =>
  Buffer.from(vault.integrity.code(organization.id, use, text)).toString('base64');

export function contactKeyOf(context: RunContext, otpType: OtpType, contact: string): string {
  return keyed(context, 'contact', JSON.stringify([otpType, contact]));
}

/**
 * The key of whom a request names as its requester.
 * SECURITY: bound to the user who sends it, so that no other user can use up what that user's requesters may do.
 */
export function requesterKeyOf(context: RunContext, userIdentifier: string | undefined): string | undefined {
  if (userIdentifier === undefined || userIdentifier === '') return undefined;
  return keyed(context, 'requester', JSON.stringify([homeOf(context), context.submitterId, userIdentifier]));
}

const homeOf = ({ organization, byParent }: RunContext) => (byParent ? organization.profile.parentId : null) ?? organization.id;

const knownCounter = (context: RunContext, contactKey: string, askedBy: string, period: number) => ({
  organizationId: context.organization.id,
  name: `known-requester/${keyed(context, 'known', JSON.stringify([contactKey, askedBy]))}`,
  day: period * KNOWN_DAYS,
});

const periodOf = (nowMs: number) => Math.floor(dayOf(nowMs) / KNOWN_DAYS);

/**
 * Whether the requester has proven the contact before. SECURITY: whoever guesses does not get there, so what others do at the contact
 * need not hold this requester up. The counter's name is a keyed hash: writing to the database makes nobody known.
 */
export async function isKnown(context: RunContext, { contactKey, askedBy }: Omit<Behind, 'short'>): Promise<boolean> {
  if (askedBy === undefined) return false;
  const period = periodOf(context.nowMs);
  const counters = [period, period - 1].map((each) => knownCounter(context, contactKey, askedBy, each));
  const amounts = await Promise.all(counters.map((counter) => context.counters.amount(counter)));
  return amounts.some((amount) => amount > 0);
}

/** Wrong tries at codes that could be guessed, by the user who sends the request, today. */
const wrongCodesOf = (context: RunContext) => ({
  organizationId: homeOf(context),
  name: `wrong-codes/${context.submitterId}`,
});

/**
 * Refuses to send a code, or to compare one, while somebody behind it has to wait. Nothing is compared then, so nothing is learned.
 * `first` says that the code was not tried before.
 * SECURITY: the wait of a contact keeps out who guesses, not its owner. It is for those who are not known there, and not for the first
 * try at a code that nobody can guess: how many such tries there are is bounded by the pace at which codes are sent.
 */
export async function requireBudget(context: RunContext, behind: Behind, { first }: { readonly first: boolean }): Promise<void> {
  const { organization, counters, limits, nowMs } = context;
  const { contactKey, askedBy, short } = behind;
  const tries = organization.records.wrongTries;
  const waits = (key: string | undefined) => {
    const kept = key === undefined ? undefined : tries.get(key);
    return kept === undefined ? nowMs : waitsUntilMs(kept);
  };
  const own = waits(askedBy);
  if (own > nowMs) throw wait('This requester has tried too many wrong codes', own, '');
  if (short) {
    const day = dayOf(nowMs);
    if ((await counters.amount({ ...wrongCodesOf(context), day })) >= limits.maxWrongCodes) {
      const reason = `The user who sends this request has had ${limits.maxWrongCodes} wrong short codes tried today (maxWrongCodes)`;
      throw wait(reason, (day + 1) * DAY_MS, orLonger);
    }
  }
  const others = waits(contactKey);
  if (others <= nowMs || (first && !short) || (await isKnown(context, behind))) return;
  throw wait('Too many wrong codes were tried for this contact', others, short ? orLonger : ', or ask for another code');
}

const orLonger = ', or ask for a code of nine letters and digits, which nobody can guess';

function wait(reason: string, retryAtMs: number, otherwise: string): ServiceError {
  return new ServiceError('RATE_LIMIT_EXCEEDED', `${reason}. Try again after ${new Date(retryAtMs).toISOString()}${otherwise}.`, {
    retryAtMs,
  });
}

/** What a try leads to beside the change of the code itself. */
export interface Consequences {
  readonly changes: readonly LocalChange[];
  readonly charges: readonly Charge[];
  readonly alarms: readonly GuessingAlarm[];
}

/**
 * Counts a wrong try at a code, whatever becomes of the code: against the contact, against the requester who asked for it, and against the
 * user who sends the request.
 */
export async function afterWrongTry(context: RunContext, behind: Behind): Promise<Consequences> {
  const { organization, submitterId, counters, limits, nowMs } = context;
  const kept = organization.records.wrongTries;
  const { contactKey, askedBy, short } = behind;
  const counted = [
    { of: 'CONTACT', key: contactKey } as const,
    ...(askedBy === undefined ? [] : [{ of: 'REQUESTER', key: askedBy } as const]),
  ];
  const puts = counted.map(({ of, key }) => {
    const before = kept.get(key);
    const tries = failedAgain(before, nowMs);
    const body: WrongTriesRecord = { of, ...tries, createdAtMs: before?.createdAtMs ?? nowMs, updatedAtMs: nowMs };
    return { key, body };
  });
  const forgotten = toForget(kept, limits.maxOneTimeCodes, SWEEP, nowMs).filter((id) => puts.every(({ key }) => key !== id));
  const changes: LocalChange[] = [
    ...forgotten.map((id) => ({ op: 'deleteRecord' as const, kind: 'wrongTries' as const, id })),
    ...puts.map(({ key, body }) => ({ op: 'putRecord' as const, kind: 'wrongTries' as const, id: key, body })),
  ];
  const alarms: GuessingAlarm[] = puts
    .map(({ body }) => ({ of: body.of === 'CONTACT' ? 'contact' : 'requester', untilMs: waitsUntilMs(body) }) as const)
    .filter(({ untilMs }) => untilMs > nowMs)
    .map((alarm) => ({ ...alarm, submitterId }));
  if (!short) return { changes, charges: [], alarms };
  const day = dayOf(nowMs);
  const before = await counters.amount({ ...wrongCodesOf(context), day });
  if (before + 1 === limits.maxWrongCodes) alarms.push({ of: 'submitter', submitterId, untilMs: (day + 1) * DAY_MS });
  return { changes, charges: [{ ...wrongCodesOf(context), amount: 1 }], alarms };
}

/** Forgives the wrong tries at a code that was then typed right, and remembers that its requester has proven the contact. */
export function afterRightTry(context: RunContext, behind: Behind, wrongTries: number): Consequences {
  const { organization, nowMs } = context;
  const { contactKey, askedBy } = behind;
  const changes = [contactKey, askedBy].flatMap((key): LocalChange[] => {
    const before = key === undefined ? undefined : organization.records.wrongTries.get(key);
    if (key === undefined || before === undefined || wrongTries === 0) return [];
    const body = { ...before, ...takenBack(before, wrongTries), updatedAtMs: nowMs };
    return [{ op: 'putRecord', kind: 'wrongTries', id: key, body }];
  });
  if (askedBy === undefined) return { changes, charges: [], alarms: [] };
  return { changes, charges: [{ ...knownCounter(context, contactKey, askedBy, periodOf(nowMs)), amount: 1 }], alarms: [] };
}
