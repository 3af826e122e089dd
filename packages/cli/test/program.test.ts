import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
    expect(stderr).toMatch(/^Error: unknown (command|option)/);
    expect(stderr).toContain(suggestion);
    expect(stderr).toContain('Fix:   Run the command with --help');
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

test('without a build, the executable prints what to do', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'bin'));
  const copy = join(folder.path, 'bin', 'countersign.mjs');
  await copyFile(new URL('../bin/countersign.js', import.meta.url), copy);
  const failure = await promisify(execFile)(process.execPath, [copy]).catch((error) => error);
  expect(failure.code).toBe(1);
  expect(failure.stderr).toBe('countersign is not built yet: run "npm run build" in its repository first.\n');
});
