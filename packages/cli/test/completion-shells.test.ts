import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from './run-cli.ts';

const run = promisify(execFile);
const isInstalled = (shell: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell)));

/** Program per shell that prints the completions at the end of a line. Its arguments are the script and the words. */
const programs = {
  // Replace the functions of the completion system by ones that print the completions.
  zsh: [
    'compdef() { :; }; _files() { :; }',
    `_describe() { [[ $1 == -o ]] && shift 2 || shift; print -l -- \${\${(P)1}%%:*}; }`,
    'compadd() { shift; print -l -- "$@"; }',
    'source "$1"; shift; typeset -a words; words=("$@"); CURRENT=$#; _countersign',
  ].join('\n'),
  fish: 'source $argv[1]; complete -C (string join -- " " $argv[2..-1])',
} as const;

/** fish takes the program and its arguments in one list; zsh needs a name before the arguments. */
const argvOf = {
  zsh: (rest: readonly string[]) => ['-fc', programs.zsh, 'zsh', ...rest],
  fish: (rest: readonly string[]) => ['--no-config', '-c', programs.fish, ...rest],
} as const;

// Skip shells that are not installed.
for (const shell of ['zsh', 'fish'] as const) describe.skipIf(!isInstalled(shell))(`completion in ${shell}`, () => suite(shell));

function suite(shell: keyof typeof programs): void {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let script: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    script = await folder.write(`countersign.${shell}`, (await runCli(['completion', shell])).stdout);
    const stub = await folder.write('countersign', '#!/bin/sh\necho "$@" > "$HOME/asked"; echo Treasury\n');
    await chmod(stub, 0o755);
    await mkdir(join(folder.path, '.config/countersign'), { recursive: true });
    await writeFile(join(folder.path, '.config/countersign/work.json'), '{}');
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  /** Completions with the prefix at the end of the line. zsh leaves this filter to its completion system. */
  async function offered(line: string): Promise<string[]> {
    const words = line.split(' ');
    const env = {
      PATH: `${folder.path}${delimiter}${process.env.PATH}`,
      HOME: folder.path,
      XDG_CONFIG_HOME: `${folder.path}/.config`,
    };
    const { stdout } = await run(shell, argvOf[shell]([script, ...words]), { env, cwd: folder.path });
    const found = stdout.split('\n').map((each) => each.split('\t')[0] ?? '');
    return found.filter((word) => word !== '' && word.startsWith(words.at(-1) ?? '')).sort();
  }

  test.each([
    ['countersign who', ['whoami']],
    ['countersign wallet cr', ['create']],
    ['countersign policy back', ['backtest']],
    ['countersign vault ', ['rotate']],
    ['countersign sign-raw-payload --enc', ['--encoding']],
    ['countersign login --br', ['--browser']],
    ['countersign sign-raw-payload --encoding ', ['hexadecimal', 'text-utf8']],
    ['countersign whoami --output ', ['csv', 'json', 'table', 'yaml']],
    ['countersign completion ', ['bash', 'fish', 'zsh']],
    ['countersign whoami --profile ', ['work']],
    ['countersign login ', ['work']],
  ])('%s', async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  test('requests names from the service with the connection flags of the line', async () => {
    expect(await offered('countersign wallet show --profile ann --wallet-id Tr')).toEqual(['Treasury']);
    expect(await readFile(join(folder.path, 'asked'), 'utf8')).toBe('completion ids wallet --profile ann\n');
    expect(await offered('countersign approve ')).toEqual(['Treasury']);
    expect(await readFile(join(folder.path, 'asked'), 'utf8')).toBe('completion ids waiting\n');
  });
}
