import type { Client, ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { ask } from '../data/ask.ts';
import { toMs } from '../data/time.ts';
import { transfersOf } from './past.ts';
import { PAST, signing } from './signing.ts';

/** Two equal payments within this time may be one that was requested twice. */
export const PERIOD_MS = 3 * 86_400_000;

/** Signed payments to the receivers of a request around the time of the request. */
export interface Earlier {
  readonly activities: readonly ListedActivity[];
  /** False if there may be more. */
  readonly isComplete: boolean;
}

export const noneEarlier: Earlier = { activities: [], isComplete: true };

/** Whether there may be payments within the period that are not among the newest. */
export function reachesBeyond(past: readonly ListedActivity[], { createdAt }: ListedActivity): boolean {
  return past.length >= PAST && past.every((each) => toMs(each.createdAt) > toMs(createdAt) - PERIOD_MS);
}

/**
 * Searches payments to the receiver of these effects, with one call: an approval makes at most ten.
 * SECURITY: D1123: a file of payments that is uploaded again repeats payments that are not among the newest.
 */
export async function searchEarlier(
  reader: Pick<Client, 'searchActivities'>,
  effects: readonly EffectShape[],
  { createdAt }: ListedActivity,
  signal?: AbortSignal,
): Promise<Earlier> {
  const [payment, ...others] = paymentsTo(effects);
  if (payment === undefined) return noneEarlier;
  const { counterparty, asset } = payment;
  const input = {
    ...{ counterparty, ...(asset !== undefined && { asset }) },
    ...{ since: String(toMs(createdAt) - PERIOD_MS), limit: 100 },
    ...{ filterByStatus: ['ACTIVITY_STATUS_COMPLETED' as const], filterByType: [...signing] },
  };
  const { activities, next } = await ask(reader as Client, 'searchActivities', input, signal);
  return { activities, isComplete: next === undefined && others.length === 0 };
}

/** The receivers of a request with the assets that they get, each once. */
export function paymentsTo(effects: readonly EffectShape[]): readonly { counterparty: string; asset: string | undefined }[] {
  const pairs = transfersOf(effects).flatMap(({ to, asset }) =>
    to === undefined ? [] : [{ counterparty: to, asset: asset?.id }],
  );
  return [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];
}
