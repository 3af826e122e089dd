import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import type { ActivityRow, ArchivedRow, ArchiveRow, ArchiveSpanRow, LogLeafRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
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

/** The span of moved activities of one organization. `leaves` are all of theirs. */
export function toSpan(
  integrity: Integrity,
  { name: archive, beforeMs }: { readonly name: string; readonly beforeMs: number },
  ids: readonly string[],
  leaves: readonly Pick<LogLeafRow, 'organizationId' | 'sequence' | 'leafIndex'>[],
): ArchiveSpanRow {
  const [sequences, indexes] = [leaves.map(({ sequence }) => sequence), leaves.map(({ leafIndex }) => leafIndex)];
  const inOrder = [...ids].sort();
  const span = {
    organizationId: leaves[0]?.organizationId as string,
    lastId: inOrder.at(-1) as string,
    archive,
    firstId: inOrder[0] as string,
    beforeMs,
    firstSequence: Math.min(...sequences),
    lastSequence: Math.max(...sequences),
    firstLeaf: Math.min(...indexes),
    lastLeaf: Math.max(...indexes),
    activities: ids.length,
    leaves: leaves.length,
  };
  return { ...span, mac: spanMac(integrity, span) };
}

function spanMac(integrity: Integrity, span: Omit<ArchiveSpanRow, 'mac'>): Uint8Array {
  const {
    organizationId,
    lastId,
    archive,
    firstId,
    beforeMs,
    firstSequence,
    lastSequence,
    firstLeaf,
    lastLeaf,
    activities,
    leaves,
  } = span;
  const numbers = [beforeMs, firstSequence, lastSequence, firstLeaf, lastLeaf, activities, leaves];
  return integrity.copy('archive-span', JSON.stringify([organizationId, firstId, lastId, archive, ...numbers]));
}

/** Whether this installation wrote the span. */
export function spanFits(integrity: Integrity, span: ArchiveSpanRow): boolean {
  return macsEqual(spanMac(integrity, span), span.mac);
}

/** The span that an archived activity lies in. SECURITY: spans that this installation did not write are ignored. */
export async function spanAround(
  log: Pick<Store['log'], 'spansAround'>,
  integrity: Integrity,
  organizationId: string,
  activityId: string,
): Promise<ArchiveSpanRow | undefined> {
  return (await log.spansAround(organizationId, activityId)).find((span) => spanFits(integrity, span));
}

const factsShape = z.strictObject({
  version: z.literal(1),
  createdAtMs: z.int().nonnegative(),
  beforeMs: z.int().nonnegative(),
  count: z.int().positive(),
  digest: z.hex().length(64),
  /** The directory that it was written to. */
  directory: z.string().optional(),
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
export function archivedError(activityId: string, archive: string, facts: ArchiveFacts): ServiceError {
  const day = new Date(facts.createdAtMs).toISOString().slice(0, 10);
  return new ServiceError(
    'ACTIVITY_ARCHIVED',
    `The activity ${activityId} was moved to the archive file ${archive} on ${day}. Ask the operator for it; get_log_proof still proves its outcome.`,
  );
}
