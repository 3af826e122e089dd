import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publishedNames, renameTarball, sourceNames } from '../../../scripts/packages/names.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** A package as its tarball has it. */
export interface PackedPackage {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** An empty project in which our packages were installed from their tarballs. */
export interface PackedProject {
  readonly folder: string;
  readonly packages: readonly PackedPackage[];
  remove(): Promise<void>;
}

/**
 * Packs all packages and lays them out as npm would, outside of the repository.
 * INVARIANT: a package finds only what it declares. Other people's packages are links to what `npm ci` installed, so that nothing is
 * compiled again.
 */
export async function packAll(): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-packed-'));
  const packed = await packInto(folder);
  const packages = await Promise.all(
    packed.map(async ({ name, filename, files }) => {
      const target = join(folder, 'node_modules', name);
      await mkdir(target, { recursive: true });
      await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', target]);
      const manifest = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as Manifest;
      await linkForeign(target, manifest, join(root, 'packages', folderOf(name)));
      return { name, folder: target, files: files.map(({ path }) => path), manifest };
    }),
  );
  return { folder, packages, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Makes the tarballs of all packages that are published, under the names to publish. Returns their names in this repository. */
export async function packInto(
  folder: string,
  names = publishedNames,
): Promise<{ name: string; filename: string; files: { path: string }[] }[]> {
  const { stdout } = await run('npm', ['pack', '--workspaces', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const packed: { name: string; filename: string; files: { path: string }[] }[] = JSON.parse(stdout);
  const released: typeof packed = [];
  for (const each of packed) {
    if (isPrivate(each.name)) await rm(join(folder, each.filename));
    else released.push({ ...each, filename: await renameTarball(folder, each.filename, names) });
  }
  return released;
}

/** Private packages are packed by npm, and published by nobody. */
function isPrivate(name: string): boolean {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', folderOf(name), 'package.json'), 'utf8'));
  return manifest.private === true;
}

const folderOf = (name: string) => (name === sourceNames.command ? 'cli' : name.replace(`${sourceNames.scope}/`, ''));

async function linkForeign(target: string, manifest: Manifest, source: string): Promise<void> {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = manifest;
  // npm installs no optional peers either.
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
  for (const name of names.filter((each) => !each.startsWith('@countersign/'))) {
    const link = join(target, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    const paths = createRequire(join(source, 'package.json')).resolve.paths(name) ?? [];
    const installed = paths.map((path) => join(path, name)).find(existsSync);
    if (installed === undefined) throw new Error(`${name} is declared by ${source} and not installed`);
    await symlink(installed, link);
  }
}
