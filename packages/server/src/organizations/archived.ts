import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import type { ActivityRow, ArchivedRow, ArchiveRow } from '../store/rows.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** The mark that stays of an activity whose row is moved into an archive file. */
export function toMark(integrity: Integrity, row: Omit<ActivityRow, 'requestedAtMs'>, archive: string): ArchivedRow {
  const { organizationId, id: activityId, revision, fingerprint, mac: activityMac } = row;
  const mark = { organizationId, activityId, revision, fingerprint, archive, activityMac };
  return { ...mark, mac: integrity.archived(mark) };
}

/** Whether this installation made the mark. */
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

/** What the database says of an archive file. */
export type ArchiveFacts = Readonly<Omit<z.output<typeof factsShape>, 'version'>>;

const macOf = (integrity: Integrity, name: string, body: string) => integrity.copy('archive', JSON.stringify([name, body]));

/** The record of an archive file. */
export function toArchiveRow(integrity: Integrity, name: string, facts: ArchiveFacts): ArchiveRow {
  const body = JSON.stringify({ version: 1, ...facts } satisfies z.input<typeof factsShape>);
  return { name, body, mac: macOf(integrity, name, body) };
}

/** What a record says. Undefined if this installation did not write it. */
export function readArchiveRow(integrity: Integrity, { name, body, mac }: ArchiveRow): ArchiveFacts | undefined {
  if (!macsEqual(macOf(integrity, name, body), mac)) return undefined;
  const { version: _, ...facts } = factsShape.parse(JSON.parse(body));
  return facts;
}

/** The answer for an activity that is in an archive file. It was found, and the operator can bring it. */
export function archivedError(mark: ArchivedRow, facts: ArchiveFacts): ServiceError {
  const day = new Date(facts.createdAtMs).toISOString().slice(0, 10);
  return new ServiceError(
    'ACTIVITY_ARCHIVED',
    `The activity ${mark.activityId} was moved into the archive file ${mark.archive} on ${day}. Ask the operator for it; get_log_proof still proves what became of it.`,
  );
}
