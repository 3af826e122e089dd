import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PackedProject, packAll } from './packed.ts';

const run = promisify(execFile);
let project: PackedProject;

beforeAll(async () => {
  project = await packAll();
}, 180_000);
afterAll(() => project?.remove());

const named = (name: string) => {
  const found = project.packages.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
};

const libraries = [
  'strict-json',
  'collections',
  'contract',
  'policy',
  'chains',
  'tlog',
  'judgement',
  'native',
  'verify',
  'client',
  'viem',
  'ethers',
  'solana',
  'bitcoinjs',
  'mcp',
  'server',
].map((name) => `@countersign/${name}`);

describe('packages, installed from their tarballs into an empty project', () => {
  test('all of them are packed, each with code and a README', () => {
    expect(project.packages.map(({ name }) => name).sort()).toEqual([...libraries, 'countersign'].sort());
    for (const { name, files } of project.packages) {
      expect(files, name).toContain('README.md');
      expect(files, name).toContain('LICENSE');
      expect(files.filter((file) => file.endsWith('.js')).length, name).toBeGreaterThan(0);
      expect(
        files.filter((file) => /\.test\.|tsbuildinfo|\.env$/.test(file.split('/').at(-1) ?? '')),
        name,
      ).toEqual([]);
    }
  });

  test('their exports exist', () => {
    for (const { name, files, manifest } of project.packages) {
      const targets = JSON.stringify((manifest as { exports?: object }).exports ?? {}).match(/"\.\/[^"]+\.(ts|js|json)"/g) ?? [];
      const paths = targets
        .map((target) => target.slice(3, -1))
        .filter((path) => name !== 'countersign' || !path.startsWith('src/'));
      expect(
        paths.filter((path) => !files.includes(path)),
        name,
      ).toEqual([]);
    }
  });

  test('publint has nothing to say about them', async () => {
    const licence = await readFile(join(import.meta.dirname, '../../../LICENSE'), 'utf8');
    for (const { name, folder } of project.packages) {
      const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
      expect(
        messages.map((message) => formatMessage(message, {}) ?? message.code),
        name,
      ).toEqual([]);
      expect(await readFile(join(folder, 'LICENSE'), 'utf8'), name).toBe(licence);
    }
  });

  test.each(libraries)('the first example of %s runs', async (name) => {
    const readme = await readFile(join(named(name).folder, 'README.md'), 'utf8');
    const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1];
    expect(example).toBeDefined();
    const file = join(project.folder, `${name.replace('@countersign/', '')}.mjs`);
    await writeFile(file, example ?? '');
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: project.folder });
    // A service with a key file beside its database warns of it.
    expect(stderr.split('\n').filter((line) => line !== '' && !line.includes('"check":"root key"'))).toEqual([]);
    // What a line prints stands behind it as a comment, where it is always the same.
    const said = [...(example ?? '').matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(said));
  });

  test('the command starts the service, and talks to it', async () => {
    const { folder } = named('countersign');
    const command = join(folder, 'bin/countersign.js');
    const data = join(project.folder, 'data');
    const server = spawn(process.execPath, [command, 'serve', '--json', '--port', '0', '--data-dir', data], {
      cwd: project.folder,
      env: { PATH: process.env.PATH },
    });
    try {
      const [first] = await once(server.stdout, 'data');
      const { url } = JSON.parse(String(first).split('\n')[0] ?? '');
      const flags = ['whoami', '--data-dir', data, '--json'];
      const { stdout } = await run(process.execPath, [command, ...flags], { env: { PATH: process.env.PATH } });
      expect(JSON.parse(stdout)).toHaveProperty('activity.result.userId');
      for (const path of ['/verify', '/docs/', '/console/']) {
        const page = await fetch(new URL(path, url));
        expect(page.status, path).toBe(200);
        expect(await page.text(), path).toContain('<html');
      }
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });
});
