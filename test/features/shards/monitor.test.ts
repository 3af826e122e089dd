import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../../packages/cli/test/run-cli.ts';
import { type RootLogSettings, type RunningRootLog, startRootLog } from '../../../packages/server/src/commands/start-root-log.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { eventually, TestWitness } from '../log/witness-support.ts';
import { ForgedLog } from './forged-log.ts';

function temporary(): string {
  const path = makeDataDirectory('monitor');
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe('audit monitor', () => {
  let shard: ForgedLog;
  let shardUrl: string;
  let settings: RootLogSettings;
  let root: RunningRootLog;
  let state: string;

  beforeEach(async () => {
    shard = new ForgedLog();
    shardUrl = await shard.serve();
    settings = {
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      intervalSeconds: 0.05,
      dataDir: temporary(),
      shards: [`3=${shard.keyText}`],
    };
    root = await start();
    state = join(temporary(), 'state.json');
  });

  async function start(change: Partial<RootLogSettings> = {}): Promise<RunningRootLog> {
    const started = await startRootLog({ ...settings, ...change });
    onTestFinished(started.close);
    return started;
  }

  /** One round. With a grace of 0, everything that differs is reported. */
  async function look({ url } = root, ...more: string[]) {
    const flags = ['--root-url', url, '--root-key', root.key, '--log', `3=${shardUrl}`, '--state', state];
    const { code, stdout } = await runCli(['audit', 'monitor', '--once', '--grace-seconds', '0', ...flags, ...more]);
    return { code, stdout };
  }

  /** The shard has a tree that the root log has entered. */
  async function enter(leaves: readonly string[], at = root): Promise<void> {
    expect((await shard.send(at.url, leaves.length - 1, leaves)).status).toBe(200);
    await eventually('it is entered', async () => {
      const response = await fetch(`${at.url}/log/shards/3`);
      if (response.status !== 200) return false;
      const { index } = (await response.json()) as { index: number };
      const bundle = await fetch(`${at.url}/log/tile/entries/000.p/${index + 1}`);
      return (await bundle.text()).includes(`forged.example\n${leaves.length}\n`);
    });
  }

  const consistent = { code: 0, stdout: 'Consistent: the root log and 1 shard.\n' };

  test('follows logs that grow, also after a start of the root log', async () => {
    await enter(['a']);
    shard.shown = ['a'];
    expect(await look()).toEqual(consistent);
    await enter(['a', 'b']);
    shard.shown = ['a', 'b'];
    expect(await look()).toEqual(consistent);
    await root.close();
    root = await start();
    expect(await look()).toEqual(consistent);
    // A shorter grace than the difference lasts is needed for a report.
    shard.shown = ['a', 'b', 'c'];
    const { code, stdout } = await look(root, '--grace-seconds', '300');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('The root log has 2 of the 3 leaves of shard 3.'),
    });
    expect((await look()).code).toBe(1);
  });

  test('D648: a shard with two histories is reported each time, with both checkpoints', async () => {
    await enter(['a']);
    shard.shown = ['a', 'b'];
    await look();
    const before = await readFile(state, 'utf8');
    shard.shown = ['a', 'c'];
    for (const _ of [1, 2]) {
      const { code, stdout } = await look(root, '--json');
      const finding = JSON.parse(stdout.split('\n')[0] as string);
      expect({ code, finding }).toMatchObject({
        code: 1,
        finding: { kind: 'CONTRADICTION', text: 'Shard 3 has two histories, of 2 and 2 leaves.' },
      });
      expect(finding.evidence).toEqual([shard.checkpoint(['a', 'b']), shard.checkpoint(['a', 'c'])]);
    }
    shard.shown = ['a', 'c', 'd'];
    expect((await look()).stdout).toContain('Contradiction: Shard 3 has two histories, of 2 and 3 leaves.');
    expect(await readFile(state, 'utf8')).toBe(before);
    shard.shown = ['a', 'b', 'c'];
    expect((await look()).stdout).not.toContain('Contradiction');
  });

  test('D648: an entry of the root log that the shard does not show is reported', async () => {
    await enter(['a']);
    await enter(['a', 'b']);
    shard.shown = ['a'];
    expect(await look()).toEqual({
      code: 1,
      stdout: expect.stringMatching(/Warning: Entry \d+ of the root log has 2 leaves of shard 3, and the shard shows 1\. Since /),
    });
    shard.shown = ['a', 'c'];
    expect(await look()).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /Contradiction: Entry \d+ of the root log has a history of shard 3 with 2 leaves that the shard does not show\./,
      ),
    });
    shard.shown = ['a', 'b'];
    expect(await look()).toEqual(consistent);
  });

  test('D648: logs that show less than before, or do not respond, are reported', async () => {
    await enter(['a']);
    await enter(['a', 'b']);
    shard.shown = ['a', 'b'];
    expect(await look()).toEqual(consistent);
    shard.shown = ['a'];
    expect((await look()).stdout).toContain('Warning: Shard 3 shows 1 leaves, and has shown 2.');
    shard.shown = ['a', 'b'];
    expect(await look()).toEqual(consistent);
    const { code, stdout } = await look({ ...root, url: 'http://127.0.0.1:1' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('Warning: The root log cannot be read: ') });
    const other = await look(root, '--log', '4=http://127.0.0.1:1');
    expect(other.stdout).toContain('Warning: The root log has no entry of shard 4.');
  });

  test('D648: a root log with two histories, and one that was put back, are reported', async () => {
    await enter(['a']);
    const copy = temporary();
    await root.close();
    await cp(settings.dataDir, copy, { recursive: true });
    root = await start();
    await enter(['a', 'b']);
    shard.shown = ['a', 'b'];
    expect(await look()).toEqual(consistent);
    const older = await start({ dataDir: copy });
    expect((await look(older)).stdout).toMatch(/(Warning: The root log shows|Contradiction: The root log has two histories)/);
    await enter(['a', 'x'], older);
    await older.close();
    // Each start enters the newest trees again, so the other history becomes the longer one.
    let forked = await start({ dataDir: copy });
    for (let starts = 0; starts < 3; starts++) {
      await forked.close();
      forked = await start({ dataDir: copy });
    }
    expect(await look(forked)).toEqual({
      code: 1,
      stdout: expect.stringContaining('Contradiction: The root log has two histories'),
    });
    expect(await look()).toEqual(consistent);
  });

  test('D648: another log as that of a shard is reported, unless its key was accepted', async () => {
    await enter(['a']);
    shard.shown = ['a'];
    expect(await look()).toEqual(consistent);
    await root.close();
    const successor = new ForgedLog('forged.example/2', 6);
    root = await start({ shards: [`3=${successor.keyText}`] });
    expect((await successor.send(root.url, 0, ['z'])).status).toBe(200);
    const successorUrl = await successor.serve();
    successor.shown = ['z'];
    shardUrl = successorUrl;
    await eventually('it is reported', async () => (await look()).stdout.includes('has another log of shard 3'));
    expect((await look(root, '--accept-key', successor.keyText)).stdout).toBe(consistent.stdout);
  });

  test('D648: a root log that its witness did not cosign is not followed', async () => {
    await enter(['a']);
    shard.shown = ['a'];
    const witness = await TestWitness.open(root.key);
    const { code, stdout } = await look(root, '--witness-key', witness.keyText);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('did not cosign the checkpoint') });
    await root.close();
    root = await start({ witnesses: `${witness.setting.url}#${witness.keyText}` });
    await eventually('it is cosigned', async () => (await look(root, '--witness-key', witness.keyText)).code === 0);
  });

  test.each([
    [['--log', 'x=http://127.0.0.1'], '--log x=http://127.0.0.1 is not'],
    [['--interval-seconds', '0'], '--interval-seconds must be'],
    [['--root-key', 'a+b+c'], 'A key cannot be used: '],
  ])('refuses %j', async (change, message) => {
    const flags = ['--root-url', root.url, '--root-key', root.key, '--log', `3=${shardUrl}`, '--state', state, ...change];
    const { code, stderr } = await runCli(['audit', 'monitor', '--once', ...flags]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
