import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of some packages that runs by itself. */
export interface Copy {
  readonly folder: string;
  read(file: string): string;
  write(file: string, text: string): void;
  remove(): void;
}

/** Copies the sources of the named packages to a temporary folder. Everything else that they import is linked. */
export function copySource(root: string, names: readonly string[]): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-copy-'));
  const scope = join(folder, 'node_modules', '@countersign');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => entry !== '@countersign' && entry !== '.bin')) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const name of readdirSync(join(root, 'packages'))) {
    const own = join(root, 'packages', name);
    if (!names.includes(name)) symlinkSync(own, join(scope, name));
    else {
      for (const part of ['src', 'package.json'])
        cpSync(join(own, part), join(folder, 'packages', name, part), { recursive: true });
      symlinkSync(join(folder, 'packages', name), join(scope, name));
    }
  }
  return {
    folder,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
