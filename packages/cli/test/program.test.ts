import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { activities, queries } from '@countersign/contract';
import { version } from 'countersign';
import { describe, expect, test } from 'vitest';
import { kebabCase } from '../src/naming.ts';
import { runCli, temporaryFolder } from './run-cli.ts';

describe('countersign', () => {
  test('shows its help with every command by default', async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of ['init', 'serve', 'doctor', 'vault', 'request', ...Object.keys(activities), ...Object.keys(queries)]) {
      expect(stdout).toMatch(new RegExp(`^  ${kebabCase(name)}\\b`, 'm'));
    }
    const headings = stdout.match(/^\S.*:$/gm);
    expect(headings).toEqual(
      expect.arrayContaining(['Service:', 'Organizations:', 'Users:', 'Wallets:', 'Private keys:', 'Signing:', 'Activities:']),
    );
    expect(headings).not.toContain('Commands:');
  });

  test('--version prints the version of the package', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(version).toBe(manifest.version);
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  test.each([
    [['sign-raw-paylod'], 'Did you mean sign-raw-payload?'],
    [['sign_raw_payload'], 'Did you mean sign-raw-payload?'],
    [['whoami', '--organisation-id', 'x'], 'Did you mean --organization-id?'],
    [['serve', '--prot', '1'], 'Did you mean --port?'],
  ])('%j: suggests a correction', async (argv, suggestion) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: (unknown option|"[\w-]+" is not a command)/);
    expect(stderr).toContain(suggestion);
    expect(stderr).toMatch(/\nFix: {3}Run .*--help/);
  });

  test('help <command> is <command> --help', async () => {
    for (const name of ['whoami', 'serve']) {
      expect((await runCli(['help', name])).stdout).toBe((await runCli([name, '--help'])).stdout);
    }
  });

  test('uses colours only on terminals without NO_COLOR', async () => {
    const sequence = '\u001b[';
    const argv = ['whoami'];
    const environment = { COUNTERSIGN_DATA_DIR: '/no/such' };
    expect((await runCli(argv, { environment, terminal: true })).stderr).toContain(sequence);
    expect((await runCli(argv, { environment })).stderr).not.toContain(sequence);
    expect((await runCli(argv, { environment: { ...environment, NO_COLOR: '1' }, terminal: true })).stderr).not.toContain(
      sequence,
    );
  });

  test('--debug prints the stack and its cause', async () => {
    const environment = { COUNTERSIGN_CREDENTIALS: '/no/such' };
    expect((await runCli(['whoami'], { environment })).stderr).not.toContain(' at ');
    const { stderr } = await runCli(['whoami', '--debug'], { environment });
    expect(stderr).toContain('CliError: ');
    expect(stderr).toContain('Caused by: Error: ENOENT');
  });
});

describe('without a build', () => {
  /** Puts the executable into a folder, as in a clone, and runs it. */
  async function runCopy(root: string) {
    const bin = join(root, 'packages/cli/bin');
    await mkdir(bin, { recursive: true });
    const copy = join(bin, 'countersign.mjs');
    await copyFile(new URL('../bin/countersign.js', import.meta.url), copy);
    return promisify(execFile)(process.execPath, [copy, '--version']).catch((error) => error);
  }

  test('an installed executable prints what to do', async () => {
    await using folder = await temporaryFolder();
    expect(await runCopy(folder.path)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'countersign is incomplete: its folder "run" is missing. Install it again.\n',
    });
  });

  test('one in a clone builds itself, and goes on with the command', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'scripts'));
    const main = join(folder.path, 'packages/cli/run/main.js');
    const build = [
      "import { mkdirSync, writeFileSync } from 'node:fs';",
      `mkdirSync(${JSON.stringify(dirname(main))});`,
      `writeFileSync(${JSON.stringify(main)}, 'console.log(process.argv.at(-1))');`,
      "console.log('built', process.argv.at(-1));",
    ];
    await writeFile(join(folder.path, 'scripts/build.mjs'), build.join('\n'));
    expect(await runCopy(folder.path)).toEqual({
      stdout: '--version\n',
      stderr: 'countersign is not built yet. Building it once:\nbuilt --run\n',
    });
  });

  test('one in a clone that cannot be built prints what to do', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'scripts'));
    await writeFile(join(folder.path, 'scripts/build.mjs'), 'process.exit(3)');
    const { code, stderr } = await runCopy(folder.path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/could not be built: run "npm ci" and "npm run build" in its repository\.\n$/);
  });
});

test('without SQLite, commands that need it print the remedy and no stack', async () => {
  await using folder = await temporaryFolder();
  const faults = fileURLToPath(new URL('../../../test/support/faulty-addon.cjs', import.meta.url));
  const env = { PATH: process.env.PATH, NODE_OPTIONS: `--require ${faults}`, FAULTY_ADDON: 'without-sqlite' };
  const bin = fileURLToPath(new URL('../bin/countersign.js', import.meta.url));
  const run = (...argv: string[]) =>
    promisify(execFile)(process.execPath, [bin, ...argv, '--data-dir', folder.path], { env }).catch((error) => error);
  const served = await run('serve', '--port', '0');
  expect(served.code).toBe(1);
  expect(served.stderr).toMatch(/SQLite cannot be loaded: .*\n.*Use Node\.js 22\.16 or newer/);
  expect(served.stderr).not.toContain('    at ');
  // An installation that was made before SQLite went missing.
  await writeFile(join(folder.path, 'countersign.db'), '');
  const examined = await run('doctor');
  expect(examined.code).not.toBe(0);
  expect(examined.stdout + examined.stderr).toMatch(/SQLite cannot be loaded: .*[\s\S]*Use Node\.js 22\.16 or newer/);
});
