import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { deployFolder } from './program.ts';

const root = join(deployFolder, '..');

/** The tag of the release before this one. */
export const PREVIOUS = 'v0.2.0';

/** Builds the command of a tagged release in a folder, with the dependencies of this clone. Returns its path. */
export function buildRelease(tag: string, folder: string): string {
  const archive = execFileSync('git', ['archive', tag, 'packages', 'package.json', 'tsconfig.base.json', 'docs', 'scripts'], {
    cwd: root,
    maxBuffer: 2 ** 30,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@countersign'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@countersign' && name !== 'countersign') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages'))) {
    // The packages of this release, in place of those of the clone.
    symlinkSync(join(folder, 'packages', name), join(modules, '@countersign', name));
    const own = join(root, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'));
  }
  // The addon is compiled, and optional.
  symlinkSync(join(root, 'packages/native/dist'), join(folder, 'packages/native/dist'));
  // Static pages that another tool builds. The service runs without them.
  mkdirSync(join(folder, 'packages/verify/dist/page'), { recursive: true });
  const conditions = ['--conditions=@countersign/source', '--import', 'tsx'];
  execFileSync(process.execPath, [...conditions, 'bundle.ts'], {
    cwd: join(folder, 'packages/cli'),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return join(folder, 'packages/cli/bin/countersign.js');
}
