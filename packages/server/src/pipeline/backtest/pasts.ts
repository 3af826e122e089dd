import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { type PastChanges, readPastChanges } from './past-changes.ts';

/** How many organizations a process remembers the history of. */
const REMEMBERED = 8;

/** The histories of organizations, read once for all parts of a backtest. */
export interface Pasts {
  /** What changed the organization, at least until a time. */
  of(organization: Snapshot, untilMs: number): Promise<PastChanges>;
}

export function createPasts(services: Pick<PipelineServices, 'activities' | 'store' | 'clock'>): Pasts {
  const pasts = new LRUCache<string, Promise<PastChanges>>({ max: REMEMBERED });
  return {
    async of(organization, untilMs) {
      const known = await pasts.get(organization.id)?.catch(() => undefined);
      if (known !== undefined && (known.version === organization.version || known.builtAtMs >= untilMs)) return known;
      const reading = readPastChanges(services, organization);
      pasts.set(organization.id, reading);
      // The failure belongs to whoever asked. The next one tries again.
      reading.catch(() => pasts.delete(organization.id));
      return reading;
    },
  };
}
