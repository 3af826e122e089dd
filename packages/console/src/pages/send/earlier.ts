import { canonicalAddress } from '@countersign/chains';
import type { Client, ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { ask } from '../../data/ask.ts';
import { duplicatesOf } from '../../review/duplicates.ts';
import { PERIOD_MS } from '../../review/earlier-payments.ts';
import type { Finding } from '../../review/finding.ts';
import { words } from '../../words/index.ts';
import { inUnits, type Payment } from './payment.ts';

/** Requests of one search. The service reads a bounded number of activities in each. */
const MOST_REQUESTS = 10;
const FOUND = 100;

/** The transfer of a payment on an EVM chain, as its effects show it. */
export function transferOf({ to, asset, amount }: Payment): EffectShape {
  const { id, symbol, decimals, contract } = asset;
  const kind = contract === undefined ? 'COIN' : 'TOKEN';
  return {
    ...{ kind: 'TRANSFER', to: to.toLowerCase(), amount: amount.toString(), units: inUnits(amount, asset) },
    asset: { id, kind, symbol, decimals },
  };
}

/**
 * Pending and signed requests of the last three days that this person may read, with an effect of as much for the same receiver. Throws if there
 * are too many activities to search.
 */
export async function searchEarlier(
  reader: Client,
  { to, asset, units }: EffectShape,
  signal: AbortSignal,
): Promise<readonly ListedActivity[]> {
  const found: ListedActivity[] = [];
  let cursor: string | undefined;
  for (let requests = 0; requests < MOST_REQUESTS; requests += 1) {
    const { activities, next } = await ask(
      reader,
      'searchActivities',
      {
        ...{ since: String(Date.now() - PERIOD_MS), limit: FOUND },
        ...{ counterparty: to, asset: asset?.id, minimumAmount: units, maximumAmount: units },
        filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED'],
        ...(cursor !== undefined && { cursor }),
      },
      signal,
    );
    found.push(...activities);
    if (next === undefined) return found;
    cursor = next;
  }
  throw new Error(words.send.tooManyActivities);
}

/**
 * Findings about requests that make the same payment. `own` are the activities of the same file.
 * SECURITY: D1131: a payment that another person requested, or that is pending, has no name that the service compares.
 */
export function earlierFindings(
  transfer: EffectShape,
  found: readonly ListedActivity[],
  own: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  const others = found.filter(({ id }) => !own.has(id));
  const activity = { id: '', createdAt: { seconds: String(Math.floor(Date.now() / 1000)) } } as ListedActivity;
  const { to = '' } = transfer;
  const full = canonicalAddress(to);
  return duplicatesOf([transfer], { activity, past: others, open: [] }, []).map((finding) => ({
    ...finding,
    text: finding.text.replaceAll(to, full),
  }));
}
