import { cp, rm } from 'node:fs/promises';
import { cosignatureVerifier, openCheckpoint } from '@countersign/tlog';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import type { Json } from '../../support/caller.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey } from '../../support/world.ts';
import { LogClient } from './support.ts';
import { eventually, TestWitness, temporaryFolder } from './witness-support.ts';

const tables = ['log_state', 'log_tiles', 'log_leaves', 'log_heads', 'log_map'];
const stateTables = [...tables, 'organizations', 'records', 'resources', 'lookups', 'secrets'];
const newKeys = (name: string) => ({
  privateKeys: [{ privateKeyName: name, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
});

describe.each(slowEngines('sqlite'))('witnesses on %s', (engine) => {
  async function install(): Promise<Installation> {
    const installation = await preparedEngines[engine]();
    onTestFinished(installation.remove);
    return installation;
  }

  async function start(installation: Installation, config: Partial<Config> = {}): Promise<TestService> {
    const service = await startService(installation, { config });
    let isClosed = false;
    const close = async () => {
      if (!isClosed) await service.close();
      isClosed = true;
    };
    onTestFinished(close);
    return { ...service, close };
  }

  /** A witness of an installation that has served before: only then is the key of its log known. */
  async function withWitness(): Promise<{
    installation: Installation;
    witness: TestWitness;
    client: (at: TestService) => LogClient;
  }> {
    const installation = await install();
    const service = await start(installation);
    const logKey = (await (await new LogClient(service.url).page('key')).text()).trimEnd();
    await service.close();
    return { installation, witness: await TestWitness.open(logKey), client: ({ url }) => new LogClient(url) };
  }

  const cosignedSize = async ({ url }: TestService, { setting }: TestWitness): Promise<number> => {
    const note = await (await fetch(`${url}/log/checkpoint`)).text();
    const { name } = await new LogClient(url).key();
    try {
      return openCheckpoint(note, name, [cosignatureVerifier(setting.key)]).size;
    } catch {
      return -1; // not cosigned
    }
  };
  const ready = async ({ url }: TestService) => (await fetch(`${url}/readyz`)).status;
  const witnessFindings = async (config: Config) => (await runDoctor(config)).filter(({ check }) => check === 'witness');

  test('readers of the log get checkpoints with the cosignature of the witness, and doctor compares', async () => {
    const { installation, witness, client } = await withWitness();
    const service = await start(installation, { witnesses: [witness.setting] });
    const before = await cosignedSize(service, witness);
    expect(before).toBeGreaterThan(0);
    await createPrivateKey(service.root);
    await eventually('the new entry is cosigned', async () => (await cosignedSize(service, witness)) > before);
    await client(service).checkpoint();
    expect(await ready(service)).toBe(200);
    await service.close();
    const config = { ...installation.config, witnesses: [witness.setting] };
    expect(await witnessFindings(config)).toMatchObject([
      { ok: true, detail: expect.stringMatching(/has cosigned (\d+) of \1 entries/) },
    ]);
    await witness.stop();
    expect(await witnessFindings(config)).toMatchObject([
      { ok: true, warning: true, detail: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(await witnessFindings({ ...config, requireWitness: 30 })).toMatchObject([{ ok: false }]);
  });

  test('D124: a rolled-back database and data directory execute nothing, because the witness saw more', async () => {
    const { installation, witness } = await withWitness();
    const raw = await installation.raw();
    for (const table of stateTables) await raw.run(`CREATE TABLE copy_${table} AS SELECT * FROM ${table}`);
    const service = await start(installation, { witnesses: [witness.setting] });
    const before = await cosignedSize(service, witness);
    await createPrivateKey(service.root);
    await service.close();
    for (const table of stateTables) {
      await raw.run(`DELETE FROM ${table}`);
      await raw.run(`INSERT INTO ${table} SELECT * FROM copy_${table}`);
    }
    await rm(paths.logAnchor(installation.config));
    forgetCommits(installation);
    const config = { ...installation.config, witnesses: [witness.setting] };
    expect(await witnessFindings(config)).toMatchObject([{ ok: false, detail: expect.stringContaining('was rolled back') }]);
    const again = await start(installation, { witnesses: [witness.setting] });
    const answer = await again.root.submit('createPrivateKeys', newKeys('late'));
    expect(answer.status).toBe(503);
    expect(JSON.stringify(answer.body)).toContain('does not match the state that this server or a witness last saw');
    expect((await again.root.query('whoami')).status).toBe(200);
    const page = await fetch(`${again.url}/readyz`);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining(`has cosigned ${before + 1} entries`)]);
    expect(again.alarms().map(({ what }) => what)).toEqual([
      expect.stringContaining('another copy of this installation is in use'),
    ]);
    await again.close();

    // The way on where the newest database is lost: another history has another name.
    const logOrigin = 'countersign/after-the-loss';
    const renamed = await start(installation, { logOrigin });
    const logKey = (await (await fetch(`${renamed.url}/log/key`)).text()).trimEnd();
    await renamed.close();
    await witness.stop();
    await witness.again(logKey);
    const goingOn = await start(installation, { logOrigin, witnesses: [witness.setting], requireWitness: 60 });
    await createPrivateKey(goingOn.root);
    expect(await ready(goingOn)).toBe(200);
  });

  test('D126: with --require-witness nothing is executed before a witness confirmed, or after it was silent too long', async () => {
    const { installation, witness } = await withWitness();
    await witness.stop();
    const service = await start(installation, { witnesses: [witness.setting], requireWitness: 5 });
    const attempt = async () => service.root.submit('createPrivateKeys', newKeys(`key ${performance.now()}`));
    const refused = await attempt();
    expect(refused.status).toBe(503);
    expect(JSON.stringify(refused.body)).toContain('no witness has confirmed the log of this installation recently');
    expect(await ready(service)).toBe(503);
    expect((await service.root.query('whoami')).status).toBe(200);
    await witness.again();
    await eventually('it carries out again', async () => (await attempt()).status === 200);
    // Nothing happens, and the witness goes on confirming that nothing did.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await eventually('it goes on', async () => (await attempt()).status === 200);
    await witness.stop();
    await eventually('it stops without the witness', async () => (await attempt()).status === 503);
    await witness.again();
    await eventually('it goes on with the witness', async () => (await attempt()).status === 200);
  });

  test('several processes on one database share a witness without a false alarm', async () => {
    const { installation, witness } = await withWitness();
    const config = { witnesses: [witness.setting], requireWitness: 60 };
    const services = await Promise.all([start(installation, config), start(installation, config), start(installation, config)]);
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all(
        services.map(({ root }) => root.submit('createPrivateKeys', newKeys(`k${Math.random()}`))),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const { size } = await new LogClient((services[0] as TestService).url).checkpoint();
    for (const service of services) {
      await eventually('each shows a cosigned checkpoint', async () => (await cosignedSize(service, witness)) >= size);
      expect(service.alarms()).toEqual([]);
      expect(await ready(service)).toBe(200);
    }
  });

  test('a second checkpoint file (--log-anchor) is compared too, and recovered with the first', async () => {
    const installation = await install();
    const logAnchor = `${await temporaryFolder()}/anchor.json`;
    const first = await start(installation, { logAnchor });
    await first.close();
    const raw = await installation.raw();
    for (const table of tables) await raw.run(`CREATE TABLE copy_${table} AS SELECT * FROM ${table}`);
    const second = await start(installation, { logAnchor });
    await createPrivateKey(second.root);
    await second.close();
    for (const table of tables) {
      await raw.run(`DELETE FROM ${table}`);
      await raw.run(`INSERT INTO ${table} SELECT * FROM copy_${table}`);
    }
    // Whoever put the database back also put the data directory back.
    await rm(paths.logAnchor(installation.config));
    await expect(startService(installation, { config: { logAnchor } })).rejects.toThrow('The database was rolled back');
    const config = { ...installation.config, logAnchor };
    expect((await runDoctor(config)).find(({ check }) => check === 'log')).toMatchObject({ ok: false });
    expect(await recover(config, true)).toMatchObject({
      verdict: 'SHORTER',
      setAside: expect.stringContaining(`${logAnchor}.lost-`),
    });
    await (await start(installation, { logAnchor })).close();
    const unwritable = `${await temporaryFolder()}/absent/anchor.json`;
    await expect(startService(installation, { config: { logAnchor: unwritable } })).rejects.toThrow('cannot be recorded');
  });

  test('--require-witness without a witness is refused', async () => {
    const installation = await install();
    await expect(startService(installation, { config: { requireWitness: 30 } })).rejects.toThrow('no witness is configured');
  });
});

test('D124: of two copies that share a witness, one continues and the other stops', async () => {
  const installation = await engines.sqlite();
  onTestFinished(installation.remove);
  const first = await startService(installation);
  const logKey = (await (await new LogClient(first.url).page('key')).text()).trimEnd();
  await first.close();
  const witness = await TestWitness.open(logKey);
  const directory = await temporaryFolder();
  await cp(installation.directory, directory, { recursive: true });
  const copy: Installation = { ...installation, directory, config: { ...installation.config, dataDir: directory } };
  const services = [
    await startService(installation, { config: { witnesses: [witness.setting] } }),
    await startService(copy, { config: { witnesses: [witness.setting] } }),
  ];
  onTestFinished(async () => void (await Promise.all(services.map(({ close }) => close()))));
  const statuses = () =>
    Promise.all(
      services.map(
        async ({ root }): Promise<number> => (await root.submit('createPrivateKeys', newKeys(`${Math.random()}`))).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  await eventually('one of the two stops', async () => (await statuses()).includes(503));
  for (let round = 0; round < 5; round++) expect((await statuses()).sort()).toEqual([200, 503]);
  const alarms: Json[] = services.flatMap((service) => service.alarms());
  expect(alarms).toHaveLength(1);
});
