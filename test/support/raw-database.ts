import { existsSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { unpackBody } from '../../packages/server/src/store/packed-body.ts';
import { openSqliteFile } from './sqlite-file.ts';

/** A column's value, as both drivers accept and return it. */
export type Cell = string | number | Uint8Array;

/** A stored row, by column. */
export type StoredRow = Readonly<Record<string, Cell>>;

export const tables = [
  'organizations',
  'records',
  'resources',
  'secrets',
  'lookups',
  'data_keys',
  'activities',
  'outbox',
  'events',
  'event_bodies',
  'counters',
  'sends',
  'send_accounts',
  'mail_events',
] as const;

export type Table = (typeof tables)[number];

/** These grow in the background, so they are searched but not counted. */
const backgroundTables = [
  'session_uses',
  'settings',
  'log_queue',
  'log_refused',
  'log_leaves',
  'log_tiles',
  'log_heads',
  'log_map',
  'log_state',
];

/** Direct SQL access, as an attacker has it with the database's password but no key. Parameters are written `?`. */
export interface RawDatabase {
  all(sql: string, ...params: Cell[]): Promise<StoredRow[]>;
  /** Returns the number of changed rows. */
  run(sql: string, ...params: Cell[]): Promise<number>;
  /** Removes the triggers that keep ended activities unchanged, as an intruder would do first. */
  dropGuards(): Promise<void>;
  /** Everything stored, as bytes to search: files on disk, or every column of every row. */
  dump(): Promise<Buffer>;
  close(): Promise<void>;
}

export function openRawSqlite(file: string): RawDatabase {
  const db = openSqliteFile(file);
  return {
    all: async (sql, ...params) =>
      db
        .prepare(sql)
        .all(...params)
        .map(toStoredRow),
    run: async (sql, ...params) => db.prepare(sql).run(...params).changes,
    async dropGuards() {
      const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    },
    async dump() {
      const files = [file, `${file}-wal`, `${file}.lock`].filter((path) => existsSync(path)).map((path) => readFileSync(path));
      // Packed bodies would hide a text that must not be stored.
      const hasPacked = db.prepare("SELECT 1 FROM pragma_table_info('activities') WHERE name = 'packed'").get() !== undefined;
      const packed = hasPacked ? db.prepare('SELECT packed FROM activities').all() : [];
      return Buffer.concat([...files, ...packed.map((row) => Buffer.from(unpackBody((row as StoredRow).packed as Uint8Array)))]);
    },
    async close() {
      db.close();
    },
  };
}

/** Bytes become a Buffer, as PostgreSQL's driver returns them. */
function toStoredRow(row: StoredRow): StoredRow {
  const cells = Object.entries(row).map(([name, cell]) => [name, cell instanceof Uint8Array ? Buffer.from(cell) : cell]);
  return Object.fromEntries(cells) as StoredRow;
}

export async function openRawPostgres(url: string): Promise<RawDatabase> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = (sql: string, params: Cell[]) => {
    let count = 0;
    return client.query(
      sql.replace(/\?/g, () => `$${++count}`),
      params.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
    );
  };
  return {
    all: async (sql, ...params) => (await query(sql, params)).rows as StoredRow[],
    run: async (sql, ...params) => (await query(sql, params)).rowCount ?? 0,
    async dropGuards() {
      await query('ALTER TABLE activities DISABLE TRIGGER USER', []);
    },
    async dump() {
      const parts: Buffer[] = [];
      for (const table of [...tables, ...backgroundTables]) {
        const { rows } = await query(`SELECT * FROM ${table}`, []);
        for (const cell of rows.flatMap((row) => Object.values(row)))
          parts.push(cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.from(String(cell)), Buffer.from('\n'));
        // Packed bodies would hide a text that must not be stored.
        if (table === 'activities') parts.push(...rows.map(({ packed }) => Buffer.from(unpackBody(packed ?? new Uint8Array()))));
      }
      return Buffer.concat(parts);
    },
    close: () => client.end(),
  };
}

/** The number of rows in each table. A denied request must not change it. */
export async function countRows(database: RawDatabase): Promise<Readonly<Record<Table, number>>> {
  const union = tables.map((table) => `SELECT '${table}' AS name, count(*) AS rows FROM ${table}`).join(' UNION ALL ');
  const rows = await database.all(union);
  return Object.fromEntries(rows.map((row) => [row.name, Number(row.rows)])) as Record<Table, number>;
}
