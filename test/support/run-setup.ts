import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openRunDirectory } from './data-directory.ts';
import { type RunningPostgres, startPostgres } from './postgres.ts';

/**
 * Creates the data directory of the run and provides one PostgreSQL server. The server starts when a test first requests it.
 * COUNTERSIGN_TEST_POSTGRES_URL names a server to use instead; its user must be able to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeRunDirectory = openRunDirectory();
  let started: Promise<RunningPostgres> | undefined;
  const template = `countersign_template_${process.pid}_${Date.now()}`;
  const starter = createServer((_request, response) => {
    const givenUrl = process.env.COUNTERSIGN_TEST_POSTGRES_URL;
    started ??= givenUrl === undefined ? startPostgres() : Promise.resolve(serverOf(givenUrl, template));
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', resolve));
  project.provide('postgresTemplate', template);
  project.provide('postgresStarter', `http://127.0.0.1:${(starter.address() as AddressInfo).port}/`);
  return async () => {
    starter.close();
    starter.closeAllConnections();
    const server = await started?.catch(() => undefined); // the test that requested it has reported the failure
    await server?.stop();
    removeRunDirectory();
  };
}

/** A server of the user. `stop` removes only the template database; each test removes its own database. */
function serverOf(url: string, template: string): RunningPostgres {
  return {
    url,
    async stop() {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const name of [template, `${template}_new`]) await client.query(`DROP DATABASE IF EXISTS ${name}`);
      await client.end();
    },
  };
}
