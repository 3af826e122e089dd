import { TlogError, usageValue } from '@countersign/tlog';
import type { LogStateRow } from '../store/rows.ts';
import type { BucketKey, UsageHead } from '../store/usage-store.ts';
import type { ProveUsage } from '../usage/usage-cache.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import { type MapReading, readAtState } from './current-heads.ts';
import { type CountedUsage, readLogEntry } from './entry.ts';
import { countedValue, followsCount } from './head-transitions.ts';
import { LogError } from './log-error.ts';
import { macDigest } from './logged-step.ts';
import { mapValue, readNodes } from './map-reader.ts';

export interface UsageProverServices extends MapReading {
  /** Number of the epoch of this process. */
  readonly epoch: number;
}

/**
 * SECURITY: D260: the points of a bucket verify by themselves, but not that the newest ones are there. The head map in the log says so, or
 * entries that are still queued and follow it.
 * INVARIANT: the state is read after the point. A count is in the queue or, later, in the map. `before` is the queue as it was before the state
 * was read; its counts that the map already has do not follow the value of the map.
 */
export function createUsageProver(services: UsageProverServices): ProveUsage {
  const { store, integrity } = services;

  async function prove(
    state: LogStateRow | undefined,
    { organizationId, bucket }: BucketKey,
    newest: UsageHead | undefined,
    before: readonly CountedUsage[] | undefined,
  ): Promise<string | undefined> {
    // The log of an earlier release. Nothing is served before it has a map.
    if (state?.mapRoot.length === 0) return undefined;
    const key = integrity.mapUsageKey(organizationId, bucket);
    const logged = state === undefined ? undefined : await loggedValue(state, key);
    const own = newest && usageValue({ revision: newest.revision, point: macDigest(newest.mac) }, sha256);
    if (before === undefined && isSame(logged, own)) return undefined;
    let value = logged;
    let revision: number | undefined;
    for (const counted of before ?? (await queuedCounts(key))) {
      if (!followsCount(value, counted)) continue;
      value = countedValue(counted);
      revision = counted[1];
    }
    if (isSame(value, own)) return undefined;
    if (before === undefined) await requireUnchanged(state);
    const found = revision === undefined ? 'another newest revision' : `revision ${revision}`;
    return `revision ${newest?.revision ?? 0} of bucket ${bucket} is stored, but the log has ${found}`;
  }

  async function loggedValue({ mapRoot }: LogStateRow, key: Uint8Array): Promise<Uint8Array | undefined> {
    const nodes = new Map<string, Uint8Array>();
    await readNodes(store, [key], nodes);
    return mapValue(mapRoot, key, nodes);
  }

  /** Counts of a bucket in queued entries of this epoch, in order. */
  async function queuedCounts(mapKey: Uint8Array): Promise<readonly CountedUsage[]> {
    const key = Buffer.from(mapKey).toString('hex');
    return (await store.queuedAbout(key)).flatMap((row) => {
      const content = readLogEntry(integrity, row);
      if (content?.version !== 2 || content.epoch !== services.epoch) return [];
      return (content.usage ?? []).filter((counted) => counted[0] === key);
    });
  }

  /** An entry may have left the queue after the map was read. */
  async function requireUnchanged(before: LogStateRow | undefined): Promise<void> {
    if (!isSame((await store.state())?.root, before?.root)) throw new TlogError('the log is extended faster than it can be read');
  }

  return async (key, newest, { withQueue = false } = {}) => {
    try {
      // D1030: the queue first. Entries that leave it after that are in the map, so a log that is extended all the time can be read.
      const before = withQueue ? await queuedCounts(integrity.mapUsageKey(key.organizationId, key.bucket)) : undefined;
      return await readAtState(services, (state) => prove(state, key, newest, before));
    } catch (error) {
      if (error instanceof LogError) return error.message;
      throw error;
    }
  };
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}
