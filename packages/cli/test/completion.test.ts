import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder, temporaryFolder } from './run-cli.ts';

const run = promisify(execFile);

describe('completion in bash', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let script: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    script = await folder.write('countersign.bash', (await runCli(['completion', 'bash'])).stdout);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  /** Completions of bash at the end of a line. */
  async function offered(line: string, environment: Record<string, string> = {}): Promise<string[]> {
    const words = line.split(' ');
    const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _countersign; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, ...environment };
    const { stdout } = await run('bash', ['-c', program, 'bash', script, ...words], { env });
    return stdout.split('\n').filter((word) => word !== '');
  }

  test.each([
    ['countersign who', ['whoami']],
    ['countersign wallet cr', ['create']],
    ['countersign policy back', ['backtest']],
    ['countersign vault ', ['rotate', 'reshare']],
    ['countersign sign-raw-payload --enc', ['--encoding']],
    ['countersign payload --', []],
    ['countersign sign-raw-payload --encoding ', ['hexadecimal', 'text-utf8']],
    ['countersign sign-raw-payload --sign-with k --hash-function sha', ['sha256']],
    ['countersign whoami --output ', ['table', 'json', 'yaml', 'csv']],
    ['countersign completion ', ['bash', 'zsh', 'fish']],
  ])('%s', async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  test('offers nouns, commands and flags, but no flag of another command', async () => {
    expect(await offered('countersign ')).toEqual(
      expect.arrayContaining(['serve', 'create-wallet', 'wallet', 'activity', 'pending']),
    );
    const flags = await offered('countersign wallet create --');
    expect(flags).toEqual(expect.arrayContaining(['--wallet-name', '--account', '--profile', '--query', '--help']));
    expect(flags).not.toContain('--port');
  });

  test('offers the saved profiles', async () => {
    const kept = join(folder.path, '.config/countersign');
    await mkdir(kept, { recursive: true });
    for (const name of ['ann.json', 'work.json', '$(touch pwned).json']) await writeFile(join(kept, name), '{}');
    expect(await offered('countersign whoami --profile ')).toEqual(['ann', 'work']);
    expect(await offered('countersign whoami --profile w')).toEqual(['work']);
  });

  test('D187: completing a name runs no command', async () => {
    const service = await serveInFolder();
    try {
      const evil = ['$(touch pwned)', '`touch pwned`', ';touch pwned', '{a,b}', '-x', 'Treasury'];
      for (const name of evil) await runCli(['wallet', 'create', '--wallet-name', name, ...service.connection]);
      const ids = (await runCli(['completion', 'ids', 'wallet', ...service.connection])).stdout.trim().split('\n');
      const uuid = /^[0-9a-f-]{36}$/;
      expect(ids.filter((word) => uuid.test(word))).toHaveLength(evil.length);
      expect(ids.filter((word) => !uuid.test(word))).toEqual(['Treasury']);

      // The script calls the command of the line for ids, with its connection flags.
      const stub = await folder.write('countersign', '#!/bin/sh\necho "$@" > "$HOME/asked"; echo 01981b2c; echo Treasury\n');
      await chmod(stub, 0o755);
      expect(await offered(`${stub} wallet show --profile ann --wallet-id Tr`)).toEqual(['Treasury']);
      expect(await readFile(join(folder.path, 'asked'), 'utf8')).toBe('completion ids wallet --profile ann\n');
    } finally {
      await service.close();
    }
  });
});

test.each(['zsh', 'fish'])('the script for %s has every command and flag', async (shell) => {
  const { stdout, code } = await runCli(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['whoami', 'create-wallet', 'backtest', 'wallet-name', 'text-utf8', 'profile'])
    expect(stdout).toContain(word);
});

test('rejects an unknown shell', async () => {
  expect(await runCli(['completion', 'powershell'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh or fish'),
  });
});

test('an old Node prints how to upgrade', async () => {
  const bin = join(import.meta.dirname, '../bin/countersign.js');
  const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.4'})`;
  const old = await run(process.execPath, ['--import', pretend, bin, '--version']).catch((error) => error);
  expect(old.code).toBe(1);
  expect(old.stderr).toBe(
    'countersign needs Node.js 20.19 or newer; this is 18.20.4. Install a newer one from https://nodejs.org, and run the command again.\n',
  );
});
