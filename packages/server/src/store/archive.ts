import { terminalList } from './activity-status.ts';
import type { ArchivedRow } from './rows.ts';
import { defineStatement, type Read, type Row } from './statement.ts';
import type { Store } from './store.ts';
import { activities, archived, archiveSpans, archives } from './tables.ts';

const ofOrganization = `SELECT ${archived.list} FROM archived WHERE organization_id = ?`;
const mark = defineStatement('archived', `${ofOrganization} AND activity_id = ?`);
const byFingerprint = defineStatement('archived_by_fingerprint', `${ofOrganization} AND fingerprint = ? LIMIT 1`);
const scan = defineStatement('archived_scan', `${ofOrganization} AND activity_id > ? ORDER BY activity_id LIMIT ?`);
const file = defineStatement('archive_file', `SELECT ${archives.list} FROM archives WHERE name = ?`);
const files = defineStatement('archive_files', `SELECT ${archives.list} FROM archives ORDER BY name`);
const spans = defineStatement(
  'archive_spans',
  `SELECT ${archiveSpans.list} FROM archive_spans WHERE organization_id = ? AND last_id > ? ORDER BY last_id, archive LIMIT ?`,
);
const ended = defineStatement(
  'activities_ended',
  `SELECT ${activities.list} FROM activities WHERE organization_id = ? AND id > ? AND id < ? AND status IN (${terminalList})
   ORDER BY id LIMIT ?`,
);

/** Whether a span replaces the mark of an activity. Votes name activities that were not executed immediately, by fingerprint. */
export function isInSpanAlone({ revision }: Pick<ArchivedRow, 'revision'>): boolean {
  return revision === 0;
}

/** Reads of archives, shared by both engines. */
export function createArchiveReaders(read: Read): Omit<Store['archive'], 'move' | 'reclaim'> {
  const first = <T>([row]: readonly Row[], decode: (row: Row) => T) => (row === undefined ? undefined : decode(row));
  return {
    spans: async (organizationId, afterId, limit) =>
      (await read(spans, [organizationId, afterId, limit])).map(archiveSpans.decode),
    get: async (organizationId, activityId) => first(await read(mark, [organizationId, activityId]), archived.decode),
    byFingerprint: async (organizationId, fingerprint) =>
      first(await read(byFingerprint, [organizationId, fingerprint]), archived.decode),
    scan: async (organizationId, afterId, limit) => (await read(scan, [organizationId, afterId, limit])).map(archived.decode),
    file: async (name) => first(await read(file, [name]), archives.decode),
    files: async () => (await read(files, [])).map(archives.decode),
    ended: async (organizationId, afterId, beforeId, limit) =>
      (await read(ended, [organizationId, afterId, beforeId, limit])).map(activities.decode),
  };
}
