import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { BacktestServices } from './history-reader.ts';
import { type PastChanges, readPastChanges } from './past-changes.ts';

/** Maximum number of cached histories. */
const REMEMBERED = 8;

/** The histories of organizations, read once for all parts of a backtest. */
export interface Pasts {
  /** The changes of the organization, at least up to a time. */
  of(organization: Snapshot, untilMs: number): Promise<PastChanges>;
}

export function createPasts(services: Pick<BacktestServices, 'activities' | 'store' | 'clock'>): Pasts {
  const pasts = new LRUCache<string, Promise<PastChanges>>({ max: REMEMBERED });
  return {
    async of(organization, untilMs) {
      const known = await pasts.get(organization.id)?.catch(() => undefined);
      if (known !== undefined && (known.version === organization.version || known.builtAtMs >= untilMs)) return known;
      const reading = readPastChanges(services, organization);
      pasts.set(organization.id, reading);
      // Do not cache failures. The next call retries.
      reading.catch(() => pasts.delete(organization.id));
      return reading;
    },
  };
}
