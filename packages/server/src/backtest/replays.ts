import { randomUUID } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import { LRUCache } from 'lru-cache';
import { UsageReplay } from './usage-replay.ts';

/** The replayed usage of spending limits under the current rules and under the changed ones. */
export interface Replay {
  readonly name: string;
  readonly before: UsageReplay;
  readonly after: UsageReplay;
}

/** Maximum number of replays that are cached between parts. */
const MAX_CACHED = 4;

/** Caches the replayed usage between the parts of backtests. */
export interface Replays {
  begin(): Replay;
  /** Takes the replay for the next part from the cache. Throws PRECONDITION_FAILED if it is no longer cached. */
  resume(organizationId: string, name: string, afterId: string): Replay;
  save(organizationId: string, replay: Replay, afterId: string): void;
}

export function createReplays(): Replays {
  const cache = new LRUCache<string, Replay>({ max: MAX_CACHED });
  const keyOf = (organizationId: string, name: string, afterId: string) => `${organizationId}/${name}/${afterId}`;
  return {
    begin: () => ({ name: randomUUID(), before: new UsageReplay(), after: new UsageReplay() }),
    resume(organizationId, name, afterId) {
      const key = keyOf(organizationId, name, afterId);
      const replay = cache.get(key);
      // INVARIANT: each part counts once. Running a part again would count its activities twice.
      cache.delete(key);
      if (replay !== undefined) return replay;
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'The usage of spending limits in the earlier parts is no longer available: this part was already requested, another server handled them, or too much time has passed. Start again without a cursor.',
      );
    },
    save: (organizationId, replay, afterId) => cache.set(keyOf(organizationId, replay.name, afterId), replay),
  };
}
