import { ServiceError } from '@countersign/contract';
import { DAY_MS, dayOf } from '../../store/counters.ts';
import type { CounterKey, Store } from '../../store/store.ts';

/** What an activity adds to a counter when it is carried out. */
export interface Charge extends Omit<CounterKey, 'day'> {
  readonly amount: number;
  /** Another day than that of the activity. */
  readonly day?: number;
  /** Absent where the counter only tells what was. */
  readonly limit?: {
    readonly value: number;
    /** The setting that it comes from, so that an operator can find it. */
    readonly setting: string;
    /** What is counted, for the refusal: `mails of this organization`. */
    readonly what: string;
  };
}

/** Takes back what was charged, where nothing came of the activity. */
export type GiveBack = () => Promise<void>;

/**
 * Charges all, or throws RATE_LIMIT_EXCEEDED and charges none.
 * INVARIANT: a charge is durable before the activity that it is for. A process that ends between the two leaves a charge too many, never
 * one too few.
 */
export async function charge(counters: Store['counters'], charges: readonly Charge[], nowMs: number): Promise<GiveBack> {
  const charged: [CounterKey, number][] = [];
  const giveBack = async () => {
    for (const [counter, amount] of charged.splice(0)) await counters.add(counter, -amount);
  };
  for (const { organizationId, name, amount, limit, day = dayOf(nowMs) } of charges) {
    const counter = { organizationId, name, day };
    if (await counters.add(counter, amount, limit?.value)) {
      charged.push([counter, amount]);
      continue;
    }
    await giveBack();
    throw exceeded(limit, nowMs);
  }
  return giveBack;
}

/** Throws as `charge` would, and charges nothing. */
export async function requireChargeable(
  counters: Pick<Store['counters'], 'amount'>,
  charges: readonly Charge[],
  nowMs: number,
): Promise<void> {
  for (const { organizationId, name, amount, limit, day = dayOf(nowMs) } of charges) {
    if (limit === undefined) continue;
    if ((await counters.amount({ organizationId, name, day })) + amount > limit.value) throw exceeded(limit, nowMs);
  }
}

function exceeded(limit: Charge['limit'], nowMs: number): ServiceError {
  const nextDayMs = (dayOf(nowMs) + 1) * DAY_MS;
  return new ServiceError(
    'RATE_LIMIT_EXCEEDED',
    `This would exceed the limit of ${limit?.value} ${limit?.what} a day (${limit?.setting}). Try again after ${new Date(nextDayMs).toISOString()}, or ask the operator to raise the limit.`,
    { retryAtMs: nextDayMs },
  );
}
