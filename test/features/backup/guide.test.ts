import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandProcess, startCommand } from '../../faults/fault/support/command-process.ts';
import { rootOf } from '../../faults/fault/support/serving.ts';
import { readGuideBlocks } from '../../repository/docs/guide-blocks.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { createWallet, signParams } from '../../support/world.ts';

const run = promisify(execFile);
const bin = join(import.meta.dirname, '../../../packages/cli/bin/countersign.js');
const blocks = readGuideBlocks().filter(({ file }) => file === 'docs/guide/backup-and-restore.md');
const codeOf = (word: string) => blocks.filter((block) => block.word === word).map(({ code }) => code);

let folder: string;
let serving: CommandProcess | undefined;

beforeAll(() => {
  folder = makeDataDirectory('guide');
});
afterAll(async () => {
  await serving?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the blocks as they are written, in the folder. */
async function follow(code: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const script = ['set -euo pipefail', `npx() { shift; "${process.execPath}" "${bin}" "$@"; }`, ...code].join('\n');
  const { PATH = '' } = process.env;
  return (await run('bash', ['-c', script], { cwd: folder, env: { PATH, HOME: folder, ...environment } })).stdout;
}

async function serve(directory: string) {
  const words = ['serve', '--json', '--port', '0', '--log-level', 'error', '--data-dir', join(folder, directory)];
  serving = startCommand(words);
  const { url } = JSON.parse(await serving.firstLine()) as { url: string };
  return { url, root: rootOf({ engine: 'sqlite', directory: join(folder, directory), raw: () => Promise.reject() }, url) };
}

test('D582: the guide restores a lost machine from an empty folder, with its keys and with access to them', async () => {
  const before = await serve('countersign-data');
  const { addresses } = await createWallet(before.root);
  const params = signParams(addresses[0] as string);
  const signature = await before.root.result('signRawPayload', params);
  const [create = '', restore = ''] = codeOf('backup');
  await follow([create]);
  await serving?.kill();
  // The machine is lost. Only what the guide saved is left.
  rmSync(join(folder, 'countersign-data'), { recursive: true });
  expect(readdirSync(join(folder, 'safe')).sort()).toEqual(['countersign.backup', 'credentials.json', 'root.key']);

  await follow([restore]);
  const [start = ''] = codeOf('service');
  expect(start.trim()).toBe('npx countersign serve --data-dir ./restored');
  // Requests that were stamped before the restore are rejected.
  stampFromNowOn();
  const { url, root } = await serve('restored');
  expect(await follow(codeOf('restored'), { COUNTERSIGN_URL: url })).toContain(root.organizationId);
  expect(await root.result('signRawPayload', params)).toEqual(signature);
  for (const name of ['root.key', 'credentials.json']) expect(statSync(join(folder, 'restored', name)).mode & 0o077).toBe(0);
});
