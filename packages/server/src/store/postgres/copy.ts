import type pg from 'pg';
import { copiedTables, numberedTables } from '../copied-tables.ts';
import { COPIED_AT_ONCE } from '../copy.ts';
import type { Read, Row, Value } from '../statement.ts';
import { withNumberedParameters } from '../statement.ts';
import type { CopiedRows, Maintenance, Store } from '../store.ts';
import { nameList, type TableShape } from '../table.ts';
import { prepareSession } from './connection.ts';
import { toRunError } from './errors.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

/** Settings of a dedicated connection, which may be idle within a transaction while a file is written or checked. */
export function copyConfig(config: pg.ClientConfig): pg.ClientConfig {
  return {
    ...config,
    application_name: 'countersign copy',
    statement_timeout: 0,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  };
}

async function begin(client: pg.Client, sql: string): Promise<void> {
  await client.connect();
  await prepareSession(client);
  await client.query(sql);
}

/** Closes the connection, which rolls back an open transaction. The connection may never have been open. */
const end = (client: pg.Client) => client.end().catch(() => undefined);

/** Reads everything in one transaction from one snapshot, and locks nothing. */
export async function* readAll(newClient: () => pg.Client): AsyncGenerator<CopiedRows> {
  const client = newClient();
  try {
    await begin(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    for (const table of copiedTables) yield* readTable(client, table);
    await client.query('COMMIT');
  } catch (error) {
    throw toRunError(error, false);
  } finally {
    await end(client);
  }
}

async function* readTable(client: pg.Client, table: TableShape): AsyncGenerator<CopiedRows> {
  await client.query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${nameList(table.columns)} FROM ${table.name}`);
  for (;;) {
    const { rows } = await client.query<Value[]>({ text: `FETCH ${COPIED_AT_ONCE} FROM copied`, rowMode: 'array' });
    if (rows.length > 0) yield { table, rows };
    if (rows.length < COPIED_AT_ONCE) break;
  }
  await client.query('CLOSE copied');
}

/** See `Store.maintain`. `storeOn` creates a store that reads through one connection. */
export async function maintain<T>(
  newClient: () => pg.Client,
  storeOn: (read: Read) => Store,
  work: (maintenance: Maintenance) => Promise<T>,
): Promise<T> {
  const client = newClient();
  try {
    let last: Promise<unknown> = Promise.resolve();
    /** Runs statements sequentially: a connection runs one at a time. */
    const read: Read = ({ sql }, params) => {
      const values = params.map((value) => (typeof value === 'string' ? toStored(value) : value));
      const result = last.then(async () => (await client.query<Row>(withNumberedParameters(sql), values)).rows);
      last = result.catch(() => undefined);
      return result;
    };
    await begin(client, 'BEGIN');
    // INVARIANT: commits of other servers read the epoch in this table. They wait for this lock, and then see a new epoch.
    await client.query('LOCK TABLE settings IN ACCESS EXCLUSIVE MODE');
    const result = await work({
      store: storeOn(read),
      put: ({ table, rows }) => put(client, table, rows),
      async renumber() {
        for (const [table, counted] of Object.entries(numberedTables)) {
          const highest = counted.map((name) => `(SELECT coalesce(max(seq), 0) FROM ${name})`).join(', ');
          await client.query(`SELECT setval(pg_get_serial_sequence('${table}', 'seq'), greatest(${highest}) + 1, false)`);
        }
      },
      async putSetting(name, body) {
        await client.query('DELETE FROM settings WHERE name = $1', [toStored(name)]);
        if (body === undefined) return;
        await client.query('INSERT INTO settings (name, body) VALUES ($1, $2)', [toStored(name), toStored(body)]);
      },
    });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    throw toRunError(error, false);
  } finally {
    await end(client);
  }
}

async function put(client: pg.Client, table: TableShape, rows: CopiedRows['rows']): Promise<void> {
  const columns = nameList(table.columns);
  // The database assigns numbers in some tables. Copied rows keep their numbers.
  const sql = `INSERT INTO ${table.name} (${columns}) OVERRIDING SYSTEM VALUE SELECT * FROM ${unnest(table.columns)} AS new (${columns})`;
  await client.query(sql, toArrays(table.columns, rows) as unknown[]);
}
