import { ServiceError } from '@countersign/contract';
import { LRUCache } from 'lru-cache';
import type { RecordRow } from '../store/rows.ts';
import type { Head, Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { type RecordBodies, type RecordKind, recordKinds } from './records.ts';
import { buildSnapshot, type Entry, entryKey, keyMark, type Snapshot, sumOf } from './snapshot.ts';

/** Raises an alarm, in the log and the metrics, for stored state that does not verify. */
export type Alarm = (organizationId: string, what: string) => void;

/** Loads, checks and caches organization snapshots. */
export interface Snapshots {
  /**
   * The newest snapshot in this process, undefined for an unknown organization. A commit based on it may be refused as outdated.
   */
  get(organizationId: string): Promise<Snapshot | undefined>;
  /** The snapshot at the stored version, checked against the database now. */
  current(organizationId: string): Promise<Snapshot | undefined>;
  /** Forgets an organization, because its version moved. */
  drop(organizationId: string): void;
  /** Stores the snapshot that follows a commit of this process. */
  replace(snapshot: Snapshot): void;
}

/** How many organizations a process remembers the newest head of, beyond the snapshots that it keeps. */
const REMEMBERED_HEADS = 100_000;

export function createSnapshots(store: Store['organizations'], integrity: Integrity, alarm: Alarm, capacity = 10_000): Snapshots {
  const known = new LRUCache<string, Snapshot>({ max: capacity });
  const loading = new Map<string, Promise<Snapshot | undefined>>();
  /** INVARIANT: heads of an organization only move up. */
  const highest = createRemembered<Head>(Math.max(capacity, REMEMBERED_HEADS));

  function remember(snapshot: Snapshot): void {
    const { id, head } = snapshot;
    const seen = highest.get(id);
    if (seen === undefined || seen.version < head.version) highest.set(id, head);
    const kept = known.get(id);
    if (kept === undefined || kept.version < head.version) known.set(id, snapshot);
  }

  /**
   * Refuses a head that lies behind what this process has seen before it was read.
   * SECURITY: such a database was put back, or lost commits that were acknowledged. Acting on it would revive what was revoked.
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
      `it is behind what this process has seen: version ${seen.version} was stored, and the database now holds ${found}${other}`,
    );
  }

  function load(organizationId: string): Promise<Snapshot | undefined> {
    const underWay = loading.get(organizationId);
    if (underWay !== undefined) return underWay;
    const seen = highest.get(organizationId);
    const promise = loadChecked(store, integrity, alarm, organizationId)
      .then((snapshot) => {
        requireNotBehind(organizationId, seen, snapshot?.head);
        if (snapshot !== undefined) remember(snapshot);
        // A commit of this process may have stored a newer snapshot meanwhile.
        const kept = known.get(organizationId);
        return kept !== undefined && kept.version > (snapshot?.version ?? 0) ? kept : snapshot;
      })
      .finally(() => loading.delete(organizationId));
    loading.set(organizationId, promise);
    return promise;
  }

  return {
    async get(organizationId) {
      return known.get(organizationId) ?? load(organizationId);
    },
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
    replace: remember,
  };
}

/** A map that forgets what was looked at longest ago. Unlike a cache of fixed size it takes no memory before it is used. */
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

/**
 * Reads an organization and checks it as a whole.
 * SECURITY: throws STATE_TAMPERED, for this organization alone, if a row was inserted, altered, swapped, deleted or rolled back.
 */
export async function loadChecked(
  store: Store['organizations'],
  integrity: Integrity,
  alarm: Alarm,
  organizationId: string,
): Promise<Snapshot | undefined> {
  const stored = await store.snapshot(organizationId);
  if (stored === undefined) return undefined;
  const entries = new Map<string, Entry>();
  for (const row of stored.records) {
    if (!verifies(integrity, row))
      throw tampered(alarm, organizationId, `the ${row.kind} record ${row.id} was changed or inserted outside the service`);
    const { kind, id, mac } = row as RecordRow & { kind: RecordKind };
    entries.set(entryKey(kind, id), { kind, id, mac, body: JSON.parse(row.body) as RecordBodies[RecordKind] });
  }
  if (!entries.has(entryKey('organization', organizationId)))
    throw tampered(alarm, organizationId, 'the record of the organization itself is missing');
  const content = {
    recordsSum: sumOf(
      integrity,
      stored.records.map((row) => row.mac),
    ),
    keysSum: sumOf(integrity, stored.keyMacs),
    keys: new Set(stored.keyMacs.map(keyMark)),
  };
  const { version, mac } = stored.head;
  if (!macsEqual(integrity.head(organizationId, version, content.recordsSum, content.keysSum), mac)) {
    throw tampered(
      alarm,
      organizationId,
      'a record, wallet or private key was removed, added or put back to an older state, or the version was edited',
    );
  }
  return buildSnapshot(organizationId, { version, mac }, entries, content);
}

function verifies(integrity: Integrity, { organizationId, kind, id, body, mac }: RecordRow): boolean {
  return recordKinds.includes(kind as RecordKind) && macsEqual(integrity.row('records', organizationId, kind, id, body), mac);
}

/** Raises the alarm, and returns the error for state that does not verify. */
export function tampered(alarm: Alarm, organizationId: string, what: string, cause?: unknown): ServiceError {
  alarm(organizationId, what);
  return new ServiceError(
    'STATE_TAMPERED',
    `The stored state of organization ${organizationId} does not verify: ${what}. Nothing was signed or changed. Restore the database from a backup, or run 'countersign doctor' for details.`,
    { cause },
  );
}
