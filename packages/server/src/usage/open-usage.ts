import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { createUsageReader } from './reader.ts';
import { createUsageCache, type ProveUsage } from './usage-cache.ts';
import { createUsageLeases, type UsageLeases } from './usage-lease.ts';
import { createUsageService, type UsageService } from './usage-service.ts';
import { createRequireCounted } from './verify-latest-point.ts';

/** The usage of spending limits. */
export interface UsageServices {
  /** For queries. */
  readonly reader: UsageReader;
  /** For decisions and commits. */
  readonly service: UsageService;
  /** For nodes that conflict on one counter. */
  readonly leases: UsageLeases;
}

export function openUsage(
  store: Pick<Store, 'usage' | 'archive' | 'log' | 'withLock'>,
  integrity: Integrity,
  activities: ActivityReader,
  proveUsage: ProveUsage,
  clock: { nowMs(): number },
): UsageServices {
  const { tampered } = activities;
  const requireCounted = createRequireCounted(store, integrity, activities, tampered);
  const cache = createUsageCache({ store, integrity, proveUsage, requireCounted, tampered });
  return {
    reader: createUsageReader(cache, store),
    service: createUsageService(cache, integrity, clock),
    leases: createUsageLeases(store.withLock),
  };
}
