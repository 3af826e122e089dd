import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { knownVariables } from '../src/known-variables.ts';
import { callerEnvironment, runCli, temporaryFolder } from './run-cli.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** All TypeScript files of a folder. */
function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
}

describe('environment variables', () => {
  test.each(['COUNTERSIGN_ROOT_PASSPHRAS', 'COUNTERSIGN_ROOT_PASSPHRASE_FILES'])(
    'A41: with %s instead of a passphrase, no plain root key file appears',
    async (name) => {
      for (const command of ['init', 'serve', 'doctor']) {
        await using folder = await temporaryFolder();
        const { code, stdout, stderr } = await runCli([command, '--data-dir', folder.path, '--port', '0'], {
          environment: { [name]: 'correct horse battery staple' },
        });
        expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: '' });
        expect(stderr).toMatch(
          /^Error: .*COUNTERSIGN_ROOT_PASSPHRAS.* \(the nearest known name is COUNTERSIGN_ROOT_PASSPHRASE.*\nFix: .*\n$/,
        );
        expect(stderr).not.toContain('horse');
        expect(await readdir(folder.path)).toEqual([]);
      }
    },
  );

  test('A41: a misspelt variable does not make a client call another server', async () => {
    const { COUNTERSIGN_URL: url, ...rest } = callerEnvironment('http://127.0.0.1:1');
    const { code, stderr } = await runCli(['whoami'], { environment: { ...rest, COUNTERSIGN_ULR: url } });
    expect(code).toBe(1);
    expect(stderr).toContain('the nearest known name is COUNTERSIGN_URL');
  });

  test('shows help in any environment', async () => {
    for (const words of [['--help'], ['serve', '--help'], ['--version']]) {
      expect(await runCli(words, { environment: { COUNTERSIGN_HOTS: '' } })).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('knows every variable in the repository', async () => {
    const texts = ['packages/cli/src', 'packages/server/src', 'packages/client/src', 'test', 'scripts', 'bench'].flatMap(sources);
    const named = new Set(texts.flatMap((text) => text.match(/\bCOUNTERSIGN(?:_[A-Z]+)+\b/g) ?? []));
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((name) => !knownVariables.has(name))).toEqual([]);
  });
});
