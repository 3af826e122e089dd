import { unpackBody } from '../../packages/server/src/store/packed-body.ts';
import { unpackOpening } from '../../packages/server/src/store/packed-opening.ts';
import type { StoredRow } from './raw-database.ts';

/** The body of a row of `activities`, read with all its columns. Databases of earlier releases have no packed ones. */
export function bodyOf({ body, packed }: StoredRow): string {
  const bytes = packed as Uint8Array | undefined;
  return bytes === undefined || bytes.length === 0 ? String(body) : unpackBody(bytes);
}

/** The opening of a row of `log_leaves`, read with all its columns. */
export function openingOf(row: StoredRow): string {
  const packed = row.packed as Uint8Array;
  if (packed.length === 0) return String(row.opening);
  const [organizationId, activityId] = [String(row.organization_id), String(row.activity_id)];
  return unpackOpening({ organizationId, activityId, revision: Number(row.revision), sequence: Number(row.sequence) }, packed);
}
