import pg from 'pg';
import { inject } from 'vitest';
import { openPostgres } from '../../packages/server/src/store/postgres/open.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where to request the run's PostgreSQL; see run-setup.ts. */
    postgresStarter: string;
    /** The name of the database with the tables of this release that others are copied from. */
    postgresTemplate: string;
  }
}

/** A database for one test. */
export interface TestDatabase {
  readonly url: string;
  /** Runs SQL in it as its owner. */
  query(sql: string, params?: unknown[]): Promise<pg.QueryResult>;
  drop(): Promise<void>;
}

let databases = 0;

/** Creates an empty database on the run's server (or on `server`). The first call of a run starts that server. */
export async function createDatabase(server?: string): Promise<TestDatabase> {
  return copyOf('template0', server ?? (await runServer()));
}

/** Copies a database on its server. Nothing may be connected to it. */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  return copyOf(new URL(url).pathname.slice(1), urlOf(url, 'postgres'));
}

let template: Promise<string> | undefined;

/** Creates a database with empty tables. Copying it takes a third of the time of running all migrations. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const server = await runServer();
  template ??= makeTemplate(server);
  return copyOf(await template, server);
}

async function copyOf(original: string, serverUrl: string): Promise<TestDatabase> {
  databases += 1;
  const name = `countersign_test_${process.pid}_${Date.now()}_${databases}`;
  await run(serverUrl, `CREATE DATABASE ${name} ENCODING utf8 TEMPLATE ${original}`);
  const url = urlOf(serverUrl, name);
  return {
    url,
    query: (sql, params) => run(url, sql, params),
    drop: async () => void (await run(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** Creates the template of the run if no other worker has created it. */
async function makeTemplate(serverUrl: string): Promise<string> {
  const name = inject('postgresTemplate');
  await connected(serverUrl, async (client) => {
    // The lock lasts until this connection ends. Later workers wait for it and find the template.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    // Rename it when it is complete, so that no worker copies a partial template.
    await client.query(`CREATE DATABASE ${name}_new ENCODING utf8 TEMPLATE template0`);
    await (await openPostgres({ url: urlOf(serverUrl, `${name}_new`) })).close();
    await client.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
  });
  return name;
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function runServer(): Promise<string> {
  const response = await fetch(inject('postgresStarter'));
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}

function run(url: string, sql: string, params?: unknown[]): Promise<pg.QueryResult> {
  return connected(url, (client) => client.query(sql, params));
}

async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a test may end this server's connections
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
