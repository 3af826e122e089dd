import { preparePolicies } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { createSlices, inSlices } from '../../admission/index.ts';
import type { Head, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type Alarm, loadChecked, tampered } from './load.ts';
import type { Snapshot } from './snapshot.ts';

/** Loads, verifies and caches organization snapshots. */
export interface Snapshots {
  /** The newest snapshot in this process, undefined for an unknown organization. A commit based on it may fail as outdated. */
  get(organizationId: string): Promise<Snapshot | undefined>;
  /** The snapshot at the stored version, checked against the database now. */
  current(organizationId: string): Promise<Snapshot | undefined>;
  /** Evicts an organization because its version changed. */
  drop(organizationId: string): void;
  /** Evicts an organization whose cached version is below the one in the log. So the next request loads and proves it. */
  dropBefore(organizationId: string, version: number): void;
  /** Stores the snapshot that follows a commit of this process. */
  replace(snapshot: Snapshot): void;
  /** Number of cached organizations, and their approximate memory in bytes. */
  usage(): { readonly organizations: number; readonly bytes: number };
}

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
): Snapshots {
  const known = new LRUCache<string, Snapshot>({
    maxSize: maxBytes,
    // A single organization may be larger. It stays cached, as the only one, or each request would load it again.
    sizeCalculation: ({ bytes }) => Math.min(maxBytes, Math.max(1, bytes)),
  });
  const loading = new Map<string, Promise<Snapshot | undefined>>();
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
    if (stored !== undefined && stored.version === seen.version && macsEqual(stored.mac, seen.mac)) return;
    const found = stored === undefined ? 'nothing' : `version ${stored.version}`;
    const other = stored?.version === seen.version ? ' with another content' : '';
    throw tampered(
      alarm,
      organizationId,
      `it is behind the state that this process has seen: version ${seen.version} was stored, but the database now has ${found}${other}`,
    );
  }

  /**
   * SECURITY: D274: a snapshot is used only if the log proves that its head is the newest one. Throws STATE_TAMPERED otherwise.
   * INVARIANT: every load from the store is proven. The commits of this process need no proof.
   */
  async function loadProven(organizationId: string): Promise<Snapshot | undefined> {
    for (let before = -1; ; ) {
      // SECURITY: D335: an unknown organization costs the same read as a cached one.
      if ((await store.head(organizationId)) === undefined) return undefined;
      const snapshot = await loadChecked(store, integrity, alarm, organizationId);
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
    const promise = loadProven(organizationId)
      .then(async (snapshot) => {
        if (snapshot !== undefined && snapshot.policies.size > COMPILED_AT_ONCE)
          await inSlices(preparePolicies(snapshot), createSlices(organizationId));
        requireNotBehind(organizationId, seen, snapshot?.head);
        if (snapshot !== undefined) remember(snapshot);
        // A commit of this process may have stored a newer snapshot concurrently.
        const kept = known.get(organizationId);
        return kept !== undefined && kept.version > (snapshot?.version ?? 0) ? kept : snapshot;
      })
      .finally(() => loading.delete(organizationId));
    loading.set(organizationId, promise);
    return promise;
  }

  return {
    get: async (organizationId) => known.get(organizationId) ?? load(organizationId),
    async current(organizationId) {
      const kept = known.get(organizationId);
      if (kept === undefined) return load(organizationId);
      const head = await store.head(organizationId);
      if (head !== undefined && head.version === kept.version && macsEqual(head.mac, kept.head.mac)) return kept;
      known.delete(organizationId);
      return load(organizationId);
    },
    drop(organizationId) {
      known.delete(organizationId);
      loading.delete(organizationId);
    },
    dropBefore(organizationId, version) {
      const kept = known.peek(organizationId);
      if (kept !== undefined && kept.version < version) known.delete(organizationId);
    },
    replace: remember,
    usage: () => ({ organizations: known.size, bytes: known.calculatedSize }),
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
