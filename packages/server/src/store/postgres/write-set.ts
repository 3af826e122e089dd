import { toLookupKey } from '../lookup-key.ts';
import type { HeadRow, Write } from '../rows.ts';
import type { Value } from '../statement.ts';
import type { Commit } from '../store.ts';
import type { Execute, Parameter } from './session.ts';
import { toStored } from './text.ts';

type Column = readonly [name: string, type: 'text' | 'bytea' | 'bigint'];
type Put = Exclude<Write, { table: 'organizations' }>;

interface TableSpec {
  readonly keys: readonly Column[];
  readonly columns: readonly Column[];
  /** Rows are only ever added, and keep the order of their commits: each has a new key, so no two nodes wait for one. */
  readonly appended?: true;
}

const organization: Column = ['organization_id', 'text'];
const kind: Column = ['kind', 'text'];
const id: Column = ['id', 'text'];
const mac: Column = ['mac', 'bytea'];
const body: Column = ['body', 'text'];

/** The columns of each table, in the order in which `toValues` gives them. */
const tables: Readonly<Record<Put['table'], TableSpec>> = {
  records: { keys: [organization, kind, id], columns: [mac, body] },
  resources: { keys: [organization, kind, id], columns: [['parent_id', 'text'], mac, body] },
  secrets: { keys: [organization, id], columns: [['ciphertext', 'bytea']] },
  lookups: { keys: [organization, kind, ['value', 'text'], id], columns: [] },
  data_keys: {
    keys: [organization],
    columns: [
      ['root_key_id', 'text'],
      ['wrapped', 'bytea'],
    ],
  },
  outbox: {
    keys: [organization, id],
    columns: [
      ['state', 'text'],
      ['due_at_ms', 'bigint'],
      ['expires_at_ms', 'bigint'],
      ['attempts', 'bigint'],
      ['fault', 'text'],
      ['ciphertext', 'bytea'],
    ],
  },
  events: {
    keys: [organization, id, ['endpoint_id', 'text']],
    columns: [['listener_id', 'text'], ['created_at_ms', 'bigint'], mac, body],
    appended: true,
  },
};
const heads: TableSpec = { keys: [organization], columns: [['parent_id', 'text'], ['version', 'bigint'], mac] };

function toKey(write: Put): readonly string[] {
  const { organizationId } = write.row;
  switch (write.table) {
    case 'records':
    case 'resources':
      return [organizationId, write.row.kind, write.row.id];
    case 'secrets':
    case 'outbox':
      return [organizationId, write.row.id];
    case 'events':
      return [organizationId, write.row.id, write.row.endpointId];
    case 'lookups':
      return [organizationId, write.row.kind, toLookupKey(write.row.value), write.row.id];
    case 'data_keys':
      return [organizationId];
  }
}

function toValues(write: Put): readonly Value[] {
  if (write.op === 'delete') return [];
  switch (write.table) {
    case 'records':
      return [write.row.mac, write.row.body];
    case 'resources':
      return [write.row.parentId, write.row.mac, write.row.body];
    case 'secrets':
      return [write.row.ciphertext];
    case 'lookups':
      return [];
    case 'data_keys':
      return [write.row.rootKeyId, write.row.wrapped];
    case 'outbox': {
      const { state, dueAtMs, expiresAtMs, attempts, fault, ciphertext } = write.row;
      return [state, dueAtMs, expiresAtMs, attempts, fault, ciphertext];
    }
    case 'events': {
      const { listenerId, createdAtMs, mac: eventMac, body: eventBody } = write.row;
      return [listenerId, createdAtMs, eventMac, eventBody];
    }
  }
}

const tableNames = Object.keys(tables) as Put['table'][];
const groupNames = [
  'insert_organizations',
  'update_organizations',
  ...tableNames.flatMap((table) => [`put_${table}`, `delete_${table}`]),
];

/** Rows of one kind of change, as a part of the statement that makes all of them. */
interface Group {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Value[])[];
  sql(source: string): string;
}

const names = (columns: readonly Column[]) => columns.map(([name]) => name).join(', ');
const matches = (table: string, keys: readonly Column[]) => keys.map(([name]) => `${table}.${name} = new.${name}`).join(' AND ');

function putGroup(table: Put['table'], rows: Group['rows']): Group {
  const { keys, columns, appended } = tables[table];
  const all = [...keys, ...columns];
  const update = appended ? '' : columns.map(([name]) => `${name} = excluded.${name}`).join(', ');
  const onConflict = update === '' ? 'DO NOTHING' : `DO UPDATE SET ${update}`;
  const sql = (source: string) =>
    `INSERT INTO ${table} (${names(all)}) SELECT * FROM ${source} ON CONFLICT (${names(keys)}) ${onConflict}`;
  return { name: `put_${table}`, columns: all, rows, sql };
}

function deleteGroup(table: Put['table'], rows: Group['rows']): Group {
  const { keys } = tables[table];
  const sql = (source: string) => `DELETE FROM ${table} USING ${source} WHERE ${matches(table, keys)}`;
  return { name: `delete_${table}`, columns: keys, rows, sql };
}

const toHeadValues = (row: HeadRow): readonly Value[] => [row.organizationId, row.parentId, row.version, row.mac];

function insertHeads(rows: readonly HeadRow[]): Group {
  const columns = [...heads.keys, ...heads.columns];
  const sql = (source: string) => `INSERT INTO organizations (${names(columns)}) SELECT * FROM ${source}`;
  return { name: 'insert_organizations', columns, rows: rows.map(toHeadValues), sql };
}

function updateHeads(rows: readonly HeadRow[]): Group {
  const sql = (source: string) =>
    `UPDATE organizations SET version = new.version, mac = new.mac FROM ${source} WHERE ${matches('organizations', heads.keys)}`;
  return { name: 'update_organizations', columns: [...heads.keys, ...heads.columns], rows: rows.map(toHeadValues), sql };
}

/**
 * The writes of commits that were taken, gathered in order: a later write of the same row replaces an earlier one.
 * Makes them all in one statement, so that their number does not cost round trips.
 */
export class WriteSet {
  readonly #puts = new Map<string, Put>();
  readonly #inserted = new Map<string, HeadRow>();
  readonly #updated = new Map<string, HeadRow>();

  add({ organizationId, head, writes }: Commit): void {
    for (const write of writes) {
      if (write.table === 'organizations') this.#inserted.set(write.row.organizationId, write.row);
      else this.#puts.set(JSON.stringify([write.table, ...toKey(write)]), write);
    }
    if (head === undefined) return;
    const inserted = this.#inserted.get(organizationId);
    if (inserted !== undefined) this.#inserted.set(organizationId, { ...inserted, ...head });
    else this.#updated.set(organizationId, { organizationId, parentId: '', ...head });
  }

  async flush(execute: Execute): Promise<void> {
    const groups = this.#groups();
    if (groups.length === 0) return;
    let count = 0;
    const parts = groups.map(({ name, columns, sql }) => {
      const arrays = columns.map(([, type]) => {
        count += 1;
        return `$${count}::${type}[]`;
      });
      return `${name} AS (${sql(`unnest(${arrays.join(', ')}) AS new (${names(columns)})`)})`;
    });
    // PostgreSQL cuts names at 63 characters: each kind of change is one bit of a number instead.
    const shape = groups.reduce((bits, group) => bits + 2 ** groupNames.indexOf(group.name), 0);
    await execute(`write_${shape}`, `WITH ${parts.join(', ')} SELECT 1`, groups.flatMap(toArrays));
  }

  #groups(): readonly Group[] {
    const inOrder = [...this.#puts.values()];
    // Sorted by key: two nodes that write the same rows then lock them in the same order.
    const sorted = [...this.#puts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write);
    const groups = tableNames.flatMap((table) => {
      const own = (tables[table].appended ? inOrder : sorted).filter((write) => write.table === table);
      const rowsOf = (op: Put['op']) =>
        own.filter((write) => write.op === op).map((write) => [...toKey(write), ...toValues(write)]);
      return [putGroup(table, rowsOf('put')), deleteGroup(table, rowsOf('delete'))];
    });
    return [insertHeads([...this.#inserted.values()]), updateHeads([...this.#updated.values()]), ...groups].filter(
      (group) => group.rows.length > 0,
    );
  }
}

function toArrays({ columns, rows }: Group): readonly Parameter[] {
  return columns.map((_, index) =>
    rows.map((row) => {
      const value = row[index];
      return typeof value === 'string' ? toStored(value) : (value ?? null);
    }),
  );
}
