import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { BacktestServices } from './backtest-types.ts';
import { type History, readHistory } from './history-reader.ts';

/** Maximum number of cached histories. */
const MAX_CACHED = 8;

/** The histories of organizations, read once for all parts of a backtest. */
export interface HistoryCache {
  /** The changes of the organization, at least up to a time. */
  read(organization: Snapshot, untilMs: number): Promise<History>;
}

export function createHistoryCache(services: Pick<BacktestServices, 'activities' | 'store' | 'clock'>): HistoryCache {
  const histories = new LRUCache<string, Promise<History>>({ max: MAX_CACHED });
  return {
    async read(organization, untilMs) {
      const known = await histories.get(organization.id)?.catch(() => undefined);
      if (known !== undefined && (known.version === organization.version || known.builtAtMs >= untilMs)) return known;
      const reading = readHistory(services, organization);
      histories.set(organization.id, reading);
      // Do not cache failures. The next call retries.
      reading.catch(() => histories.delete(organization.id));
      return reading;
    },
  };
}
