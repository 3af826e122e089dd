import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where to request the run's PostgreSQL; see run-setup.ts. */
    postgresStarter: string;
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
  const serverUrl = server ?? (await runServer());
  databases += 1;
  const name = `countersign_test_${process.pid}_${Date.now()}_${databases}`;
  await run(serverUrl, `CREATE DATABASE ${name} ENCODING utf8 TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (sql, params) => run(url.href, sql, params),
    drop: async () => void (await run(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

async function runServer(): Promise<string> {
  const response = await fetch(inject('postgresStarter'));
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}

async function run(url: string, sql: string, params?: unknown[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a test may end this server's connections
  await client.connect();
  try {
    return await client.query(sql, params);
  } finally {
    await client.end();
  }
}
