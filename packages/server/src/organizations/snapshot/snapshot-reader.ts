import type { Head, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { readDelta } from './delta.ts';
import { type Alarm, loadChecked, tampered } from './load.ts';
import type { Snapshot } from './snapshot.ts';

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

/** Full loads in place of deltas, within a minute, that a person should look at. */
const MANY_FALLBACKS = 30;
const MINUTE_MS = 60_000;

export interface SnapshotReader {
  /** Reads an organization, as a delta on the newest snapshot of this process if it has one. */
  readProven(organizationId: string, baseOf: () => Snapshot | undefined): Promise<Snapshot | undefined>;
  readonly loads: Readonly<Loads>;
}

export interface SnapshotReaderServices {
  readonly store: Store['organizations'];
  readonly integrity: Integrity;
  readonly alarm: Alarm;
  readonly prove: ProveHead;
  /** Called if organizations are read in full often, because their changes could not be read alone. */
  alarmLoads(message: string): void;
}

/** Reads organizations from the store, verifies them and proves that they are the newest. */
export function createSnapshotReader({ store, integrity, alarm, prove, alarmLoads }: SnapshotReaderServices): SnapshotReader {
  const loads: Loads = { full: 0, delta: 0, fallback: 0 };
  const noteFallback = createFallbackWatch(alarmLoads);

  /** The organization as stored: what changed since the snapshot that this process has, or everything. */
  async function read(organizationId: string, base: Snapshot | undefined): Promise<Snapshot | undefined> {
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
  async function readProven(organizationId: string, baseOf: () => Snapshot | undefined): Promise<Snapshot | undefined> {
    for (let before = -1; ; ) {
      const snapshot = await read(organizationId, baseOf());
      if (snapshot === undefined) return undefined;
      const fault = await prove(organizationId, snapshot.head);
      if (fault === undefined) return snapshot;
      // Another process may have committed a version after this one was read. Then the next read has a later one.
      if (!fault.isBehind || snapshot.version <= before) throw tampered(alarm, organizationId, fault.what);
      before = snapshot.version;
    }
  }

  return { readProven, loads };
}

/**
 * Throws if a head is behind the high-water mark of this process.
 * SECURITY: such a database was rolled back, or lost acknowledged commits. Using it would restore what was revoked.
 */
export function requireNotBehind(alarm: Alarm, organizationId: string, seen: Head | undefined, stored: Head | undefined): void {
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

export function isSame(a: Head, b: Head): boolean {
  return a.version === b.version && macsEqual(a.mac, b.mac);
}

/** Raises an alarm, at most once a minute, if organizations often had to be read in full. */
function createFallbackWatch(alarmLoads: (message: string) => void): () => void {
  let [sinceMs, count] = [0, 0];
  return () => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > MINUTE_MS) [sinceMs, count] = [nowMs, 0];
    if (++count === MANY_FALLBACKS)
      alarmLoads(
        `organizations were read in full ${count} times within a minute, because their changes could not be read alone: rows or tombstones were altered, or changed faster than this process read them`,
      );
  };
}
