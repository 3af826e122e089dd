import type { HeadRow, Write } from '../store/rows.ts';
import type { Head } from '../store/store.ts';
import { addElement, subtractElement } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import type { Change, LocalChange, NewOrganization } from './changes.ts';
import { type Lookup, resourceLookups, suborgLookups } from './lookups.ts';
import { buildSnapshot, type Content, type Entry, entryKey, keyMark, type Snapshot } from './snapshot.ts';

/** Changes ready for the store: rows with MACs, the next head if decisions are touched, and the following snapshot. */
export interface Sealed {
  readonly writes: readonly Write[];
  readonly head?: Head;
  readonly next?: Snapshot;
}

/**
 * INVARIANT: every written or removed record, wallet and private key is added to or subtracted from the sums that the next head
 * authenticates. A change that could alter a decision or the meaning of a key always moves the version.
 */
export function seal(integrity: Integrity, snapshot: Snapshot, changes: readonly Change[]): Sealed {
  const own = changes.filter((change) => change.op !== 'createOrganization');
  const founded = changes
    .filter((change) => change.op === 'createOrganization')
    .flatMap((change) => sealNewOrganization(integrity, change.topLevel === true ? '' : snapshot.id, change));
  if (own.length === 0) return { writes: founded };
  const version = snapshot.version + 1;
  const { writes, next } = apply(integrity, snapshot, version, own);
  const parentId = snapshot.profile.parentId;
  const index = parentId === null ? [] : difference(parentId, suborgLookups(snapshot), suborgLookups(next));
  return { writes: [...founded, ...writes, ...index], head: next.head, next };
}

/** The rows of a new organization under `parentId` (empty for a top-level one). */
export function sealNewOrganization(integrity: Integrity, parentId: string, created: NewOrganization): Write[] {
  const { organizationId, dataKey } = created;
  const { writes, next } = apply(integrity, emptySnapshot(organizationId), 1, created.changes);
  const head: HeadRow = { organizationId, parentId, ...next.head };
  return [
    { op: 'insert', table: 'organizations', row: head },
    { op: 'put', table: 'data_keys', row: { organizationId, ...dataKey } },
    ...writes,
    ...(parentId === '' ? [] : difference(parentId, new Map(), suborgLookups(next))),
  ];
}

interface Blank extends Content {
  readonly id: string;
  readonly entries: ReadonlyMap<string, Entry>;
}

function emptySnapshot(id: string): Blank {
  return { id, entries: new Map(), recordsSum: 0n, keysSum: 0n, keys: new Set() };
}

function apply(
  integrity: Integrity,
  from: Blank,
  version: number,
  changes: readonly LocalChange[],
): { writes: Write[]; next: Snapshot } {
  const organizationId = from.id;
  const entries = new Map(from.entries);
  const writes: Write[] = [];
  let { recordsSum, keysSum } = from;
  const keys = new Set(from.keys);
  const addKey = (mac: Uint8Array) => {
    keysSum = addElement(keysSum, integrity.element(mac));
    keys.add(keyMark(mac));
  };
  const removeKey = (mac: Uint8Array) => {
    keysSum = subtractElement(keysSum, integrity.element(mac));
    keys.delete(keyMark(mac));
  };
  for (const change of changes) {
    switch (change.op) {
      case 'putRecord': {
        const { kind, id } = change;
        const body = JSON.stringify(change.body);
        const mac = integrity.row('records', organizationId, kind, id, body);
        const replaced = entries.get(entryKey(kind, id));
        if (replaced !== undefined) recordsSum = subtractElement(recordsSum, integrity.element(replaced.mac));
        recordsSum = addElement(recordsSum, integrity.element(mac));
        entries.set(entryKey(kind, id), { kind, id, body: change.body, mac });
        writes.push({ op: 'put', table: 'records', row: { organizationId, kind, id, body, mac } });
        break;
      }
      case 'deleteRecord': {
        const { kind, id } = change;
        const removed = entries.get(entryKey(kind, id));
        if (removed === undefined) throw new Error(`cannot delete ${kind} ${id}: it is not in the snapshot`);
        recordsSum = subtractElement(recordsSum, integrity.element(removed.mac));
        entries.delete(entryKey(kind, id));
        writes.push({ op: 'delete', table: 'records', row: { organizationId, kind, id } });
        break;
      }
      case 'putResource': {
        const { kind, id, parentId = '', previous } = change;
        const body = JSON.stringify(change.body);
        const mac = integrity.row('resources', organizationId, kind, id, body);
        if (parentId === '') {
          if (previous !== undefined) removeKey(previous.mac);
          addKey(mac);
        }
        writes.push({ op: 'put', table: 'resources', row: { organizationId, kind, id, parentId, body, mac } });
        writes.push(...difference(organizationId, indexOf(previous), indexOf(change)));
        break;
      }
      case 'deleteResource': {
        const { kind, id, parentId, mac } = change.previous;
        if (parentId === '') removeKey(mac);
        writes.push({ op: 'delete', table: 'resources', row: { organizationId, kind, id } });
        writes.push(...difference(organizationId, indexOf(change.previous), new Map()));
        break;
      }
      case 'putSecret':
        writes.push({ op: 'put', table: 'secrets', row: { organizationId, id: change.id, ciphertext: change.ciphertext } });
        break;
      case 'putOutbox': {
        const { id, dueAtMs, expiresAtMs, ciphertext } = change;
        const row = { organizationId, id, state: 'waiting' as const, dueAtMs, expiresAtMs, attempts: 0, fault: '', ciphertext };
        writes.push({ op: 'put', table: 'outbox', row });
        break;
      }
      case 'deleteSecret':
        writes.push({ op: 'delete', table: 'secrets', row: { organizationId, id: change.id } });
        break;
    }
  }
  const head = { version, mac: integrity.head(organizationId, version, recordsSum, keysSum) };
  return { writes, next: buildSnapshot(organizationId, head, entries, { recordsSum, keysSum, keys }) };
}

function indexOf(resource: Parameters<typeof resourceLookups>[0] | undefined): Map<string, Lookup> {
  return new Map(
    resource === undefined ? [] : resourceLookups(resource).map((lookup) => [`${lookup.kind}/${lookup.value}`, lookup]),
  );
}

function difference(organizationId: string, before: ReadonlyMap<string, Lookup>, after: ReadonlyMap<string, Lookup>): Write[] {
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, row]) => row);
  const come = [...after].filter(([key]) => !before.has(key)).map(([, row]) => row);
  return [
    ...gone.map((row): Write => ({ op: 'delete', table: 'lookups', row: { organizationId, ...row } })),
    ...come.map((row): Write => ({ op: 'put', table: 'lookups', row: { organizationId, ...row } })),
  ];
}
