import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

const GENERATED = new Set(['node_modules', 'dist', 'build', 'run', 'test']);

/** Source files below a folder of the repository, without tests and build output. Paths are relative to the repository. */
export function sourceFiles(folder: string, extensions: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return extensions.test(entry.name) ? [path] : [];
    return isGenerated(path, entry.name) ? [] : sourceFiles(path, extensions);
  });
}

/** `build` holds source in the console and compiled code in the addon. */
function isGenerated(path: string, name: string): boolean {
  return GENERATED.has(name) && path !== 'packages/console/build';
}

/** Folders with source: every package, the benchmarks and the scripts. */
export function sourceFolders(): string[] {
  return [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`), 'bench', 'scripts'];
}
