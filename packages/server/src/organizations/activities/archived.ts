import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import type { ActivityRow, ArchivedRow, ArchiveRow } from '../../store/rows.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';

/** The mark that remains of an activity whose row moves into an archive file. */
export function toMark(integrity: Integrity, row: Omit<ActivityRow, 'requestedAtMs'>, archive: string): ArchivedRow {
  const { organizationId, id: activityId, revision, fingerprint, mac: activityMac } = row;
  const mark = { organizationId, activityId, revision, fingerprint, archive, activityMac };
  return { ...mark, mac: integrity.archived(mark) };
}

/** Whether this installation wrote the mark. */
export function markFits(integrity: Integrity, mark: ArchivedRow): boolean {
  return macsEqual(integrity.archived(mark), mark.mac);
}

const factsShape = z.strictObject({
  version: z.literal(1),
  createdAtMs: z.int().nonnegative(),
  beforeMs: z.int().nonnegative(),
  count: z.int().positive(),
  digest: z.hex().length(64),
});

/** The metadata of an archive file in the database. */
export type ArchiveFacts = Readonly<Omit<z.output<typeof factsShape>, 'version'>>;

const macOf = (integrity: Integrity, name: string, body: string) => integrity.copy('archive', JSON.stringify([name, body]));

/** The row for an archive file. */
export function toArchiveRow(integrity: Integrity, name: string, facts: ArchiveFacts): ArchiveRow {
  const body = JSON.stringify({ version: 1, ...facts } satisfies z.input<typeof factsShape>);
  return { name, body, mac: macOf(integrity, name, body) };
}

/** The metadata in a row. Undefined if this installation did not write it. */
export function readArchiveRow(integrity: Integrity, { name, body, mac }: ArchiveRow): ArchiveFacts | undefined {
  if (!macsEqual(macOf(integrity, name, body), mac)) return undefined;
  const { version: _, ...facts } = factsShape.parse(JSON.parse(body));
  return facts;
}

/** The error for an activity that is in an archive file. The operator can retrieve it. */
export function archivedError(mark: ArchivedRow, facts: ArchiveFacts): ServiceError {
  const day = new Date(facts.createdAtMs).toISOString().slice(0, 10);
  return new ServiceError(
    'ACTIVITY_ARCHIVED',
    `The activity ${mark.activityId} was moved to the archive file ${mark.archive} on ${day}. Ask the operator for it; get_log_proof still proves its outcome.`,
  );
}
