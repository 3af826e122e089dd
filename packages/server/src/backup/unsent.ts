import type { Value } from '../store/statement.ts';
import type { CopiedRows } from '../store/store.ts';
import type { TableShape } from '../store/table.ts';

/** Deliveries that were pending when the backup was made. */
export interface Unsent {
  /** Emails, text messages and pushes. They are kept for inspection until they expire. */
  messages: number;
  /** Webhook events. They are dropped. */
  events: number;
  /** Notices about pending approvals. */
  notices: number;
}

const FAULT = 'restored from a backup';

/**
 * Removes pending deliveries from restored rows and counts them: the lost installation may have sent them after the backup.
 * SECURITY: a sign-in code that is sent twice can be used twice, and an event can be processed twice.
 */
export function withoutPending({ table, rows }: CopiedRows, unsent: Unsent, nowMs: number): CopiedRows {
  if (table.name === 'events') {
    unsent.events += rows.length;
    return { table, rows: [] };
  }
  if (table.name === 'event_bodies') return { table, rows: [] };
  if (table.name === 'outbox') {
    return { table, rows: rows.map((row) => (cell(table, row, 'state') === 'waiting' ? park(row) : row)) };
  }
  if (table.name === 'approval_notices') {
    return { table, rows: rows.map((row) => (Number(cell(table, row, 'due_at_ms')) > 0 ? silence(row) : row)) };
  }
  return { table, rows };

  function park(row: readonly Value[]): readonly Value[] {
    unsent.messages++;
    return withCells(table, row, { state: 'parked', due_at_ms: nowMs, fault: FAULT });
  }

  function silence(row: readonly Value[]): readonly Value[] {
    unsent.notices++;
    return withCells(table, row, { due_at_ms: 0 });
  }
}

function cell({ columns }: TableShape, row: readonly Value[], name: string): Value | undefined {
  return row[columns.findIndex((column) => column.name === name)];
}

function withCells({ columns }: TableShape, row: readonly Value[], cells: Readonly<Record<string, Value>>): readonly Value[] {
  return row.map((value, at) => cells[columns[at]?.name ?? ''] ?? value);
}
