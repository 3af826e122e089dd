import pg from 'pg';
import type { Leftovers } from './leftovers.ts';

/** Makes new PostgreSQL databases. The first one starts a server, which ends with the run. */
export function createDatabases(leftovers: Leftovers): () => Promise<string> {
  let postgres: Promise<string> | undefined;
  let databases = 0;

  async function startPostgres(): Promise<string> {
    const support = await import('../test/support/postgres.ts');
    const running = await support.startPostgres();
    leftovers.onClose(() => running.stop());
    return running.url;
  }

  return async () => {
    postgres ??= startPostgres();
    const url = new URL(await postgres);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    databases += 1;
    const name = `bench_${databases}`;
    await client.query(`CREATE DATABASE ${name} ENCODING utf8 TEMPLATE template0`);
    await client.end();
    url.pathname = `/${name}`;
    return url.href;
  };
}
