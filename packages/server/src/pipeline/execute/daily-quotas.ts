import { ServiceError } from '@countersign/contract';
import { DAY_MS, dayOf } from '../../store/counters.ts';
import type { CounterKey, Store } from '../../store/store.ts';

/** The amount that an activity adds to a counter when it is executed. */
export interface Charge extends Omit<CounterKey, 'day'> {
  readonly amount: number;
  /** Overrides the day of the activity. */
  readonly day?: number;
  /** Absent if the counter is only for statistics. */
  readonly limit?: {
    readonly value: number;
    /** The name of the setting, for the operator. */
    readonly setting: string;
    /** The counted items, for the error: `mails of this organization`. */
    readonly what: string;
  };
}

/** Reverts a charge if the activity was not committed. */
export type GiveBack = () => Promise<void>;

/**
 * Charges all, or throws RATE_LIMIT_EXCEEDED and charges none.
 * INVARIANT: a charge is durable before its activity. A process that ends between the two leaves one charge too many, never one too few.
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

/** Throws like `charge`, but charges nothing. */
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
    `This would exceed the limit of ${limit?.value} ${limit?.what} per day (${limit?.setting}). Try again after ${new Date(nextDayMs).toISOString()}, or ask the operator to raise the limit.`,
    { retryAtMs: nextDayMs },
  );
}
