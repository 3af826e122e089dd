import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Names of packages: the scope of the libraries, and the package of the command. */
export interface PackageNames {
  readonly scope: string;
  readonly command: string;
}

/** The names in this repository. */
export const sourceNames: PackageNames = { scope: '@countersign', command: 'countersign' };

/** The names to publish under. Change them here, and nowhere else: packing rewrites the packed files. The command keeps its name in a shell. */
export const publishedNames: PackageNames = { scope: '@countersign', command: 'countersign' };

/** The published name of a package. */
export function publishedName(name: string, names: PackageNames = publishedNames): string {
  return name === sourceNames.command ? names.command : name.replace(`${sourceNames.scope}/`, `${names.scope}/`);
}

const TEXT = /\.(js|mjs|cjs|ts|json|md|map)$/;

/** Rewrites the names in a tarball. Returns its new file name. */
export async function renameTarball(folder: string, filename: string, names: PackageNames): Promise<string> {
  if (names.scope === sourceNames.scope && names.command === sourceNames.command) return filename;
  const work = await mkdtemp(join(tmpdir(), 'countersign-rename-'));
  try {
    await mkdir(join(work, 'out'));
    await run('tar', ['-xzf', join(folder, filename), '-C', work]);
    const root = join(work, 'package');
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !TEXT.test(entry.name)) continue;
      const text = await readFile(file, 'utf8');
      const renamed = text.replaceAll(`${sourceNames.scope}/`, `${names.scope}/`);
      if (renamed !== text) await writeFile(file, renamed);
    }
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { name: string };
    const named = { ...manifest, name: publishedName(manifest.name, names) };
    await writeFile(join(root, 'package.json'), `${JSON.stringify(named, null, 2)}\n`);
    const { stdout } = await run('npm', ['pack', root, '--ignore-scripts', '--json', '--pack-destination', join(work, 'out')]);
    const [{ filename: made }] = JSON.parse(stdout) as [{ filename: string }];
    await rm(join(folder, filename));
    await rename(join(work, 'out', made), join(folder, made));
    return made;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
