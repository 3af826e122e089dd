import { defineStatement, type Read } from './statement.ts';
import { toInteger } from './table.ts';

/** An organization has activities with this term in this minute, counted from 1970. */
export interface ActivityTermRow {
  readonly organizationId: string;
  readonly term: string;
  readonly minute: number;
}

/**
 * Index for searching activities. Not authenticated: it only selects the minutes in which a search reads activities, and these are
 * verified. It grants no rights. Whoever changes it can hide activities from searches, but not from lists and the log.
 */
export interface TermStore {
  /** Number of log leaves indexed so far. */
  indexed(): Promise<number>;
  /**
   * Adds the terms of the leaves from `from` up to, but not including, `to`, in one durable transaction. Returns false and changes
   * nothing if the number of indexed leaves is no longer `from`. Rows that exist are skipped.
   */
  add(from: number, to: number, rows: readonly ActivityTermRow[]): Promise<boolean>;
  /** Minutes with a term, from `newest` down to `oldest`, at most `limit`. */
  minutes(organizationId: string, term: string, newest: number, oldest: number, limit: number): Promise<readonly number[]>;
}

const indexed = defineStatement('terms_indexed', "SELECT leaves FROM activity_term_state WHERE name = 'terms'");
const minutes = defineStatement(
  'terms_minutes',
  `SELECT minute FROM activity_terms WHERE organization_id = ? AND term = ? AND minute <= ? AND minute >= ?
   ORDER BY minute DESC LIMIT ?`,
);

/** Reads of the index, shared by both engines. */
export function createTermReaders(read: Read): Omit<TermStore, 'add'> {
  return {
    async indexed() {
      const [row] = await read(indexed, []);
      return row === undefined ? 0 : toInteger(row, 'leaves');
    },
    async minutes(organizationId, term, newest, oldest, limit) {
      const rows = await read(minutes, [organizationId, term, newest, oldest, limit]);
      return rows.map((row) => toInteger(row, 'minute'));
    },
  };
}
