import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createDatabase } from '../../../../test/support/postgres-database.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { copiedTables } from '../../src/store/copied-tables.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import type { HeadRow, OutboxRow } from '../../src/store/rows.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { bytes, coveredInteger, defineTable, integer, oneOf, putInto, type TableShape, text } from '../../src/store/table.ts';
import * as defined from '../../src/store/tables.ts';

/** The tables of the module, whatever it exports besides. */
const tables = Object.values(defined).filter((value): value is TableShape & typeof value => typeof value === 'object');

interface Stored {
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

const inOrder = (names: readonly string[]) => names.toSorted();

/** `seq` of events is the database's own. The queue of the log names it, because its rows have no other key. */
const expected = ({ columns, key, name }: TableShape): Stored => ({
  columns: inOrder([...columns.map((column) => `${column.name} ${column.type}`), ...(name === 'events' ? ['seq integer'] : [])]),
  key: key.map((column) => column.name),
});

describe('the description of every table is that of the schema', () => {
  test('there are tables to compare', () => {
    expect(tables.map(({ name }) => name).toSorted()).toEqual([
      'activities',
      'activity_count_state',
      'activity_counts',
      'activity_term_state',
      'activity_terms',
      'approval_notices',
      'archive_spans',
      'archived',
      'archives',
      'data_keys',
      'event_bodies',
      'event_drops',
      'event_receivers',
      'event_windows',
      'events',
      'log_heads',
      'log_leaves',
      'log_map',
      'log_queue',
      'log_state',
      'log_tiles',
      'lookups',
      'mail_events',
      'organizations',
      'outbox',
      'records',
      'resources',
      'secrets',
      'send_accounts',
      'sends',
      'session_uses',
      'settings',
      'tombstones',
      'usage_points',
    ]);
  });

  test('in SQLite', async () => {
    const directory = makeDataDirectory('tables');
    const file = join(directory, 'countersign.db');
    await (await openSqlite({ file })).close();
    const db = openSqliteFile(file, { readOnly: true });
    const types = new Map([
      ['TEXT', 'text'],
      ['INTEGER', 'integer'],
      ['BLOB', 'bytes'],
    ]);
    for (const table of tables) {
      const columns = db.prepare(`PRAGMA table_info(${table.name})`).all() as { name: string; type: string; pk: number }[];
      // Whatever rows conflict on must be unique, and in this order.
      const indexes = db.prepare(`PRAGMA index_list(${table.name})`).all() as { name: string; unique: number }[];
      const keys = indexes
        .filter(({ unique }) => unique === 1)
        .map(({ name }) => (db.prepare(`PRAGMA index_info(${name})`).all() as { name: string }[]).map((column) => column.name));
      expect(inOrder(columns.map(({ name, type }) => `${name} ${types.get(type)}`))).toEqual(expected(table).columns);
      // A primary key of one integer has no index of its own.
      keys.push(columns.filter(({ pk }) => pk > 0).map(({ name }) => name));
      expect(keys).toContainEqual(expected(table).key);
    }
    db.close();
    await rm(directory, { recursive: true });
  });

  test('in PostgreSQL', async () => {
    const database = await createDatabase();
    await (await openPostgres({ url: database.url })).close();
    const types = new Map([
      ['text', 'text'],
      ['bigint', 'integer'],
      ['bytea', 'bytes'],
    ]);
    for (const table of tables) {
      const columns = await database.query(
        'SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = $1',
        [table.name],
      );
      const key = await database.query(
        `SELECT a.attname AS name FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (number, position)
         JOIN pg_attribute a ON a.attnum = k.number WHERE a.attrelid = i.indrelid AND i.indrelid = $1::regclass AND i.indisprimary
         ORDER BY k.position`,
        [table.name],
      );
      expect(inOrder(columns.rows.map(({ name, type }) => `${name} ${types.get(type)}`))).toEqual(expected(table).columns);
      expect(key.rows.map(({ name }) => name)).toEqual(expected(table).key);
    }
    await database.drop();
  });
});

describe('a table', () => {
  type Key = Pick<HeadRow, 'organizationId'>;
  const heads = defineTable<HeadRow, Key>('heads', {
    key: { organizationId: text },
    columns: { parentId: text, version: integer, mac: bytes },
  });

  test('turns a row into values in the order of its columns, and back', () => {
    const row: HeadRow = { mac: new Uint8Array([1]), version: 2, parentId: 'p', organizationId: 'o' };
    expect(heads.list).toBe('organization_id, parent_id, version, mac');
    expect(heads.encode(row)).toEqual(['o', 'p', 2, new Uint8Array([1])]);
    expect(heads.encodeKey(row)).toEqual(['o']);
    const stored = { organization_id: 'o', parent_id: 'p', version: 2, mac: new Uint8Array([1]), more: 'not asked for' };
    expect(heads.decode(stored)).toStrictEqual(row);
    expect(heads.select('version', 'parentId')).toMatchObject({ list: 'parent_id, version' });
    expect(heads.select('version', 'parentId').decode(stored)).toStrictEqual({ version: 2, parentId: 'p' });
  });

  test.each([
    ['a number where text belongs', { parent_id: 1 }, 'column parent_id holds no text'],
    ['text where a number belongs', { version: '2' }, 'column version holds no safe integer'],
    ['a number that is not exact', { version: 2 ** 53 }, 'column version holds no safe integer'],
    ['text where bytes belong', { mac: 'x' }, 'column mac holds no bytes'],
  ])('does not take %s', (_case, fields, message) => {
    const stored = { organization_id: 'o', parent_id: 'p', version: 2, mac: new Uint8Array([1]), ...fields };
    expect(() => heads.decode(stored)).toThrow(message);
  });

  test('D523: takes an integer beyond the safe range only where the caller verifies the row', () => {
    expect(coveredInteger.decode({ version: 2 ** 53 }, 'version')).toBe(2 ** 53);
    for (const version of ['2', 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => coveredInteger.decode({ version }, 'version')).toThrow('column version holds no integer');
  });

  test('does not take a column that was not selected, or a word that it does not know', () => {
    expect(() => heads.decode({ organization_id: 'o' })).toThrow('column parent_id holds no text');
    expect(() => oneOf('waiting', 'kept').decode({ state: 'lost' }, 'state')).toThrow('column state holds none of waiting, kept');
  });

  test('puts rows in place of those with their key, unless rows are only added', () => {
    expect(putInto(heads, 'VALUES (?)')).toBe(
      'INSERT INTO heads (organization_id, parent_id, version, mac) VALUES (?) ON CONFLICT (organization_id) ' +
        'DO UPDATE SET parent_id = excluded.parent_id, version = excluded.version, mac = excluded.mac',
    );
    expect(putInto({ ...heads, appended: true }, 'VALUES (?)')).toContain('ON CONFLICT (organization_id) DO NOTHING');
  });

  test('does not compile with a field that is missing, of another type, or unknown', () => {
    // @ts-expect-error: `mac` is missing
    defineTable<HeadRow, Key>('heads', { key: { organizationId: text }, columns: { parentId: text, version: integer } });
    // @ts-expect-error: a part of the key is missing
    defineTable<HeadRow, Key>('heads', { key: {}, columns: { parentId: text, version: integer, mac: bytes } });
    defineTable<HeadRow, Key>('heads', {
      key: { organizationId: text },
      // @ts-expect-error: `version` is a number
      columns: { parentId: text, version: text, mac: bytes },
    });
    defineTable<HeadRow, Key>('heads', {
      key: { organizationId: text },
      // @ts-expect-error: there is no field `extra`
      columns: { parentId: text, version: integer, mac: bytes, extra: text },
    });
    defineTable<Pick<OutboxRow, 'id' | 'state'>, Pick<OutboxRow, 'id'>>('outbox', {
      key: { id: text },
      // @ts-expect-error: any text is not a state
      columns: { state: text },
    });
    // @ts-expect-error: rows of this table have no such field
    expect(heads.select('kind').list).toBe('');
  });
});

describe('a copy', () => {
  test('has every table and every column of the schema, except who delivers at this moment and with which numbers', async () => {
    const directory = makeDataDirectory('tables');
    const file = join(directory, 'countersign.db');
    await (await openSqlite({ file })).close();
    const db = openSqliteFile(file, { readOnly: true });
    const inSchema = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
    const left = inSchema.map(({ name }) => name).filter((name) => !copiedTables.some((table) => table.name === name));
    expect(left).toEqual(['schema_migrations', 'event_leases', 'event_windows']);
    for (const { name, columns } of copiedTables) {
      const stored = (db.prepare(`PRAGMA table_info(${name})`).all() as { name: string }[]).map((column) => column.name);
      expect(inOrder(columns.map((column) => column.name))).toEqual(inOrder(stored));
    }
    db.close();
    await rm(directory, { recursive: true });
  });
});
