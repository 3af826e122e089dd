import type { CountStore, DurationRow } from './count-store.ts';
import type { ActivityCountRow } from './rows.ts';
import { defineStatement, type Read } from './statement.ts';
import { toInteger, toText } from './table.ts';

/**
 * Durations are stored as counts with a type that no activity has and the bucket as the status. Both are amounts per organization and
 * hour, so they share the table, the backup and the upsert.
 */
const DURATION = 'DURATION';

export const durationAsCount = ({ organizationId, hour, bucket, amount }: DurationRow): ActivityCountRow => ({
  organizationId,
  hour,
  type: DURATION,
  status: bucket,
  amount,
});

const counted = defineStatement('counts_counted', "SELECT leaves FROM activity_count_state WHERE name = 'counts'");

/** One statement reads one snapshot: the sums cover exactly the number of leaves in the row with an empty type. */
const sums = defineStatement(
  'counts_sums',
  `SELECT '' AS type, '' AS status, CAST(-1 AS bigint) AS slot, leaves AS amount FROM activity_count_state WHERE name = 'counts'
   UNION ALL SELECT type, status, slot, amount FROM (
     SELECT type, status, slot, CAST(sum(amount) AS bigint) AS amount FROM (
       SELECT type, status, hour / CAST(? AS bigint) AS slot, amount FROM activity_counts
       WHERE organization_id = ? AND hour >= ? AND hour < ? AND type <> '${DURATION}') AS counts
     GROUP BY slot, type, status ORDER BY slot, type, status LIMIT ?) AS summed`,
);

const durations = defineStatement(
  'counts_durations',
  `SELECT bucket, slot, CAST(sum(amount) AS bigint) AS amount FROM (
     SELECT status AS bucket, hour / CAST(? AS bigint) AS slot, amount FROM activity_counts
     WHERE organization_id = ? AND hour >= ? AND hour < ? AND type = '${DURATION}') AS found
   GROUP BY slot, bucket ORDER BY slot, bucket`,
);

/** Reads of counts, shared by both engines. */
export function createCountReaders(read: Read): Omit<CountStore, 'add' | 'addDurations'> {
  return {
    async counted() {
      const [row] = await read(counted, []);
      return row === undefined ? 0 : toInteger(row, 'leaves');
    },
    async sums(organizationId, { fromHour, beforeHour, hours, limit }) {
      const rows = await read(sums, [hours, organizationId, fromHour, beforeHour, limit]);
      const state = rows.find((row) => row.type === '');
      return {
        leaves: state === undefined ? 0 : toInteger(state, 'amount'),
        sums: rows
          .filter((row) => row !== state)
          .map((row) => ({
            hour: toInteger(row, 'slot') * hours,
            type: toText(row, 'type'),
            status: toText(row, 'status'),
            amount: toInteger(row, 'amount'),
          }))
          .sort((a, b) => a.hour - b.hour),
      };
    },
    async durations(organizationId, { fromHour, beforeHour, hours }) {
      const rows = await read(durations, [hours, organizationId, fromHour, beforeHour]);
      return rows.map((row) => ({
        hour: toInteger(row, 'slot') * hours,
        bucket: toText(row, 'bucket'),
        amount: toInteger(row, 'amount'),
      }));
    },
  };
}
