import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { type CrashablePostgres, type StandbyPostgres, startPostgres } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { openRawPostgres } from '../../support/raw-database.ts';
import { createMember, createSubOrganization, createWallet, errorOf, signParams, userParams } from '../../support/world.ts';
import { runCommand } from './support/command-process.ts';
import { environmentFor, type Place, type Serving, serve, startServing, wordsFor } from './support/serving.ts';
import { createSwitchProxy, type SwitchProxy } from './support/switch-proxy.ts';
import { waitUntil } from './support/wait-until.ts';

/** Longer than entries of the log gather, so both servers have seen leaves that the standby has not. */
const LAG_MS = 2_500;

describe('a standby that takes over without the last commits', () => {
  const directories = [0, 1].map(() => makeDataDirectory('fault'));
  let primary: CrashablePostgres;
  let standby: StandbyPostgres;
  let replication: SwitchProxy;
  let database: SwitchProxy;
  let places: [Place, Place];
  let nodes: [Serving, Serving];

  beforeAll(async () => {
    primary = await startPostgres();
    const { url } = await createDatabase(primary.url);
    [replication, database] = [await createSwitchProxy(), await createSwitchProxy()];
    replication.lead(primary.port);
    standby = await primary.addStandby(replication.port);
    database.lead(primary.port);
    const through = new URL(url);
    through.port = String(database.port);
    const raw = () => openRawPostgres(through.href);
    places = directories.map((directory) => ({ engine: 'postgres', directory, databaseUrl: through.href, raw })) as [
      Place,
      Place,
    ];
    const first = await serve(places[0]);
    // The servers of one installation share its root key.
    for (const file of ['root.key', 'credentials.json'])
      copyFileSync(join(directories[0] as string, file), join(directories[1] as string, file));
    nodes = [first, await serve(places[1])];
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.kill()));
    await Promise.all([replication?.close(), database?.close()]);
    await Promise.all([primary?.stop(), standby?.stop()]);
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });

  /** What a client sends, to send it again. */
  interface Sent {
    readonly caller: Caller;
    readonly path: string;
    readonly body: string;
  }
  const send = ({ caller, path, body }: Sent, { url }: Serving) => caller.with({ url }).send(path, body);

  test('D121: both servers refuse to go on, the operator sees how much is missing, and nothing lost is carried out twice', async () => {
    const { caller: tenant } = await createSubOrganization(nodes[0].root);
    const { addresses } = await createWallet(tenant);
    const sign = (caller: Caller, choice?: { timestampMs: string }): Sent => ({
      caller,
      path: caller.submitPath('signRawPayload'),
      body: caller.submitBody('signRawPayload', signParams(addresses[0] as string), choice),
    });
    const now = () => ({ timestampMs: String(Date.now()) });
    const kept = Array.from({ length: 10 }, () => sign(tenant));
    for (const each of kept) expect((await send(each, nodes[0])).status).toBe(200);
    await sleep(LAG_MS);

    replication.holdBack();
    const { caller: member } = await createMember(tenant);
    const lost = Array.from({ length: 10 }, () => sign(tenant));
    for (const [at, each] of lost.entries()) expect((await send(each, nodes[at % 2] as Serving)).status).toBe(200);
    await sleep(LAG_MS);

    await primary.crash();
    replication.lead(0);
    await standby.promote();
    database.lead(standby.port);

    // Nothing is carried out on it: not what was lost, not what is new, not for a user who exists nowhere any more.
    for (const node of nodes) {
      const answers = await Promise.all([...lost, sign(tenant), sign(member)].map((each) => send(each, node)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      const refused = () =>
        fetch(`${node.url}/readyz`).then(async (page) => page.status === 503 && (await page.text()).includes('lost commits'));
      expect(await waitUntil(60_000, refused)).toBe(true);
      await expect.poll(() => node.stderr()).toContain('lost commits');
    }
    const raw = await openRawPostgres((places[0] as { databaseUrl: string }).databaseUrl);
    onTestFinished(raw.close);
    const count = async () => Number((await raw.all('SELECT count(*) AS count FROM activities'))[0]?.count);
    const before = await count();

    // Stopped and started again, they still refuse, and say what to do.
    for (const [at, node] of nodes.entries()) {
      await node.kill();
      const { code, stderr } = await startServing(places[at] as Place).ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(/The database was rolled back or lost commits: its log has \d+ entries, but this server saw \d+/);
      expect(stderr).toContain('countersign recover');
    }
    for (const [at, place] of places.entries()) {
      const words = ['recover', '--accept-loss', '--json', ...wordsFor(place)];
      const { code, stdout, stderr } = await runCommand(words, { environment: environmentFor(place) });
      expect({ at, code, stderr }).toEqual({ at, code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ verdict: 'SHORTER', missing: expect.any(Number) });
    }
    expect(await count()).toBe(before);

    nodes = await Promise.all([serve(places[0]), serve(places[1])]);
    for (const node of nodes) {
      // What was lost is not carried out again: nobody knows from the database that it was.
      for (const each of lost) expect(errorOf(await send(each, node))).toEqual({ status: 400, code: 'TIMESTAMP_INVALID' });
      // What was kept is found, and what is new is carried out.
      for (const each of kept) expect((await send(each, node)).status).toBe(200);
      expect((await send(sign(tenant, now()), node)).status).toBe(200);
      expect((await send(sign(member, now()), node)).status).toBe(401);
    }
    expect(await count()).toBe(before + 2);
    // The organization is as readable as ever, and can change.
    const created = await tenant.with({ url: nodes[0].url }).submit('createUsers', { users: [userParams(newApiKey())] }, now());
    expect(created.status).toBe(200);
  }, 240_000);
});
