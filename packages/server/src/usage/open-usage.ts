import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { createUsageReader } from './reader.ts';
import { createUsageCache } from './usage-cache.ts';
import { createUsageLeases, type UsageLeases } from './usage-lease.ts';
import { createUsageService, type UsageService } from './usage-service.ts';
import { createPointVerifier } from './verify-latest-point.ts';

export interface UsageServices {
  readonly store: Pick<Store, 'usage' | 'archive' | 'log' | 'inTurn'>;
  readonly integrity: Integrity;
  readonly activities: ActivityReader;
  readonly clock: { nowMs(): number };
}

/** Opens the usage of spending limits: for decisions and commits, and for queries. */
export function openUsage({ store, integrity, activities, clock }: UsageServices): {
  readonly usage: UsageReader;
  readonly usageBook: UsageService;
  readonly countingTurns: UsageLeases;
} {
  const { tampered } = activities;
  const pointVerifier = createPointVerifier(store, integrity, activities, tampered);
  const cache = createUsageCache({ store, integrity, pointVerifier, tampered });
  return {
    usage: createUsageReader(cache, store),
    usageBook: createUsageService(cache, integrity, clock),
    countingTurns: createUsageLeases(store.inTurn),
  };
}
