import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishedName, renameTarball, sourceNames } from '../../../scripts/packages/names.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const names = { scope: '@example', command: 'example-sign' };

describe('packages under other names', () => {
  let folder: string;
  const files: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-names-'));
    const workspaces = ['collections', 'policy', 'cli'].flatMap((name) => ['--workspace', `packages/${name}`]);
    const { stdout } = await run('npm', ['pack', ...workspaces, '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const { name, filename } of JSON.parse(stdout) as { name: string; filename: string }[]) {
      const made = await renameTarball(folder, filename, names);
      files.push(made);
      const target = join(folder, 'node_modules', publishedName(name, names));
      await mkdir(target, { recursive: true });
      await run('tar', ['-xzf', join(folder, made), '--strip-components=1', '-C', target]);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the tarballs have the new names, and the old ones are gone', async () => {
    expect(files.map((file) => file.replace(/-\d+\.\d+\.\d+\.tgz$/, '')).sort()).toEqual([
      'example-collections',
      'example-policy',
      'example-sign',
    ]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.tgz')).sort()).toEqual([...files].sort());
  });

  test('they depend on each other by the new names, and can be imported', async () => {
    const { name, dependencies } = JSON.parse(await readFile(join(folder, 'node_modules/@example/policy/package.json'), 'utf8'));
    expect({ name, dependencies: Object.keys(dependencies) }).toEqual({
      name: '@example/policy',
      dependencies: ['@example/collections'],
    });
    const program = "import { compilePolicies } from '@example/policy'; console.log(typeof compilePolicies);";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    expect(stdout).toBe('function\n');
  });

  test('no file names the old scope', async () => {
    const found: string[] = [];
    for (const entry of await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(js|ts|json|md|map)$/.test(entry.name)) continue;
      const file = join(entry.parentPath, entry.name);
      if ((await readFile(file, 'utf8')).includes(`${sourceNames.scope}/`)) found.push(file);
    }
    expect(found).toEqual([]);
  });

  test('the package of the command has the new name, and the command the old one', async () => {
    const own = join(folder, 'node_modules/example-sign');
    const { name, version, bin } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
    expect({ name, bin }).toEqual({ name: 'example-sign', bin: { countersign: './bin/countersign.js' } });
    const { stdout } = await run(process.execPath, [join(own, bin.countersign), '--version']);
    expect(stdout).toContain(version);
  });

  test('names that stay leave the tarball as it is', async () => {
    const [file = ''] = files;
    expect(await renameTarball(folder, file, sourceNames)).toBe(file);
    expect(existsSync(join(folder, file))).toBe(true);
  });
});
