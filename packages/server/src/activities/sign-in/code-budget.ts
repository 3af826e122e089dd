import { type OtpType, ServiceError } from '@countersign/contract';
import { failedAgain, takenBack, toForget, waitsUntilMs } from '../../auth/otp/wrong-tries.ts';
import type { WrongTriesRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Charge } from '../../pipeline/execute/daily-quotas.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import type { GuessingAlarm } from '../../statistics/alarms.ts';
import { DAY_MS, dayOf } from '../../store/counters.ts';

/** Identifies what the delays and limits of one-time codes count against. */
export interface Behind {
  /** A keyed hash of the contact. */
  readonly contactKey: string;
  /** A keyed hash of the requester. Absent if the request for the code named none, or if another user tries the code. */
  readonly askedBy?: string | undefined;
  /** Whether the code is short enough to be guessed. */
  readonly short: boolean;
}

/** How long a requester who has proven a contact stays known there: at least one period, at most two. */
const KNOWN_DAYS = 30;
/** Maximum number of forgiven wrong-try records that one request deletes. */
const SWEEP = 500;

const keyed = ({ vault, organization }: RunContext, use: string, text: string) =>
  Buffer.from(vault.integrity.code(organization.id, use, text)).toString('base64');

export function contactKeyOf(context: RunContext, otpType: OtpType, contact: string): string {
  return keyed(context, 'contact', JSON.stringify([otpType, contact]));
}

/**
 * Returns the keyed hash of the requester that a request names.
 * SECURITY: the hash is bound to the user who submits the request, so that no other user can exhaust the quota of that user's requesters.
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
 * Whether the requester has proven the contact before.
 * SECURITY: an attacker who guesses codes does not become known, so wrong tries of others at the contact need not delay this requester. The
 * counter's name is a keyed hash: write access to the database cannot make a requester known.
 */
export async function isKnown(context: RunContext, { contactKey, askedBy }: Omit<Behind, 'short'>): Promise<boolean> {
  if (askedBy === undefined) return false;
  const period = periodOf(context.nowMs);
  const counters = [period, period - 1].map((each) => knownCounter(context, contactKey, askedBy, each));
  const amounts = await Promise.all(counters.map((counter) => context.counters.amount(counter)));
  return amounts.some((amount) => amount > 0);
}

/** Daily counter of the submitting user's wrong tries at short codes. */
const wrongCodesOf = (context: RunContext) => ({
  organizationId: homeOf(context),
  name: `wrong-codes/${context.submitterId}`,
});

/**
 * Throws if a rate limit forbids sending or comparing a code. The code is not compared then, so the caller learns nothing. `first` means
 * that the code was not tried before.
 * SECURITY: the delay of a contact must stop guessing without locking out the owner. It does not apply to known requesters, nor to the
 * first try at a code that is too long to guess: the rate limit for sending codes bounds the number of such tries.
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
      const reason = `The requests of this user have submitted ${limits.maxWrongCodes} wrong short codes today (maxWrongCodes)`;
      throw wait(reason, (day + 1) * DAY_MS, orLonger);
    }
  }
  const others = waits(contactKey);
  if (others <= nowMs || (first && !short) || (await isKnown(context, behind))) return;
  throw wait('Too many wrong codes were tried for this contact', others, short ? orLonger : ', or request another code');
}

const orLonger = ', or request a code of nine letters and digits, which cannot be guessed';

function wait(reason: string, retryAtMs: number, otherwise: string): ServiceError {
  return new ServiceError('RATE_LIMIT_EXCEEDED', `${reason}. Try again after ${new Date(retryAtMs).toISOString()}${otherwise}.`, {
    retryAtMs,
  });
}

/** Effects of a try. */
export interface Consequences {
  readonly changes: readonly LocalChange[];
  readonly charges: readonly Charge[];
  readonly alarms: readonly GuessingAlarm[];
}

/**
 * Counts a wrong try at a code against the contact, against the requester who asked for the code and, if the code is short, against the
 * submitting user.
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

/** Takes back the wrong tries at a code that was then entered correctly, and records that its requester has proven the contact. */
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
