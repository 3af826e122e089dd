import type { RecordRow } from '../../store/rows.ts';
import type { Store, StoredChanges } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type RecordKind, recordKinds, resourceKinds } from '../records.ts';
import { ContentEditor } from './content-editor.ts';
import { buildSnapshot, type Snapshot } from './snapshot.ts';

/** Changed rows to read and verify in one go. After more changes than this, reading the organization in full is not much slower. */
const MAX_ROWS = 500;
const MAC_BYTES = 32;
const kinds: ReadonlySet<string> = new Set(recordKinds);
const keyKinds: ReadonlySet<string> = new Set(resourceKinds);

/**
 * Reads what other processes changed since a verified snapshot, and returns the snapshot at the stored head. Undefined if that takes a full
 * load: too many changes, tombstones that were swept, or rows that do not add up.
 * SECURITY: D515: the result has the sums that the stored head authenticates. So a row that was inserted, altered, deleted or kept back
 * makes the delta fail, with any versions and tombstones that the database claims, and the full load names it.
 */
export async function readDelta(
  store: Pick<Store['organizations'], 'changes'>,
  integrity: Integrity,
  base: Snapshot,
): Promise<Snapshot | undefined> {
  const changes = await store.changes(base.id, base.version, MAX_ROWS);
  if (changes === undefined || changes.more) return undefined;
  return applyDelta(integrity, base, changes);
}

/** Exported for tests. */
export function applyDelta(integrity: Integrity, base: Snapshot, changes: StoredChanges): Snapshot | undefined {
  const { version, mac } = changes.head;
  if (version <= base.version) return version === base.version && macsEqual(mac, base.head.mac) ? base : undefined;
  if (!areAuthentic(integrity, base.id, changes.records) || !areKeys(changes)) return undefined;
  const editor = new ContentEditor(integrity, base);
  for (const { kind, id, mac } of changes.tombstones) {
    if (kinds.has(kind)) editor.deleteRecord(kind as RecordKind, id);
    else if (editor.hasKey(mac)) editor.removeKey(kind, mac);
  }
  for (const { kind, id, writtenBy, body, mac } of changes.records)
    editor.putRecord({ kind: kind as RecordKind, id, body: JSON.parse(body), characters: body.length, mac, writtenBy });
  for (const { kind, mac } of changes.keys) if (!editor.hasKey(mac)) editor.addKey(kind, mac);
  const content = editor.finish();
  const isWhole = macsEqual(integrity.head(base.id, version, content.recordsSum, content.keysSum), mac);
  return isWhole && content.records.organization.has(base.id) ? buildSnapshot(base.id, { version, mac }, content) : undefined;
}

/** Whether kinds and lengths are possible. The sums show the rest. */
function areKeys({ keys, tombstones }: StoredChanges): boolean {
  return (
    keys.every(({ kind, mac }) => keyKinds.has(kind) && mac.length === MAC_BYTES) &&
    tombstones.every(({ kind }) => kinds.has(kind) || keyKinds.has(kind))
  );
}

function areAuthentic(integrity: Integrity, organizationId: string, rows: readonly RecordRow[]): boolean {
  if (rows.some(({ kind, mac }) => !kinds.has(kind) || mac.length !== MAC_BYTES)) return false;
  return macsEqual(Buffer.concat(rows.map(({ mac }) => mac)), integrity.rows('records', organizationId, rows));
}
