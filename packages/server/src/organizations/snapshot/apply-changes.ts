import { finished, type Steps } from '@countersign/collections';
import type { HeadRow, Write } from '../../store/rows.ts';
import type { Head } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Change, LocalChange, NewOrganization } from './changes.ts';
import { ContentEditor } from './content-editor.ts';
import { type Lookup, resourceLookups, suborgLookupChanges } from './lookups.ts';
import { buildSnapshot, type Content, emptyContent, type Snapshot } from './snapshot.ts';

/** Changes ready for the store: rows with MACs, the next head if decisions are affected, and the next snapshot. */
export interface AppliedChanges {
  readonly writes: readonly Write[];
  readonly head?: Head;
  readonly next?: Snapshot;
}

/** A tombstone of a record has none: another process knows the record by its id. */
const noMac: Uint8Array = new Uint8Array(0);

const unchanged: AppliedChanges = Object.freeze({ writes: Object.freeze([]) as readonly Write[] });

/**
 * INVARIANT: every written or removed record, wallet and private key is added to or subtracted from the sums that the next head
 * authenticates. A change that could alter a decision or the meaning of a key always increments the version.
 */
export function applyChanges(integrity: Integrity, snapshot: Snapshot, changes: readonly Change[]): AppliedChanges {
  return finished(applyChangesInSteps(integrity, snapshot, changes));
}

/** The same in steps, because a request can create a hundred users with ten keys each. */
export function* applyChangesInSteps(
  integrity: Integrity,
  snapshot: Snapshot,
  changes: readonly Change[],
): Steps<AppliedChanges> {
  if (changes.length === 0) return unchanged;
  const own = changes.filter((change) => change.op !== 'createOrganization');
  const founded: Write[] = [];
  for (const change of changes) {
    if (change.op !== 'createOrganization') continue;
    founded.push(...(yield* newOrganization(integrity, change.topLevel === true ? '' : snapshot.id, change)));
  }
  if (own.length === 0) return { writes: founded };
  const version = snapshot.version + 1;
  const { writes, next } = yield* apply(integrity, snapshot.id, snapshot, version, own);
  const parentId = snapshot.profile.parentId;
  const index = parentId === null ? [] : parentIndex(parentId, snapshot, next);
  return { writes: [...founded, ...writes, ...index], head: next.head, next };
}

/** The rows of a new organization under `parentId` (empty for a top-level one). */
export function applyNewOrganization(integrity: Integrity, parentId: string, created: NewOrganization): Write[] {
  return finished(newOrganization(integrity, parentId, created));
}

function* newOrganization(integrity: Integrity, parentId: string, created: NewOrganization): Steps<Write[]> {
  const { organizationId, dataKey } = created;
  const { writes, next } = yield* apply(integrity, organizationId, emptyContent(), 1, created.changes);
  const head: HeadRow = { organizationId, parentId, ...next.head };
  const index = parentId === '' ? [] : parentIndex(parentId, undefined, next);
  yield undefined;
  return [
    { op: 'insert', table: 'organizations', row: head },
    { op: 'put', table: 'data_keys', row: { organizationId, ...dataKey, generation: 0, previous: new Uint8Array() } },
    ...writes,
    ...index,
  ];
}

/** Changes between two pauses. They take a fraction of a millisecond. */
const CHANGES_PER_STEP = 8;

function* apply(
  integrity: Integrity,
  organizationId: string,
  from: Content,
  version: number,
  changes: readonly LocalChange[],
): Steps<{ writes: Write[]; next: Snapshot }> {
  const writes: Write[] = [];
  const editor = new ContentEditor(integrity, from);
  const tombstone = (kind: string, id: string, mac = noMac): Write => ({
    op: 'put',
    table: 'tombstones',
    row: { organizationId, version, kind, id, mac },
  });
  for (const [index, change] of changes.entries()) {
    if (index % CHANGES_PER_STEP === CHANGES_PER_STEP - 1) yield undefined;
    switch (change.op) {
      case 'putRecord': {
        const { kind, id } = change;
        const body = JSON.stringify(change.body);
        const mac = integrity.row('records', organizationId, kind, id, version, body);
        editor.putRecord({ kind, id, body: change.body, characters: body.length, mac, writtenBy: version });
        writes.push({ op: 'put', table: 'records', row: { organizationId, kind, id, writtenBy: version, body, mac } });
        break;
      }
      case 'deleteRecord': {
        const { kind, id } = change;
        if (!editor.deleteRecord(kind, id)) throw new Error(`cannot delete ${kind} ${id}: it is not in the snapshot`);
        writes.push({ op: 'delete', table: 'records', row: { organizationId, kind, id } }, tombstone(kind, id));
        break;
      }
      case 'putResource': {
        const { kind, id, parentId = '', previous } = change;
        const body = JSON.stringify(change.body);
        const mac = integrity.row('resources', organizationId, kind, id, version, body);
        if (parentId === '') {
          if (previous !== undefined) {
            editor.removeKey(kind, previous.mac);
            writes.push(tombstone(kind, id, previous.mac));
          }
          editor.addKey(kind, mac);
        }
        writes.push({
          op: 'put',
          table: 'resources',
          row: { organizationId, kind, id, parentId, writtenBy: version, body, mac },
        });
        writes.push(...difference(organizationId, indexOf(previous), indexOf(change)));
        break;
      }
      case 'deleteResource': {
        const { kind, id, parentId, mac } = change.previous;
        if (parentId === '') {
          editor.removeKey(kind, mac);
          writes.push(tombstone(kind, id, mac));
        }
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
  const content = editor.finish();
  const head = { version, mac: integrity.head(organizationId, version, content.recordsSum, content.keysSum) };
  return { writes, next: buildSnapshot(organizationId, head, content) };
}

function indexOf(resource: Parameters<typeof resourceLookups>[0] | undefined): Map<string, Lookup> {
  return new Map(
    resource === undefined ? [] : resourceLookups(resource).map((lookup) => [`${lookup.kind}/${lookup.value}`, lookup]),
  );
}

/** The index entries of the parent to write and delete after a change of a sub-organization. */
function parentIndex(parentId: string, before: Snapshot | undefined, after: Snapshot): Write[] {
  const { gone, come } = suborgLookupChanges(before, after);
  return lookupWrites(parentId, gone, come);
}

function difference(organizationId: string, before: ReadonlyMap<string, Lookup>, after: ReadonlyMap<string, Lookup>): Write[] {
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, row]) => row);
  const come = [...after].filter(([key]) => !before.has(key)).map(([, row]) => row);
  return lookupWrites(organizationId, gone, come);
}

function lookupWrites(organizationId: string, gone: readonly Lookup[], come: readonly Lookup[]): Write[] {
  return [
    ...gone.map((row): Write => ({ op: 'delete', table: 'lookups', row: { organizationId, ...row } })),
    ...come.map((row): Write => ({ op: 'put', table: 'lookups', row: { organizationId, ...row } })),
  ];
}
