import type { ActivityRow, ArchivedRow } from '../store/rows.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** The mark that stays of an activity whose row is moved into an archive file. */
export function toMark(integrity: Integrity, row: ActivityRow, archive: string): ArchivedRow {
  const { organizationId, id: activityId, revision, fingerprint, mac: activityMac } = row;
  const mark = { organizationId, activityId, revision, fingerprint, archive, activityMac };
  return { ...mark, mac: integrity.archived(mark) };
}

/** Whether this installation made the mark. */
export function markFits(integrity: Integrity, mark: ArchivedRow): boolean {
  return macsEqual(integrity.archived(mark), mark.mac);
}
