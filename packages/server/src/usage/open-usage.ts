import type { ActivityReader } from '../organizations/activities.ts';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { createUsageBook, type UsageBook } from './book.ts';
import { type CountingTurns, createCountingTurns } from './counting-turns.ts';
import { createFirstUse } from './first-use.ts';
import { createUsageReader } from './reader.ts';
import { createShelf } from './shelf.ts';

export interface UsageServices {
  readonly store: Pick<Store, 'usage' | 'archive' | 'log' | 'inTurn'>;
  readonly integrity: Integrity;
  readonly activities: ActivityReader;
  readonly clock: { nowMs(): number };
}

/** What controls have counted: for decisions and commits, and for queries. */
export function openUsage({ store, integrity, activities, clock }: UsageServices): {
  readonly usage: UsageReader;
  readonly usageBook: UsageBook;
  readonly countingTurns: CountingTurns;
} {
  const { tampered } = activities;
  const firstUse = createFirstUse(store, integrity, activities, tampered);
  const shelf = createShelf({ store, integrity, firstUse, tampered });
  return {
    usage: createUsageReader(shelf, store),
    usageBook: createUsageBook(shelf, integrity, clock),
    countingTurns: createCountingTurns(store.inTurn),
  };
}
