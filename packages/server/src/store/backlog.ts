import type { OutboxState } from './rows.ts';
import { defineStatement, type Read } from './statement.ts';
import { toInteger, toText } from './table.ts';

/** Pending activities of a range of organizations. */
export interface PendingSlice {
  readonly pending: number;
  /** The last organization of the range. Undefined if there are no more organizations. */
  readonly walkedTo: string | undefined;
}

/** How much work is queued in the whole installation, for metrics. Contains no content and grants no rights. */
export interface BacklogStore {
  /**
   * Counts the pending activities of the next `limit` organizations in id order. The cost does not depend on other activities, nor on
   * organizations outside of the range.
   */
  pending(afterOrganizationId: string, limit: number): Promise<PendingSlice>;
  /** Messages in the outbox by state, each counted up to `most`. */
  outbox(most: number): Promise<Readonly<Record<OutboxState, number>>>;
}

const pending = defineStatement(
  'backlog_pending',
  `SELECT coalesce(max(organization_id), '') AS walked_to, CAST(coalesce(sum(pending), 0) AS bigint) AS pending FROM (
     SELECT organization_id, (SELECT count(*) FROM activities WHERE activities.organization_id = page.organization_id
       AND activities.status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED') AS pending
     FROM (SELECT organization_id FROM organizations WHERE organization_id > ? ORDER BY organization_id LIMIT ?) AS page) AS counted`,
);
const inState = (state: OutboxState) =>
  `(SELECT count(*) FROM (SELECT 1 FROM outbox WHERE state = '${state}' LIMIT ?) AS ${state}_messages) AS ${state}`;
const outbox = defineStatement('backlog_outbox', `SELECT ${inState('waiting')}, ${inState('parked')}, ${inState('kept')}`);

/** Shared by both engines. */
export function createBacklog(read: Read): BacklogStore {
  return {
    async pending(afterOrganizationId, limit) {
      const [row = {}] = await read(pending, [afterOrganizationId, limit]);
      const walkedTo = toText(row, 'walked_to');
      return { pending: toInteger(row, 'pending'), walkedTo: walkedTo === '' ? undefined : walkedTo };
    },
    async outbox(most) {
      const [row = {}] = await read(outbox, [most, most, most]);
      return { waiting: toInteger(row, 'waiting'), parked: toInteger(row, 'parked'), kept: toInteger(row, 'kept') };
    },
  };
}
