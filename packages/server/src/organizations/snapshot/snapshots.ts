import { preparePolicies } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { createSlices, inSlices } from '../../admission/index.ts';
import type { Head, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { readDelta } from './delta.ts';
import { type Alarm, loadChecked, tampered } from './load.ts';
import { macText, type Snapshot } from './snapshot.ts';

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

/** `full` counts first loads, `delta` reads of changes, and `fallback` full loads because the changes could not be read alone. */
export type Loads = Record<'full' | 'delta' | 'fallback', number>;

/** Why a head is not the newest one in the log. */
export interface HeadFault {
  readonly what: string;
  /** Whether the log has a newer head: another process may have committed it after the head was read. */
  readonly isBehind: boolean;
}

/** Compares a stored head with the log. Undefined if it is the newest one. */
export type ProveHead = (organizationId: string, head: Head) => Promise<HeadFault | undefined>;

/** Organizations for which the newest head is remembered, even if the snapshot is evicted. */
const REMEMBERED_HEADS = 100_000;

/** Full loads in place of deltas, within a minute, that a person should look at. */
const MANY_FALLBACKS = 30;
const MINUTE_MS = 60_000;

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
  warn: (message: string) => void = () => {},
): Snapshots {
  const known = new LRUCache<string, Snapshot>({
    maxSize: maxBytes,
    // A single organization may be larger. It stays cached, as the only one, or each request would load it again.
    sizeCalculation: ({ bytes }) => Math.min(maxBytes, Math.max(1, bytes)),
  });
  const loading = new Map<string, Promise<Snapshot | undefined>>();
  /** SECURITY: an expired snapshot is only the base of a delta. It is not served again before the stored head was read and proven. */
  const expired = new Set<string>();
  /** Commits of this process under way, by the MAC of the head that they lead to. */
  const coming = new Map<string, Promise<void>>();
  const loads: Loads = { full: 0, delta: 0, fallback: 0 };
  const noteFallback = createFallbackWatch(warn);
  /** INVARIANT: the high-water mark of an organization never decreases. */
  const highest = createRemembered<Head>(REMEMBERED_HEADS);

  function remember(snapshot: Snapshot): void {
    const { id, head } = snapshot;
    const seen = highest.get(id);
    if (seen === undefined || seen.version < head.version) highest.set(id, head);
    const kept = known.get(id);
    if (kept === undefined || kept.version < head.version) known.set(id, snapshot);
  }

  /**
   * Throws if a head is behind the high-water mark of this process.
   * SECURITY: such a database was rolled back, or lost acknowledged commits. Using it would restore what was revoked.
   */
  function requireNotBehind(organizationId: string, seen: Head | undefined, stored: Head | undefined): void {
    if (seen === undefined) return;
    if (stored !== undefined && stored.version > seen.version) return;
    if (stored !== undefined && isSame(stored, seen)) return;
    const found = stored === undefined ? 'nothing' : `version ${stored.version}`;
    const other = stored?.version === seen.version ? ' with another content' : '';
    throw tampered(
      alarm,
      organizationId,
      `it is behind the state that this process has seen: version ${seen.version} was stored, but the database now has ${found}${other}`,
    );
  }

  /** The organization as stored: what changed since the snapshot that this process has, or everything. */
  async function read(organizationId: string): Promise<Snapshot | undefined> {
    const base = known.peek(organizationId);
    if (base === undefined) {
      // SECURITY: D335: an unknown organization costs the same read as a cached one.
      if ((await store.head(organizationId)) === undefined) return undefined;
      loads.full++;
    } else {
      const next = await readDelta(store, integrity, base);
      if (next !== undefined) {
        loads.delta++;
        return next;
      }
      loads.fallback++;
      noteFallback();
    }
    return loadChecked(store, integrity, alarm, organizationId);
  }

  /**
   * SECURITY: D274: a snapshot is used only if the log proves that its head is the newest one. Throws STATE_TAMPERED otherwise.
   * INVARIANT: every read from the store is proven. The commits of this process need no proof.
   */
  async function readProven(organizationId: string): Promise<Snapshot | undefined> {
    for (let before = -1; ; ) {
      const snapshot = await read(organizationId);
      if (snapshot === undefined) return undefined;
      const fault = await prove(organizationId, snapshot.head);
      if (fault === undefined) return snapshot;
      // Another process may have committed a version after this one was read. Then the next read has a later one.
      if (!fault.isBehind || snapshot.version <= before) throw tampered(alarm, organizationId, fault.what);
      before = snapshot.version;
    }
  }

  function load(organizationId: string): Promise<Snapshot | undefined> {
    const underWay = loading.get(organizationId);
    if (underWay !== undefined) return underWay;
    const seen = highest.get(organizationId);
    if (known.has(organizationId)) expired.add(organizationId);
    const promise = readProven(organizationId)
      .then(async (snapshot) => {
        if (snapshot !== undefined && snapshot.policies.size > COMPILED_AT_ONCE)
          await inSlices(preparePolicies(snapshot), createSlices(organizationId));
        requireNotBehind(organizationId, seen, snapshot?.head);
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
      // Waiters go on after this function has stored the snapshot, or has left it.
      const settled = result.then(
        (value) => void (isTaken(value) && remember(next)),
        () => undefined,
      );
      coming.set(mac, settled);
      await settled;
      coming.delete(mac);
      return result;
    },
    usage: () => ({ organizations: known.size, bytes: known.calculatedSize, loads }),
  };
}

function isSame(a: Head, b: Head): boolean {
  return a.version === b.version && macsEqual(a.mac, b.mac);
}

/** Warns, once a minute, if many organizations had to be read in full because their changes could not be read alone. */
function createFallbackWatch(warn: (message: string) => void): () => void {
  let [sinceMs, count] = [0, 0];
  return () => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > MINUTE_MS) [sinceMs, count] = [nowMs, 0];
    if (++count === MANY_FALLBACKS)
      warn(`${count} organizations were read in full within a minute, because their changes could not be read alone`);
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
