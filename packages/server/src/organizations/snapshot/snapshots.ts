import { preparePolicies } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { createSlices, idleLru, inSlices, sweepIdle } from '../../admission/index.ts';
import type { Head, Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Alarm } from './load.ts';
import { macText, type Snapshot } from './snapshot.ts';
import { createSnapshotReader, isSame, type Loads, type ProveHead, requireNotBehind } from './snapshot-reader.ts';

/** Loads, verifies and caches organization snapshots. */
export interface Snapshots {
  /** The newest snapshot in this process, undefined for an unknown organization. A commit based on it may fail as outdated. */
  get(organizationId: string): Promise<Snapshot | undefined>;
  /** The snapshot at the stored version, checked against the database now. */
  current(organizationId: string): Promise<Snapshot | undefined>;
  /** Evicts an organization. The next request reads and verifies all of it. */
  drop(organizationId: string): void;
  /** Makes the next request read what changed in an organization. */
  expire(organizationId: string): void;
  /** The same for an organization whose cached version is below the one in the log. */
  expireBefore(organizationId: string, version: number): void;
  /**
   * Runs a commit of this process that leads to `next`, and stores that snapshot if the commit was taken. A reader that finds its head in
   * the store meanwhile waits for it.
   */
  commit<T>(next: Snapshot | undefined, work: () => Promise<T>, isTaken: (result: T) => boolean): Promise<T>;
  /** Number of cached organizations, their approximate memory in bytes, and how often organizations were read since the start. */
  usage(): { readonly organizations: number; readonly bytes: number; readonly loads: Readonly<Loads> };
}

/** Organizations for which the newest head is remembered, even if the snapshot is evicted. */
const REMEMBERED_HEADS = 100_000;

/** Default memory limit of the snapshot cache. */
const DEFAULT_BYTES = 268_435_456;

/** Maximum number of policies that the first decision compiles synchronously. Those of larger organizations are compiled in slices. */
const COMPILED_AT_ONCE = 50;

export function createSnapshots(
  store: Store['organizations'],
  integrity: Integrity,
  alarm: Alarm,
  prove: ProveHead,
  maxBytes = DEFAULT_BYTES,
  alarmLoads: (message: string) => void = () => {},
): Snapshots {
  const known = sweepIdle(
    new LRUCache<string, Snapshot>({
      maxSize: maxBytes,
      // A single organization may be larger. It stays cached, as the only one, or each request would load it again.
      sizeCalculation: ({ bytes }) => Math.min(maxBytes, Math.max(1, bytes)),
      ...idleLru,
      dispose: (_, organizationId, reason) => void (reason !== 'set' && expired.delete(organizationId)),
    }),
  );
  const loading = new Map<string, Promise<Snapshot | undefined>>();
  /** SECURITY: an expired snapshot is only the base of a delta. It is not served again before the stored head was read and proven. */
  const expired = new Set<string>();
  /** Commits of this process under way, by the MAC of the head that they lead to. */
  const coming = new Map<string, Promise<void>>();
  const reader = createSnapshotReader({ store, integrity, alarm, prove, alarmLoads });
  /** INVARIANT: the high-water mark of an organization never decreases. */
  const highest = createRemembered<Head>(REMEMBERED_HEADS);

  function remember(snapshot: Snapshot): void {
    const { id, head } = snapshot;
    const seen = highest.get(id);
    if (seen === undefined || seen.version < head.version) highest.set(id, head);
    const kept = known.get(id);
    if (kept === undefined || kept.version < head.version) known.set(id, snapshot);
  }

  function load(organizationId: string): Promise<Snapshot | undefined> {
    const underWay = loading.get(organizationId);
    if (underWay !== undefined) return underWay;
    const seen = highest.get(organizationId);
    if (known.has(organizationId)) expired.add(organizationId);
    const promise = reader
      .readProven(organizationId, () => known.peek(organizationId))
      .then(async (snapshot) => {
        if (snapshot !== undefined && snapshot.policies.size > COMPILED_AT_ONCE)
          await inSlices(preparePolicies(snapshot), createSlices(organizationId));
        requireNotBehind(alarm, organizationId, seen, snapshot?.head);
        if (snapshot !== undefined) remember(snapshot);
        if (loading.get(organizationId) === promise) expired.delete(organizationId);
        // A commit of this process may have stored a newer snapshot concurrently.
        const kept = known.get(organizationId);
        return kept !== undefined && kept.version > (snapshot?.version ?? 0) ? kept : snapshot;
      })
      .catch((error: unknown) => {
        drop(organizationId);
        throw error;
      })
      .finally(() => {
        if (loading.get(organizationId) === promise) loading.delete(organizationId);
      });
    loading.set(organizationId, promise);
    return promise;
  }

  /** The snapshot at a head that is stored, or a later one. */
  async function loadAt(organizationId: string, head: Head | undefined): Promise<Snapshot | undefined> {
    const own = head === undefined ? undefined : coming.get(macText(head.mac));
    if (own !== undefined && head !== undefined) {
      await own;
      const kept = known.get(organizationId);
      if (kept !== undefined && kept.version >= head.version && !expired.has(organizationId)) return kept;
    }
    const loaded = await load(organizationId);
    // A load that was under way may have read the organization before this head was stored.
    return (loaded?.version ?? 0) < (head?.version ?? 0) ? load(organizationId) : loaded;
  }

  function drop(organizationId: string): void {
    known.delete(organizationId);
    expired.delete(organizationId);
    loading.delete(organizationId);
  }

  function expire(organizationId: string): void {
    if (known.has(organizationId)) expired.add(organizationId);
    loading.delete(organizationId);
  }

  return {
    async get(organizationId) {
      if (expired.has(organizationId)) return load(organizationId);
      return known.get(organizationId) ?? load(organizationId);
    },
    async current(organizationId) {
      const kept = known.get(organizationId);
      if (kept === undefined || expired.has(organizationId)) return load(organizationId);
      const head = await store.head(organizationId);
      return head !== undefined && isSame(head, kept.head) ? kept : loadAt(organizationId, head);
    },
    drop,
    expire,
    expireBefore(organizationId, version) {
      const kept = known.peek(organizationId);
      if (kept !== undefined && kept.version < version) expire(organizationId);
    },
    async commit(next, work, isTaken) {
      if (next === undefined) return work();
      const mac = macText(next.head.mac);
      const result = work();
      // Waiters continue after this function has stored the snapshot, or has left it.
      const settled = result.then(
        (value) => void (isTaken(value) && remember(next)),
        () => undefined,
      );
      coming.set(mac, settled);
      await settled;
      coming.delete(mac);
      return result;
    },
    usage: () => ({ organizations: known.size, bytes: known.calculatedSize, loads: reader.loads }),
  };
}

/** An LRU map. Unlike an `LRUCache` with a maximum, it allocates no memory up front. */
function createRemembered<V>(max: number) {
  const entries = new Map<string, V>();
  return {
    get(key: string): V | undefined {
      const value = entries.get(key);
      if (value !== undefined) this.set(key, value);
      return value;
    },
    set(key: string, value: V): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > max && oldest !== undefined) entries.delete(oldest);
    },
  };
}
