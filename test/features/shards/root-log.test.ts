import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consistencyProof, formatVerifierKey, parseShardEntry, verifierKeyOf, verifyConsistency } from '@countersign/tlog';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../../packages/cli/test/run-cli.ts';
import { type RunningRootLog, startRootLog } from '../../../packages/server/src/commands/start-root-log.ts';
import { startWitness } from '../../../packages/server/src/commands/start-witness.ts';
import { witnesses } from '../../../packages/server/src/config/witnesses.ts';
import { describeRootMetrics } from '../../../scripts/reference/metrics.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { operatorErrorOf } from '../../support/operator-error-of.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, signParams } from '../../support/world.ts';
import { LogClient } from '../log/support.ts';
import { eventually, TestWitness } from '../log/witness-support.ts';
import { ForgedLog } from './forged-log.ts';

const local = { host: '127.0.0.1', port: 0, logLevel: 'silent' as const, intervalSeconds: 1 };

/** All entries of a root log, in order. */
async function entriesOf(url: string) {
  const client = new LogClient(url);
  const { size } = await client.checkpoint();
  return size === 0 ? [] : (await client.entries(0, size)).map(parseShardEntry);
}

function temporary(): string {
  const path = makeDataDirectory('root-log');
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe('the root log of two shards', () => {
  const directory = makeDataDirectory('root-log');
  let installations: [Installation, Installation];
  let shards: [TestService, TestService];
  let root: RunningRootLog;
  let witness: Awaited<ReturnType<typeof startWitness>>;

  beforeAll(async () => {
    installations = [await engines.sqlite(), await preparedEngines.postgres()];
    const configs = [{}, { shard: 7 }];
    // The key of a log is known once its service has started.
    const keys = await Promise.all(
      installations.map(async (installation, at) => {
        const service = await startService(installation, { config: configs[at] ?? {} });
        const key = (await (await fetch(`${service.url}/log/key`)).text()).trimEnd();
        await service.close();
        return key;
      }),
    );
    const settings = {
      ...local,
      dataDir: join(directory, 'root'),
      name: 'root.example',
      shards: [`0=${keys[0]}`, `7=${keys[1]}`],
    };
    const first = await startRootLog(settings);
    await first.close();
    witness = await startWitness({ ...local, dataDir: join(directory, 'witness'), logKeys: [first.key] });
    root = await startRootLog({ ...settings, witnesses: `${witness.url}#${witness.key}` });
    expect(root.key).toBe(first.key);
    const config = { witnesses: witnesses.parse(`${root.url}#${root.witnessKey}`) };
    shards = (await Promise.all(
      installations.map((installation, at) => startService(installation, { config: { ...configs[at], ...config } })),
    )) as [TestService, TestService];
  });
  afterAll(async () => {
    await Promise.all((shards ?? []).map((shard) => shard.close()));
    await root?.close();
    await witness?.close();
    await Promise.all((installations ?? []).map((installation) => installation.remove()));
    await rm(directory, { recursive: true, force: true });
  });

  /** An audit file of a new sub-organization of a shard that signed something, and its root proof. */
  async function exportFrom(shard: TestService): Promise<{ readonly file: string; readonly proof: string }> {
    const { caller } = await createSubOrganization(shard.root);
    await caller.result('signRawPayload', signParams(await createPrivateKey(caller)));
    const file = join(directory, `${caller.organizationId}.jsonl`);
    const environment = {
      COUNTERSIGN_URL: shard.url,
      COUNTERSIGN_ORGANIZATION_ID: caller.organizationId,
      COUNTERSIGN_API_PUBLIC_KEY: caller.key.publicKey,
      COUNTERSIGN_API_PRIVATE_KEY: caller.key.privateKey,
      COUNTERSIGN_DATA_DIR: '/nowhere',
    };
    expect(await runCli(['audit', 'export', file], { environment })).toMatchObject({ code: 0 });
    return { file, proof: await fetchProof(file, shard) };
  }

  async function fetchProof(file: string, shard: TestService): Promise<string> {
    let proof = '';
    await eventually('the root log has the checkpoint', async () => {
      const { code, stdout } = await runCli(['audit', 'root-proof', file, '--root-url', root.url, '--log-url', shard.url]);
      proof = stdout;
      return code === 0;
    });
    return proof;
  }

  async function verify(file: string, proof: string, key = root.key, more: readonly string[] = ['--witness-key', witness.key]) {
    const path = `${file}.root-proof`;
    await writeFile(path, proof);
    return runCli(['audit', 'verify', file, '--root-key', key, '--root-proof', path, ...more]);
  }

  test('an auditor verifies a file of each shard with the key of the root log alone, and its witness', async () => {
    for (const [at, shard] of shards.entries()) {
      const { file, proof } = await exportFrom(shard);
      const { code, stdout } = await verify(file, proof);
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Verified.') });
      expect(stdout).toContain(`signed with the key of shard ${at * 7} in the root log`);
      expect(stdout).toMatch(
        /Root: that checkpoint is part of entry \d+ of root\.example over \d+ entr(?:y|ies), signed with the key that you gave\./,
      );
      expect(stdout).toContain(`Seen by 1 witness: ${witness.key.split('+')[0]}.`);
    }
  });

  test('every entry of a shard extends the one before it', async () => {
    for (const [at, shard] of shards.entries()) {
      const client = new LogClient(shard.url);
      const entries = (await entriesOf(root.url)).filter((entry) => entry.shard === at * 7);
      expect(entries.length).toBeGreaterThan(0);
      for (const [place, { tree }] of entries.entries()) {
        const before = entries[place - 1]?.tree;
        if (before === undefined || before.size === tree.size) continue;
        const claim = { oldSize: before.size, oldRoot: before.root, newSize: tree.size, newRoot: tree.root };
        expect(verifyConsistency(claim, await consistencyProof(before.size, tree.size, client.reader(tree)))).toEqual({
          ok: true,
        });
      }
    }
  });

  test('D571: a proof that was changed, of another log, or of an earlier time is rejected', async () => {
    const [shard] = shards;
    const { file } = await exportFrom(shard);
    await createPrivateKey(shard.root);
    let proof = '';
    await eventually('the entry has more leaves than the file', async () => {
      proof = await fetchProof(file, shard);
      return JSON.parse(proof).consistency.length > 0;
    });
    expect((await verify(file, proof)).code).toBe(0);
    const value = JSON.parse(proof);
    const { file: other } = await exportFrom(shard);
    const flip = (hex: string) => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;
    const stranger = formatVerifierKey(
      verifierKeyOf({ name: 'root.example', type: 'ed25519', seed: new Uint8Array(32).fill(9) }),
    );
    const logKey = (await (await fetch(`${shard.url}/log/key`)).text()).trimEnd();
    const changed: readonly (readonly [string, object])[] = [
      ['not in the root log', { index: value.index + 1 }],
      ['not in the root log', { entry: value.entry.replace('\n0\n', '\n7\n') }],
      ['not in the root log', { inclusion: [...value.inclusion, '0'.repeat(64)] }],
      ['did not sign', { rootCheckpoint: value.rootCheckpoint.replace(/^(.*\n)\d+/, '$199') }],
      ['malformed', { extra: true }],
      ['malformed', { format: 'countersign-root-proof-2' }],
    ];
    for (const [reason, change] of changed) {
      const { code, stdout } = await verify(file, JSON.stringify({ ...value, ...change }));
      expect({ change, code }).toEqual({ change, code: 1 });
      expect(stdout, JSON.stringify(change)).toMatch(reason === 'did not sign' ? /signature|signed/ : reason);
    }
    const [{ size, hashes }] = value.consistency;
    const wrong = [{ size, hashes: hashes.map(flip) }, ...value.consistency.slice(1)];
    expect((await verify(file, JSON.stringify({ ...value, consistency: wrong }))).stdout).toContain('another history');
    expect((await verify(file, JSON.stringify({ ...value, consistency: [] }))).stdout).toContain('for another file');
    // A later file leads to more leaves than the entry has.
    expect((await verify(other, proof)).stdout).toMatch(/newer than the entry|for another file/);
    expect((await verify(file, proof, stranger)).stdout).toContain('Not verified.');
    expect((await verify(file, proof, logKey)).stdout).toContain('Not verified.');
    // A witness that did not cosign, and the log of the shard as its own witness.
    expect((await verify(file, proof, root.key, ['--witness-key', root.witnessKey])).stdout).toContain('did not cosign');
    expect((await verify(file, proof, root.key, ['--witness-key', logKey])).stdout).toContain('Not verified.');
    expect((await runCli(['audit', 'verify', file, '--root-key', root.key])).stderr).toContain('belong together');
  });

  test('D573: the root proof of one shard does not serve for an organization of another', async () => {
    const [zero, seven] = [await exportFrom(shards[0]), await exportFrom(shards[1])];
    expect((await verify(seven.file, zero.proof)).stdout).toContain(
      'the organization belongs to shard 7, and the root proof is for shard 0',
    );
    expect((await verify(zero.file, seven.proof)).stdout).toContain(
      'the organization belongs to shard 0, and the root proof is for shard 7',
    );
    const key = (await (await fetch(`${shards[0].url}/log/key`)).text()).trimEnd();
    const twice = startRootLog({ ...local, dataDir: temporary(), shards: [`0=${key}`, `7=${key}`] });
    expect((await operatorErrorOf(twice)).message).toBe('Two shards have the same log.');
  });
});

test('D569: a tree that does not extend the last one is neither cosigned nor entered', async () => {
  const shard = new ForgedLog();
  const root = await startRootLog({ ...local, dataDir: temporary(), shards: [`3=${shard.keyText}`] });
  onTestFinished(root.close);
  expect((await shard.send(root.url, 0, ['a'])).status).toBe(200);
  expect([409, 422]).toContain((await shard.send(root.url, 1, ['b', 'c'])).status);
  expect([409, 422]).toContain((await shard.send(root.url, 0, ['b'])).status);
  await eventually('the first tree is entered', async () => (await entriesOf(root.url)).length === 1);
  expect((await shard.send(root.url, 1, ['a', 'b'])).status).toBe(200);
  await eventually('the second tree is entered', async () => (await entriesOf(root.url)).length === 2);
  expect((await entriesOf(root.url)).map(({ shard: number, tree }) => [number, tree.size])).toEqual([
    [3, 1],
    [3, 2],
  ]);
  expect((await fetch(`${root.url}/log/shards/4`)).status).toBe(404);
});

test('D570: an older copy of the root log, which its witness contradicts, appends nothing and cosigns nothing', async () => {
  const shard = new ForgedLog();
  const dataDir = temporary();
  const settings = { ...local, dataDir, shards: [`3=${shard.keyText}`] };
  const first = await startRootLog(settings);
  expect((await shard.send(first.url, 0, ['a'])).status).toBe(200);
  await first.close();
  const copy = temporary();
  await cp(dataDir, copy, { recursive: true });
  const witness = await startWitness({ ...local, dataDir: temporary(), logKeys: [first.key] });
  onTestFinished(witness.close);
  const watched = { ...settings, witnesses: `${witness.url}#${witness.key}` };
  const second = await startRootLog(watched);
  expect((await shard.send(second.url, 1, ['a', 'b'])).status).toBe(200);
  await eventually('the second tree is entered', async () => (await entriesOf(second.url)).some(({ tree }) => tree.size === 2));
  await second.close();

  const before = await readFile(join(copy, 'tree/checkpoint'), 'utf8');
  const older = await startRootLog({ ...watched, dataDir: copy });
  onTestFinished(older.close);
  const refused = await shard.send(older.url, 1, ['a', 'c']);
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('the root log is suspended')]);
  expect((await fetch(`${older.url}/healthz`)).status).toBe(200);
  expect(await readFile(join(copy, 'tree/checkpoint'), 'utf8')).toBe(before);
  // The newest directory goes on.
  const newest = await startRootLog(watched);
  onTestFinished(newest.close);
  expect((await shard.send(newest.url, 2, ['a', 'b'])).status).toBe(200);
});

test('D645: a root log whose witnesses do not respond at its start appends nothing and cosigns nothing until one confirms it', async () => {
  const shard = new ForgedLog();
  const settings = { ...local, intervalSeconds: 0.05, dataDir: temporary(), shards: [`3=${shard.keyText}`] };
  const first = await startRootLog(settings);
  expect(first.suspended).toBeUndefined();
  expect((await shard.send(first.url, 0, ['a'])).status).toBe(200);
  await first.close();
  const witness = await TestWitness.open(first.key);
  await witness.stop();

  const before = await readFile(join(settings.dataDir, 'tree/checkpoint'), 'utf8');
  const root = await startRootLog({ ...settings, witnesses: `${witness.setting.url}#${witness.keyText}` });
  onTestFinished(root.close);
  expect(root.suspended).toBe('No witness has confirmed the root log since it started.');
  const refused = await shard.send(root.url, 1, ['a', 'b']);
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('No witness has confirmed')]);
  expect(await metricsOf(root)).toMatchObject({ countersign_root_log_suspended: 1, countersign_root_log_shards_behind: 1 });
  expect(await readFile(join(settings.dataDir, 'tree/checkpoint'), 'utf8')).toBe(before);

  await witness.again();
  await eventually('the witness confirms', async () => (await shard.send(root.url, 1, ['a', 'b'])).status === 200);
  await eventually('the tree is entered', async () => (await entriesOf(root.url)).some(({ tree }) => tree.size === 2));
  expect(await metricsOf(root)).toMatchObject({ countersign_root_log_suspended: 0, countersign_root_log_shards_behind: 0 });
});

/** The metrics of a root log. */
async function metricsOf({ url }: RunningRootLog): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('metrics show the entries, the age of the newest one of each shard, and shards that are behind', async () => {
  const shard = new ForgedLog();
  const absent = new ForgedLog('absent.example', 6);
  const dataDir = temporary();
  const root = await startRootLog({
    ...local,
    intervalSeconds: 0.05,
    dataDir,
    shards: [`3=${shard.keyText}`, `4=${absent.keyText}`],
  });
  onTestFinished(root.close);
  const empty = await metricsOf(root);
  expect(Object.keys(empty).map((name) => name.replace(/\{.*/, ''))).toEqual(
    describeRootMetrics().flatMap(({ name, labels }) =>
      labels.includes('witness') ? [] : labels.includes('shard') ? [name, name] : [name],
    ),
  );
  expect(empty).toMatchObject({ countersign_root_log_entries: 0, countersign_root_log_shards_behind: 2 });
  expect((await shard.send(root.url, 0, ['a'])).status).toBe(200);
  await eventually('it is entered', async () => (await metricsOf(root)).countersign_root_log_entries === 1);
  const entered = await metricsOf(root);
  expect(entered.countersign_root_log_shards_behind).toBe(1);
  const age = (number: number) => entered[`countersign_root_log_entry_age_seconds{shard="${number}"}`] as number;
  expect(age(3)).toBeLessThan(age(4));
});

test('a root log whose last round fails frees its directory', async () => {
  const shard = new ForgedLog();
  const settings = { ...local, intervalSeconds: 3_600, dataDir: temporary(), shards: [`3=${shard.keyText}`] };
  const root = await startRootLog(settings);
  expect((await shard.send(root.url, 0, ['a'])).status).toBe(200);
  const tree = join(settings.dataDir, 'tree');
  // The last round cannot write: its directory is a file.
  await rename(tree, `${tree}.moved`);
  await writeFile(tree, '');
  await root.close();
  await rm(tree);
  await rename(`${tree}.moved`, tree);
  const again = await startRootLog(settings);
  onTestFinished(again.close);
  expect((await entriesOf(again.url)).map(({ tree: { size } }) => size)).toEqual([1]);
});

test.each([
  [{ shards: [] }, 'No shard was given.'],
  [{ shards: ['0=nonsense'] }, /^--shard does not have the key of a log: /],
  [{ witnesses: 'http://127.0.0.1#nonsense' }, /^--witnesses must be <address>#<key of the witness>/],
  [{ name: 'with space' }, /^--name cannot be the name of a log: /],
])('a root log does not start with %j', async (change, message) => {
  const started = startRootLog({ ...local, dataDir: temporary(), shards: [`3=${new ForgedLog().keyText}`], ...change });
  expect((await operatorErrorOf(started)).message).toMatch(message);
});
