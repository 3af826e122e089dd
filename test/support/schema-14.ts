import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { migrations } from '../../packages/server/src/store/migrations/migrations.ts';
import { openPostgres } from '../../packages/server/src/store/postgres/open.ts';
import { connect } from '../../packages/server/src/store/sqlite/connection.ts';
import { migrate } from '../../packages/server/src/store/sqlite/migrate.ts';
import type { Installation } from './installation.ts';
import type { Cell } from './raw-database.ts';

/**
 * An installation of the release with schema 14, whose log names no heads. It has a sub-organization, a spending limit with a count, an
 * archived activity and a queued log entry, all of January 2025. Made with that release; the rows are those of a backup.
 */
interface OldInstallation {
  readonly schema: number;
  /** The columns of every table, by its name. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Table and values. Bytes are Base64. */
  readonly rows: readonly (readonly [string, ...(string | number)[]])[];
  /** Files of the data directory, in Base64. */
  readonly files: Readonly<Record<string, string>>;
  /** Acknowledged requests. */
  readonly requests: readonly { readonly path: string; readonly body: string; readonly activityId: string }[];
  /** A signature that its first wallet made. */
  readonly signature: { readonly params: object; readonly result: unknown };
}

/** Columns with bytes, of all tables. */
const BYTES = new Set([
  'mac',
  'node',
  'root',
  'frontier',
  'hashes',
  'leaf_hash',
  'commitment',
  'activity_mac',
  'previous',
  'wrapped',
  'ciphertext',
]);

/** Puts an installation of schema 14 into an empty place. */
export async function putSchema14(place: Installation): Promise<Pick<OldInstallation, 'requests' | 'signature'>> {
  const text = gunzipSync(readFileSync(new URL('schema-14.json.gz', import.meta.url))).toString();
  const { schema, tables, rows, files, requests, signature } = JSON.parse(text) as OldInstallation;
  const steps = migrations.filter(({ id }) => id <= schema);
  const { databaseUrl: url } = place.config;
  if (url === undefined) await createSqlite(join(place.directory, 'countersign.db'), steps);
  else await (await openPostgres({ url, migrations: steps })).close();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(place.directory, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  const raw = await place.raw();
  const keepNumbers = url === undefined ? '' : ' OVERRIDING SYSTEM VALUE';
  for (const [table, ...values] of rows) {
    const columns = tables[table] ?? [];
    const cells = values.map((value, at): Cell => (BYTES.has(columns[at] ?? '') ? Buffer.from(String(value), 'base64') : value));
    const marks = columns.map(() => '?').join(', ');
    await raw.run(`INSERT INTO ${table} (${columns.join(', ')})${keepNumbers} VALUES (${marks})`, ...cells);
  }
  if (url !== undefined) await raw.all("SELECT setval(pg_get_serial_sequence('log_queue', 'seq'), 1000)");
  return { requests, signature };
}

/** The store of this release prepares statements that an earlier schema does not allow. */
async function createSqlite(file: string, steps: typeof migrations): Promise<void> {
  const db = await connect(file, { waitMs: 10_000, acceptLostWal: false, check: () => undefined });
  try {
    await migrate(db, steps, 10_000);
  } finally {
    db.close();
  }
}
