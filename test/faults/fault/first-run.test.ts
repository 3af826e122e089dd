import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createWallet } from '../../support/world.ts';
import { runCommand } from './support/command-process.ts';
import { FirstRun } from './support/first-run.ts';
import { environmentFor, type Place, placeOf, serve, wordsFor } from './support/serving.ts';

async function expectSound(installation: Installation): Promise<void> {
  const service = await startService(installation);
  expect((await createWallet(service.root)).addresses).toHaveLength(1);
  await service.close();
  expect(statSync(join(installation.directory, 'credentials.json')).mode & 0o777).toBe(0o600);
  const [row] = await (await installation.raw()).all('SELECT count(*) AS count FROM organizations');
  expect(Number(row?.count)).toBe(1);
}

describe.each(slowEngines('sqlite'))('a first run on %s', (engine) => {
  const installations: Installation[] = [];

  beforeAll(async () => {
    for (let count = 0; count < 2; count++) installations.push(await engines[engine]());
  });
  afterAll(async () => {
    for (const installation of installations) await installation.remove();
  });

  test('fault 1: killed four times at random moments, it then starts with credentials that work', async () => {
    const installation = installations[0] as Installation;
    const firstRun = new FirstRun(placeOf(installation));
    for (let kills = 0; kills < 4; kills++) await firstRun.kill();
    await expectSound(installation);
  });

  test('two concurrent first runs in one place agree on one organization', async () => {
    const installation = installations[1] as Installation;
    const place = placeOf(installation);
    const servers = await Promise.all([serve(place), serve(place)]);
    for (const server of servers) expect((await server.root.query('whoami')).status).toBe(200);
    await Promise.all(servers.map((server) => server.kill()));
    await expectSound(installation);
    const again = await runCommand(['init', ...wordsFor(place)], { environment: environmentFor(place) });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already has its first organization') });
  });
});

test('a first run on PostgreSQL with a passphrase creates its data directory', async () => {
  const installation = await engines.postgres();
  const directory = join(installation.directory, 'not', 'there');
  const environment = { COUNTERSIGN_ROOT_PASSPHRASE: 'correct horse battery staple' };
  const place: Place = { ...placeOf(installation), directory };
  const serving = await serve(place, [], { environment });
  expect((await serving.root.query('whoami')).status).toBe(200);
  await serving.kill();
  await installation.remove();
});
