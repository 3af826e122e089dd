import { sweptTombstones } from '../commit-rules.ts';
import type { Delete, HeadRow, LogEntryRow, Put, UsagePointRow } from '../rows.ts';
import type { Value } from '../statement.ts';
import type { Commit } from '../store.ts';
import { type NamedColumn, nameList, putInto, type TableShape } from '../table.ts';
import { forEachWritten, logQueue, organizations, toKey, toValues, usagePoints } from '../tables.ts';
import type { Execute } from './session.ts';
import { toArrays, unnest } from './unnest.ts';

/** One kind of change, applied to all rows of a source named `new`. */
interface Change {
  readonly name: string;
  readonly columns: readonly NamedColumn[];
  sql(source: string): string;
}

const insertHeads: Change = {
  name: 'insert_organizations',
  columns: organizations.columns,
  sql: (source) => `INSERT INTO organizations (${organizations.list}) SELECT * FROM ${source}`,
};
const updateHeads: Change = {
  name: 'update_organizations',
  columns: organizations.columns,
  sql: (source) =>
    `UPDATE organizations SET version = new.version, mac = new.mac FROM ${source} WHERE ${keyMatches(organizations)}`,
};
const puts = forEachWritten(
  (table): Change => ({
    name: `put_${table.name}`,
    columns: table.columns,
    sql: (source) => putInto(table, `SELECT * FROM ${source}`),
  }),
);
const deletes = forEachWritten(
  (table): Change => ({
    name: `delete_${table.name}`,
    columns: table.key,
    sql: (source) => `DELETE FROM ${table.name} USING ${source} WHERE ${keyMatches(table)}`,
  }),
);
const queueColumns = logQueue.columns.slice(logQueue.key.length);
const queueLogEntries: Change = {
  name: 'queue_log_entries',
  columns: [...queueColumns, { name: 'position', type: 'integer' }],
  // INVARIANT: entries of one organization are numbered in commit order. The sequencer rejects a head that does not follow the last one.
  sql: (source) =>
    `INSERT INTO log_queue (${nameList(queueColumns)}) SELECT ${nameList(queueColumns)} FROM ${source} ORDER BY new.position`,
};
const sweepTombstones: Change = {
  name: 'sweep_tombstones',
  columns: [
    { name: 'organization_id', type: 'text' },
    { name: 'version', type: 'integer' },
  ],
  sql: (source) =>
    `DELETE FROM tombstones USING ${source} WHERE tombstones.organization_id = new.organization_id AND tombstones.version < new.version`,
};
const addPoints: Change = {
  name: 'add_usage_points',
  columns: usagePoints.columns,
  sql: (source) => `INSERT INTO usage_points (${usagePoints.list}) SELECT * FROM ${source}`,
};
const changes = [
  insertHeads,
  updateHeads,
  ...Object.values(puts),
  ...Object.values(deletes),
  queueLogEntries,
  addPoints,
  sweepTombstones,
];
const appended = forEachWritten((table) => table.appended);

function keyMatches({ name, key }: TableShape): string {
  return key.map((column) => `${name}.${column.name} = new.${column.name}`).join(' AND ');
}

/**
 * Collects the writes of accepted commits in order: a later write of the same row replaces an earlier one.
 * One statement executes all of them, so more writes need no more round trips.
 */
export class WriteSet {
  readonly #writes = new Map<string, Put | Delete>();
  readonly #inserted = new Map<string, HeadRow>();
  readonly #updated = new Map<string, HeadRow>();
  readonly #logEntries: LogEntryRow[] = [];
  readonly #points: UsagePointRow[] = [];

  add({
    organizationId,
    head,
    logEntry,
    writes,
    usage = [],
  }: Pick<Commit, 'organizationId' | 'head' | 'logEntry' | 'writes' | 'usage'>): void {
    for (const { next } of usage) if (next !== undefined) this.#points.push(next);
    if (logEntry !== undefined) this.#logEntries.push(logEntry);
    for (const write of writes) {
      if (write.op === 'insert') this.#inserted.set(write.row.organizationId, write.row);
      else this.#writes.set(JSON.stringify([write.table, ...toKey(write)]), write);
    }
    if (head === undefined) return;
    const inserted = this.#inserted.get(organizationId);
    if (inserted !== undefined) this.#inserted.set(organizationId, { ...inserted, ...head });
    else this.#updated.set(organizationId, { organizationId, parentId: '', ...head });
  }

  async flush(execute: Execute): Promise<void> {
    const rows = this.#rows();
    if (rows.size === 0) return;
    const made = changes.filter((change) => rows.has(change));
    let first = 1;
    const parts = made.map(({ name, columns, sql }) => {
      const source = `${unnest(columns, first)} AS new (${nameList(columns)})`;
      first += columns.length;
      return `${name} AS (${sql(source)})`;
    });
    // PostgreSQL truncates names to 63 bytes, so the name encodes each kind of change as one bit.
    const shape = made.reduce((bits, change) => bits + 2 ** changes.indexOf(change), 0);
    const params = made.flatMap((change) => toArrays(change.columns, rows.get(change) ?? []));
    await execute(`write_${shape}`, `WITH ${parts.join(', ')} SELECT 1`, params);
  }

  /** The rows of each kind of change. */
  #rows(): ReadonlyMap<Change, readonly (readonly Value[])[]> {
    const rows = new Map<Change, Value[][]>();
    const add = (change: Change, values: Value[]) => {
      const known = rows.get(change);
      if (known === undefined) rows.set(change, [values]);
      else known.push(values);
    };
    for (const head of this.#inserted.values()) add(insertHeads, organizations.encode(head));
    for (const [position, { organizationId, activityId, revision, format, body, mac }] of this.#logEntries.entries())
      add(queueLogEntries, [organizationId, activityId, revision, format, body, mac, position]);
    for (const point of this.#points) add(addPoints, usagePoints.encode(point));
    for (const head of this.#updated.values()) {
      add(updateHeads, organizations.encode(head));
      const swept = sweptTombstones(head);
      if (swept !== undefined) add(sweepTombstones, [head.organizationId, swept]);
    }
    const inOrder = [...this.#writes.values()].filter(({ table }) => appended[table]);
    // Sorted by key, so two nodes that write the same rows lock them in the same order.
    const sorted = [...this.#writes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write);
    for (const write of [...sorted.filter(({ table }) => !appended[table]), ...inOrder]) {
      if (write.op === 'put') add(puts[write.table], toValues(write));
      else add(deletes[write.table], toKey(write));
    }
    return rows;
  }
}
